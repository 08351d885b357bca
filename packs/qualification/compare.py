"""Two bundles side by side: what changed, case by case, and whether more than chance is behind it.

Qualification-pack format, section 17, with the cases and the test that section 28 (W31) misses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.triggers import TriggerComparison, compare_fingerprints
from packs.qualification.view import BundleParts
from packs.statistics.mcnemar import mcnemar_exact

Row = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class TestChange:
    """One test on one corpus, over the cases that both runs scored.

    lost: passed in A, failed in B; won: the other way round. p_value: McNemar's exact test, two-sided.
    """

    test: str
    corpus: str
    compared: int
    lost: tuple[str, ...]
    won: tuple[str, ...]
    p_value: float

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "test": self.test,
            "corpus": self.corpus,
            "compared": self.compared,
            "lost": list(self.lost),
            "won": list(self.won),
            "p_value": round(self.p_value, 6),
        }


@dataclass(frozen=True, slots=True)
class BundleComparison:
    """a, b: short summaries. evidence_changed: by the format's rule. triggers: everything observed."""

    a: dict[str, JsonValue]
    b: dict[str, JsonValue]
    evidence_changed: bool
    tests: tuple[TestChange, ...]
    triggers: TriggerComparison
    severities_b: Mapping[str, str]
    same_pack: bool

    @property
    def flipped(self) -> list[str]:
        """Case ids whose outcome changed in some test."""
        return sorted({case for change in self.tests for case in (*change.lost, *change.won)})

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "a": self.a,
            "b": self.b,
            "evidence_changed": self.evidence_changed,
            "same_pack": self.same_pack,
            "flipped_cases": self.flipped,
            "tests": [change.as_json() for change in self.tests],
            "fired": self.triggers.fired,
            "trigger_classes": {
                state.trigger: {
                    "a": state.group,
                    "b": self.severities_b.get(state.trigger),
                    "state": state.state,
                }
                for state in self.triggers.states
            },
            "fingerprint_problems": [
                {"path": path, "message": text} for path, text in self.triggers.stored_problems
            ],
            "coverage_model": self.a["coverage_model"],
        }


def side(parts: BundleParts) -> dict[str, JsonValue]:
    critical, listed = parts.decision["critical_failures"], parts.metrics["qualification"]
    assert isinstance(critical, dict)
    assert isinstance(listed, list)
    return {
        "run_id": parts.manifest["run_id"],
        "pack": parts.manifest["pack"],
        "status": parts.decision["status"],
        "realised_coverage": parts.decision["realised_coverage"],
        "critical_count": critical["observed_count"],
        "critical_metric": critical["metric"],
        "metrics": {
            str(metric["id"]): {
                "point_estimate": metric["point_estimate"],
                "lower": metric["confidence_interval"]["lower"],
                "upper": metric["confidence_interval"]["upper"],
                "n": metric["n"],
            }
            for metric in listed
        },
        "judge": parts.decision.get("judge"),
        "coverage_model": parts.coverage["model"],
    }


def compare_bundles(first: BundleParts, second: BundleParts) -> BundleComparison:
    """Raises KeyError, TypeError or AssertionError when a bundle lacks what every bundle has."""
    a, b = side(first), side(second)
    names = ("status", "critical_count", "critical_metric", "realised_coverage", "metrics")
    declared = first.triggers["declared"]
    declared_b = second.triggers["declared"]
    assert isinstance(declared, dict)
    assert isinstance(declared_b, dict)
    return BundleComparison(
        a=a,
        b=b,
        evidence_changed=any(_figures(a[name]) != _figures(b[name]) for name in names),
        tests=tuple(_test_changes(first, second)),
        triggers=compare_fingerprints(first.fingerprint, second.fingerprint, declared),
        severities_b={trigger: group for group, listed in declared_b.items() for trigger in listed},
        same_pack=first.manifest["pack_content_sha256"] == second.manifest["pack_content_sha256"],
    )


def _figures(value: JsonValue) -> JsonValue:
    """Without n, which the format does not look at."""
    if isinstance(value, dict):
        return {name: _figures(item) for name, item in value.items() if name != "n"}
    return value


def _outcomes(parts: BundleParts) -> dict[tuple[str, str], dict[str, bool]]:
    found: dict[tuple[str, str], dict[str, bool]] = {}
    for row in parts.results:
        if row["run_index"] == 0 and row["applicable"]:
            group = found.setdefault((str(row["test_id"]), str(row["corpus"])), {})
            group[str(row["case_id"])] = row["passed"] is True
    return found


def _test_changes(first: BundleParts, second: BundleParts) -> list[TestChange]:
    before, after = _outcomes(first), _outcomes(second)
    changes = []
    for key in sorted(set(before) & set(after)):
        old, new = before[key], after[key]
        both = sorted(set(old) & set(new))
        lost = tuple(case for case in both if old[case] and not new[case])
        won = tuple(case for case in both if new[case] and not old[case])
        changes.append(TestChange(key[0], key[1], len(both), lost, won, mcnemar_exact(len(lost), len(won))))
    return changes
