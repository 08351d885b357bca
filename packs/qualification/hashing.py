"""The content hash of a pack: qualification-pack format, section 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from packs.canonical import JsonValue, structured_hash, text_hash


def content_hash(
    *,
    manifest: Mapping[str, JsonValue],
    cases: Mapping[str, Sequence[Mapping[str, JsonValue]]],
    rubrics: Mapping[str, JsonValue],
    documents: Mapping[str, JsonValue],
    methodology: str,
) -> str:
    """cases: by corpus name, sorted by case id. rubrics: the inner object by id. documents: the whole parsed
    files under evaluators, thresholds, qualification_policy, triggers and mappings."""
    identity = manifest["pack"]
    blank = {**identity, "content_sha256": None} if isinstance(identity, dict) else identity
    return structured_hash(
        {
            "manifest": {**manifest, "pack": blank},
            **{corpus: list(listed) for corpus, listed in cases.items()},
            "rubrics": dict(rubrics),
            **documents,
            "methodology_sha256": text_hash(methodology),
        }
    )
