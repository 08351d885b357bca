"""A drafting model's answer: checked, saved from ruin where possible, made into the files of a pack.

Task-pack format, section 12.4 to 12.6. Nothing in a draft can set provenance, review, gates or generation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packs.task.extract import extract_json
from packs.task.model import Provenance
from packs.task.new_pack import NewExample, NewPack, kebab
from packs.task.prompt import PLACEHOLDER
from packs.task.scorers import SCORERS

FEWEST_EXAMPLES = 10
MAX_OFFENDERS = 5
_STAND_IN_PROMPT = (
    "The drafted prompt could not be used. Write here what the model should do with the text below, and ask "
    f"for a bare answer.\n\n{PLACEHOLDER}\n"
)


@dataclass(frozen=True, slots=True)
class DraftFault:
    """code: stable word. message: in plain words, for the person and for the next attempt of the model.

    facts: counts and names behind the message.
    """

    code: str
    message: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftedPack:
    """placeholder_prompt: the prompt was replaced by a stand-in that says so."""

    name: str
    type: str
    scorer: str
    scorer_params: Mapping[str, Any]
    prompt: str
    examples: tuple[NewExample, ...]
    placeholder_prompt: bool = False

    def new_pack(self, provenance: Provenance) -> NewPack:
        return NewPack(
            name=self.name,
            type=self.type,
            scorer=self.scorer,
            scorer_params=self.scorer_params,
            prompt=self.prompt,
            examples=self.examples,
            provenance=provenance,
            comment=(
                "Drafted by a model. A person must review every example before the results mean anything:",
                "the expected values are the model's, not yours.",
            ),
        )


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """draft: what can be written; None when there was no JSON object at all. faults: empty when accepted."""

    draft: DraftedPack | None
    faults: tuple[DraftFault, ...]

    @property
    def accepted(self) -> bool:
        return self.draft is not None and not self.faults


def check_draft(response: str) -> CheckedDraft:
    """Read a drafting model's raw answer. Never raises.

    With faults, `draft` is what was salvaged (section 12.5): broken parts replaced, examples never invented.
    """
    found = extract_json(response)
    if not found.ok:
        return CheckedDraft(None, (DraftFault("no_json", "The answer holds no JSON object."),))
    if not isinstance(found.value, dict):
        return CheckedDraft(None, (DraftFault("not_object", "The answer is JSON, but not an object."),))
    return check_draft_object(found.value)


def check_draft_object(raw: Mapping[str, Any]) -> CheckedDraft:
    """The checks of section 12.4 on an object that was built or read already. Never raises."""
    faults: list[DraftFault] = []
    name = _name(raw.get("name"), faults)
    kind = _type(raw.get("type"), faults)
    scorer = _scorer(raw.get("scorer"), faults)
    prompt = _prompt(raw.get("prompt"), faults)
    examples = _examples(raw.get("examples"), faults)
    params = raw.get("scorer_params")
    params = dict(params) if isinstance(params, Mapping) else {}
    if scorer is not None:
        _CHECKS[scorer](params, examples, prompt, faults)
    salvaged = DraftedPack(
        name=name or "drafted-task",
        type=kind or "unknown",
        scorer=scorer or min(SCORERS.names),
        scorer_params=params,
        prompt=prompt or _STAND_IN_PROMPT,
        examples=tuple(examples),
        placeholder_prompt=prompt is None,
    )
    return CheckedDraft(salvaged, tuple(faults))


def _name(value: object, faults: list[DraftFault]) -> str | None:
    text = value if isinstance(value, str) else ""
    # The format keeps a–z and 0–9 alone; a name that has none of them is kept in its own script instead.
    name = re.sub("[^a-z0-9]+", "-", text.lower()).strip("-") or kebab(text)
    if not name:
        faults.append(DraftFault("name", "'name' must be a short text with letters or digits."))
    return name or None


def _type(value: object, faults: list[DraftFault]) -> str | None:
    if isinstance(value, str) and value.strip():
        return value.strip()
    faults.append(DraftFault("type", "'type' must be one word."))
    return None


def _scorer(value: object, faults: list[DraftFault]) -> str | None:
    if isinstance(value, str) and value in SCORERS:
        return value
    faults.append(DraftFault("scorer", f"'scorer' must be one of: {', '.join(SCORERS.names)}."))
    return None


def _prompt(value: object, faults: list[DraftFault]) -> str | None:
    if isinstance(value, str) and PLACEHOLDER in value:
        return value
    faults.append(DraftFault("prompt", f"'prompt' must be a text with {PLACEHOLDER} in it."))
    return None


def _examples(value: object, faults: list[DraftFault]) -> list[NewExample]:
    if not isinstance(value, list):
        faults.append(DraftFault("examples", "'examples' must be a list."))
        return []
    examples: dict[str, NewExample] = {}
    for position, entry in enumerate(value):
        where = f"examples[{position}]"
        if not isinstance(entry, Mapping):
            faults.append(DraftFault("example_not_object", f"{where} must be an object.", {"index": position}))
        elif not isinstance(entry.get("input"), str) or not entry["input"].strip():
            faults.append(DraftFault("example_input", f"{where} needs a text 'input'.", {"index": position}))
        elif "expected" not in entry:
            faults.append(DraftFault("example_expected", f"{where} needs 'expected'.", {"index": position}))
        else:
            examples.setdefault(entry["input"], NewExample(entry["input"], entry["expected"]))
    if len(examples) < FEWEST_EXAMPLES:
        count = len(examples)
        message = f"There are {count} different examples; at least {FEWEST_EXAMPLES} are needed."
        faults.append(DraftFault("too_few", message, {"found": count}))
    return list(examples.values())


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, str) for entry in value)


def _param(name: str, due: str) -> DraftFault:
    return DraftFault("param", f"'scorer_params.{name}' must be {due}.", {"name": name})


def _check_labels(
    params: Mapping[str, Any], examples: Sequence[NewExample], prompt: str | None, faults: list[DraftFault]
) -> None:
    labels = params.get("labels")
    if not _is_texts(labels):
        faults.append(_param("labels", "a list of texts"))
        return
    assert isinstance(labels, list)
    strange = list(dict.fromkeys(repr(entry.expected) for entry in examples if entry.expected not in labels))
    if strange:
        shown = ", ".join(strange[:MAX_OFFENDERS])
        faults.append(
            DraftFault(
                "expected_not_label", f"Expected values that are no label: {shown}.", {"values": strange}
            )
        )
    if prompt is not None:
        unnamed = [label for label in labels if label.lower() not in prompt.lower()]
        if unnamed:
            faults.append(
                DraftFault(
                    "label_not_in_prompt",
                    f"The prompt does not name: {', '.join(unnamed)}.",
                    {"labels": unnamed},
                )
            )


def _check_fields(
    params: Mapping[str, Any], examples: Sequence[NewExample], prompt: str | None, faults: list[DraftFault]
) -> None:
    keys = params.get("key_fields")
    if not _is_texts(keys):
        faults.append(_param("key_fields", "a list of texts"))
        return
    assert isinstance(keys, list)
    lacking = sum(
        not isinstance(entry.expected, Mapping) or any(key not in entry.expected for key in keys)
        for entry in examples
    )
    if lacking:
        message = f"{lacking} expected values lack a key field; each must be an object with {', '.join(keys)}."
        faults.append(DraftFault("expected_lacks_key_fields", message, {"count": lacking}))


def _check_schema(
    params: Mapping[str, Any], examples: Sequence[NewExample], prompt: str | None, faults: list[DraftFault]
) -> None:
    if not isinstance(params.get("schema"), Mapping):
        faults.append(_param("schema", "a JSON Schema object, written out"))


def _check_patterns(
    params: Mapping[str, Any], examples: Sequence[NewExample], prompt: str | None, faults: list[DraftFault]
) -> None:
    if not _is_texts(params.get("patterns")):
        faults.append(_param("patterns", "a list of texts"))


def _check_number(
    params: Mapping[str, Any], examples: Sequence[NewExample], prompt: str | None, faults: list[DraftFault]
) -> None:
    tolerance: Any = params.get("tolerance")
    if not _is_number(tolerance) or tolerance < 0:
        faults.append(_param("tolerance", "a number of 0 or more"))
    strange = sum(not _is_number(entry.expected) for entry in examples)
    if strange:
        message = f"{strange} expected values are not numbers."
        faults.append(DraftFault("expected_not_number", message, {"count": strange}))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_CHECKS = {
    "exact-label": _check_labels,
    "field-f1": _check_fields,
    "json-schema": _check_schema,
    "numeric-tolerance": _check_number,
    "pattern": _check_patterns,
}
