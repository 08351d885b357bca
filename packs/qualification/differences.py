"""Compares what a bundle records with what was computed again, and names every place that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue, canonical_text
from packs.qualification.failures import RedactionPolicy, failure_groups, policy_of
from packs.qualification.scoring import ScoredRun
from packs.qualification.view import BundleParts


@dataclass(frozen=True, slots=True)
class BundleDifference:
    """Where a bundle says something else than its own evidence. Values are short texts."""

    file: str
    where: str
    recorded: str
    computed: str

    def __str__(self) -> str:
        return f"{self.file}, {self.where}: recorded {self.recorded}, computed {self.computed}."


def short(value: JsonValue) -> str:
    text = canonical_text(value) if not isinstance(value, str) else value
    return text if len(text) <= 80 else text[:79] + "…"


def row_key(row: Mapping[str, JsonValue]) -> tuple[int, str, str, str]:
    run_index = row["run_index"]
    assert isinstance(run_index, int)
    return (run_index, str(row["corpus"]), str(row["case_id"]), str(row["test_id"]))


_ROW_FIELDS = ("score", "passed", "failure_type", "severity", "applicable", "sensitive", "evaluator")
_EVIDENCE_FIELDS = ("expected", "actual", "not_scorable", "input_ref", "output_ref")


def row_differences(
    parts: BundleParts, scored: ScoredRun, unseen: set[tuple[int, str, str]]
) -> Iterator[BundleDifference]:
    recorded = {row_key(row): row for row in parts.results}
    computed = {row_key(row): row for row in scored.rows}
    for key in sorted(set(recorded) | set(computed)):
        if key[:3] in unseen:
            continue
        where = f"run {key[0]}, {key[1]}, {key[2]}, {key[3]}"
        if key not in recorded or key not in computed:
            here = key in recorded
            yield BundleDifference(
                "results.jsonl", where, "a row" if here else "no row", "no row" if here else "a row"
            )
            continue
        old, new = recorded[key], computed[key]
        yield from compare_fields("results.jsonl", where, old, new, _ROW_FIELDS)
        before, after = old["evidence"], new["evidence"]
        assert isinstance(before, dict)
        assert isinstance(after, dict)
        yield from compare_fields("results.jsonl", where, before, after, _EVIDENCE_FIELDS)
    if len(recorded) != len(parts.results):
        yield BundleDifference(
            "results.jsonl", "repeats", f"{len(parts.results)} rows", f"{len(recorded)} different ones"
        )


def compare_fields(
    file: str, where: str, old: Mapping[str, JsonValue], new: Mapping[str, JsonValue], names: Sequence[str]
) -> Iterator[BundleDifference]:
    for name in names:
        before, after = old.get(name), new.get(name)
        if canonical_text(before) != canonical_text(after):
            yield BundleDifference(file, f"{where}, {name}", short(before), short(after))


def metric_differences(
    parts: BundleParts, computed: Mapping[str, Sequence[Mapping[str, JsonValue]]]
) -> Iterator[BundleDifference]:
    names = (
        "n",
        "events",
        "unscorable",
        "point_estimate",
        "confidence_interval",
        "subset_estimates",
        "variance",
    )
    for corpus in ("qualification", "challenge"):
        listed = parts.metrics[corpus]
        assert isinstance(listed, list)
        recorded = {str(metric["id"]): metric for metric in listed}
        for metric in computed[corpus]:
            identity = str(metric["id"])
            where = f"{corpus}, {identity}"
            if identity not in recorded:
                yield BundleDifference("metrics.json", where, "no metric", "a metric")
            else:
                yield from compare_fields("metrics.json", where, recorded[identity], metric, names)


def failure_differences(parts: BundleParts, failures: JsonValue) -> Iterator[BundleDifference]:
    recorded_policy = parts.manifest.get("redaction")
    shown = policy_of(recorded_policy)
    if not isinstance(recorded_policy, dict) or recorded_policy.get("show_sensitive"):
        shown = RedactionPolicy(inputs=False, outputs=False, placeholder=shown.placeholder)
    computed = failure_groups(parts.results, shown)["groups"]
    recorded = failures.get("groups") if isinstance(failures, dict) else None
    if not isinstance(recorded, list) or not isinstance(computed, list):
        yield BundleDifference("failures.json", "groups", "none", "a list")
        return
    names = ("corpus", "failure_type", "severity", "count")
    before = [{name: group.get(name) for name in names} for group in recorded]
    after = [{name: group[name] for name in names} for group in computed]
    if before != after:
        yield BundleDifference("failures.json", "groups", short(before), short(after))


_Pairs = list[tuple[Mapping[str, JsonValue], Mapping[str, JsonValue]]]


def _requirement_pairs(old: JsonValue, new: JsonValue) -> _Pairs | None:
    """Recorded and computed requirement side by side; None when they are not the same ones."""
    if not isinstance(old, list) or not isinstance(new, list) or len(old) != len(new):
        return None
    pairs: _Pairs = []
    for one, other in zip(old, new, strict=True):
        if not isinstance(one, dict) or not isinstance(other, dict):
            return None
        if one.get("metric") != other.get("metric"):
            return None
        pairs.append((one, other))
    return pairs


def decision_differences(
    parts: BundleParts,
    computed: Mapping[str, JsonValue],
    critical: Mapping[str, JsonValue],
    critical_count: int,
) -> Iterator[BundleDifference]:
    recorded = dict(parts.decision)
    listed = parts.decision["indeterminate_conditions"]
    assert isinstance(listed, list)
    recorded["conditions"] = [condition["condition"] for condition in listed]
    names = [name for name in computed if name != "requirements"]
    pairs = _requirement_pairs(recorded.get("requirements"), computed.get("requirements"))
    if pairs is None:
        names = list(computed)
    yield from compare_fields("decision.json", "decision", recorded, computed, names)
    for old, new in pairs or ():
        fields = tuple(dict.fromkeys((*new, *old)))
        yield from compare_fields("decision.json", f"requirement {new['metric']}", old, new, fields)
    before = parts.decision["critical_failures"]
    assert isinstance(before, dict)
    counted = ("metric", "maximum", "observed_count", "observed_rate", "n", "verdict")
    yield from compare_fields("decision.json", "critical failures", before, critical, counted)
    summary = parts.manifest["decision"]
    assert isinstance(summary, dict)
    wanted = {
        **{
            name: computed[name]
            for name in ("status", "requirements_met", "requirements_missed", "realised_coverage")
        },
        "critical_failures": critical_count,
    }
    yield from compare_fields("manifest.json", "decision", summary, wanted, tuple(wanted))
