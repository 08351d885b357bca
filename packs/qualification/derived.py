"""Documents of a bundle that follow from its pack and answers alone, made anew and compared as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from packs.canonical import JsonValue, canonical_text
from packs.documents.jsonlines import finite
from packs.qualification.bundle import TRIGGERS_NOTE, metrics_of_rows, pack_summary
from packs.qualification.decision import VALID_UNTIL
from packs.qualification.decision_wording import summary_sentence
from packs.qualification.differences import BundleDifference, compare_fields, short
from packs.qualification.failures import RedactionPolicy, failure_groups, policy_of
from packs.qualification.pack import QualificationPack
from packs.qualification.scoring import ScoredRun
from packs.qualification.view import BundleParts


def derived_differences(
    parts: BundleParts, failures: JsonValue, pack: QualificationPack, scored: ScoredRun | None
) -> Iterator[BundleDifference]:
    """Of a bundle of this program. scored: None when replies lack secrets that were taken out."""
    yield from _compared("pack_summary.json", parts.pack_summary, pack_summary(pack))
    yield from _compared(
        "triggers.json", parts.triggers, {"declared": dict(pack.triggers), "note": TRIGGERS_NOTE}
    )
    redaction = parts.manifest.get("redaction")
    shown = policy_of(redaction)
    if isinstance(redaction, dict) and redaction.get("show_sensitive") is True:
        shown = RedactionPolicy(False, False, shown.strip_reasoning, shown.placeholder)
    groups = failure_groups(parts.results, shown)
    if canonical_text(finite(failures)) != canonical_text(finite(groups)):
        yield BundleDifference("failures.json", "content", short(finite(failures)), short(finite(groups)))
    stated: dict[str, JsonValue] = {
        "pack": f"{pack.id}@{pack.version}",
        "pack_id": pack.id,
        "pack_version": pack.version,
    }
    yield from compare_fields("manifest.json", "pack", parts.manifest, stated, tuple(stated))
    if scored is None:
        return
    computed = metrics_of_rows(pack, scored)
    yield from compare_fields("metrics.json", "metrics", parts.metrics, computed, tuple(computed))
    yield from _compared("coverage.json", parts.coverage, scored.coverage)
    decision = scored.decision
    texts: dict[str, JsonValue] = {
        "summary": summary_sentence(decision),
        "critical_failures": decision.critical,
        "indeterminate_conditions": [condition.as_json() for condition in decision.conditions],
        "what_would_resolve": list(decision.resolutions),
        "minimum_coverage": pack.minimum_realised,
        "valid_until": VALID_UNTIL,
        "pack": f"{pack.id}@{pack.version}",
        "evaluator_errors": [error.as_json() for error in scored.errors],
    }
    yield from compare_fields("decision.json", "decision", parts.decision, texts, tuple(texts))


def _compared(
    file: str, recorded: Mapping[str, JsonValue], computed: Mapping[str, JsonValue]
) -> Iterator[BundleDifference]:
    clean = finite(dict(computed))
    assert isinstance(clean, dict)
    yield from compare_fields(file, "content", recorded, clean, tuple(dict.fromkeys([*clean, *recorded])))
