"""Rules R31-R39, R41-R43 and R53-R60: metrics, thresholds, policy, triggers, mappings, critical risks."""

from __future__ import annotations

from collections.abc import Iterable

from packs.documents.problems import FieldPath
from packs.qualification.anchors import anchor_of, anchors
from packs.qualification.draft import PackUnderCheck, Record
from packs.qualification.pack import test_evaluators
from packs.qualification.rules_evaluators import CLASS_TYPES, kinds_by_evaluator
from packs.qualification.schemas import CONDITIONS, TRIGGER_GROUPS, TRIGGERS
from packs.registry import nearest

COMPULSORY = tuple(name for name in CONDITIONS if name != "judge_uncertainty")


def add_decision_rules(draft: PackUnderCheck) -> None:
    _metrics(draft)
    _thresholds(draft)
    _requirements(draft)
    _gates(draft)
    _conditions(draft)
    _triggers(draft)
    _mappings(draft)
    _critical_risks(draft)


def _metric_ids(draft: PackUnderCheck) -> set[str] | None:
    return draft.names("thresholds", "metrics")


def _suggest(name: str, known: Iterable[str], otherwise: str) -> str:
    likely = nearest(name, known)
    return f"Did you mean '{likely}'?" if likely else otherwise


def _metrics(draft: PackUnderCheck) -> None:
    seen: set[str] = set()
    tests = draft.names("evaluators", "tests")
    by_test = {str(entry["id"]): entry for _, entry in draft.entries("evaluators", "tests")}
    types = {str(entry["id"]): entry["type"] for _, entry in draft.entries("evaluators", "evaluators")}
    for index, entry in draft.entries("thresholds", "metrics"):
        identity, test = str(entry["id"]), str(entry["test"])
        path: FieldPath = ("metrics", index)
        if identity in seen:
            draft.add(
                "R31",
                "metric_id_twice",
                "thresholds.metrics",
                ("thresholds", (*path, "id")),
                f"Two metrics are called '{identity}'.",
                "Give each its own id.",
            )
        seen.add(identity)
        if tests is not None and test not in tests:
            draft.add(
                "R32",
                "test_unknown",
                f"thresholds.metrics.{identity}",
                ("thresholds", (*path, "test")),
                f"There is no test called '{test}'.",
                _suggest(test, tests, "Add the test, or correct the name."),
            )
        named = test_evaluators(by_test.get(test, {}))
        if any(types.get(name) in CLASS_TYPES for name in named) and entry["population"] != "applicable":
            draft.add(
                "R42",
                "class_population",
                f"metrics.{identity}",
                ("thresholds", (*path, "population")),
                "A recall or precision metric counted over all cases would be diluted by other classes.",
                "Write population: applicable.",
            )


def _thresholds(draft: PackUnderCheck) -> None:
    metrics = _metric_ids(draft)
    seen: set[str] = set()
    for index, entry in draft.entries("thresholds", "thresholds"):
        metric = str(entry["metric"])
        where: tuple[str, FieldPath] = ("thresholds", ("thresholds", index, "metric"))
        if metric in seen:
            draft.add(
                "R33",
                "threshold_twice",
                "thresholds",
                where,
                f"The metric '{metric}' has two thresholds.",
                "Keep one of them.",
            )
        seen.add(metric)
        if metrics is not None and metric not in metrics:
            draft.add(
                "R34",
                "threshold_metric_unknown",
                "thresholds",
                where,
                f"There is no metric called '{metric}'.",
                _suggest(metric, metrics, "Add the metric, or remove the threshold."),
            )


def _requirements(draft: PackUnderCheck) -> None:
    named = draft.names("thresholds", "thresholds", key="metric")
    if named is None:
        return
    entries: dict[str, Record] = {}
    for _, threshold in draft.entries("thresholds", "thresholds"):
        entries.setdefault(str(threshold["metric"]), threshold)
    offered = anchors(draft.methodology) if draft.methodology is not None else None
    for index, entry in draft.entries("qualification_policy", "qualification", "requirements"):
        metric = str(entry["metric"])
        subject = f"qualification.requirements.{metric}"
        path: FieldPath = ("qualification", "requirements", index)
        if metric not in named:
            draft.add(
                "R35",
                "requirement_without_threshold",
                subject,
                ("qualification_policy", (*path, "metric")),
                f"The requirement on '{metric}' has no entry with its reasons in the thresholds file.",
                _suggest(metric, named, "Add a threshold entry for it."),
            )
        elif metric in entries:
            _same_as_threshold(draft, subject, path, entry, entries[metric])
        reference = str(entry["rationale_ref"])
        if offered is not None and anchor_of(reference) not in offered:
            draft.add(
                "R38",
                "anchor_missing",
                subject,
                ("qualification_policy", (*path, "rationale_ref")),
                f"The methodology has no place called '{anchor_of(reference)}'.",
                _suggest(anchor_of(reference), offered, "Add a heading or {#name} to the methodology."),
            )


def _same_as_threshold(
    draft: PackUnderCheck, subject: str, path: FieldPath, entry: Record, threshold: Record
) -> None:
    if entry["operator"] != threshold["operator"] or entry["threshold"] != threshold["threshold"]:
        field = "operator" if entry["operator"] != threshold["operator"] else "threshold"
        draft.add(
            "R36",
            "requirement_differs",
            subject,
            ("qualification_policy", (*path, field)),
            f"The requirement says {entry['operator']} {entry['threshold']}, the thresholds file says "
            f"{threshold['operator']} {threshold['threshold']}.",
            "Make both the same.",
        )
    if entry["rationale_ref"] != threshold["rationale_ref"]:
        draft.add(
            "R37",
            "rationale_differs",
            subject,
            ("qualification_policy", (*path, "rationale_ref")),
            f"The requirement refers to '{entry['rationale_ref']}', the thresholds file to "
            f"'{threshold['rationale_ref']}'.",
            "Make both the same.",
        )


def _gates(draft: PackUnderCheck) -> None:
    metrics = _metric_ids(draft)
    if metrics is None:
        return
    critical = draft.section("qualification_policy", "qualification", "critical_failures", "metric")
    if isinstance(critical, str) and critical not in metrics:
        draft.add(
            "R39",
            "critical_metric_unknown",
            "qualification.critical_failures",
            ("qualification_policy", ("qualification", "critical_failures", "metric")),
            f"There is no metric called '{critical}'.",
            _suggest(critical, metrics, "Add the metric, or correct the name."),
        )
    gate = draft.section("qualification_policy", "qualification", "challenge_critical_failures", "metric")
    if not isinstance(gate, str):
        return
    tests = {str(entry["id"]): entry for _, entry in draft.entries("evaluators", "tests")}
    by_metric = {str(entry["id"]): str(entry["test"]) for _, entry in draft.entries("thresholds", "metrics")}
    test = tests.get(by_metric.get(gate, ""))
    corpora = test["corpus"] if test is not None else None
    not_scored = isinstance(corpora, list) and "challenge" not in corpora
    if gate not in metrics or not_scored:
        why = "is not scored on the challenge corpus" if gate in metrics else "does not exist"
        draft.add(
            "R41",
            "challenge_metric_unknown",
            "qualification.challenge_critical_failures",
            ("qualification_policy", ("qualification", "challenge_critical_failures", "metric")),
            f"The metric '{gate}' of the challenge gate {why}.",
            _suggest(gate, metrics - {gate}, "Name a metric whose test runs on challenge."),
        )


def _conditions(draft: PackUnderCheck) -> None:
    path = ("qualification", "indeterminate_when")
    listed = draft.section("qualification_policy", *path)
    if not isinstance(listed, list):
        return
    missing = [name for name in COMPULSORY if name not in listed]
    if missing:
        draft.add(
            "R43",
            "conditions_missing",
            "qualification.indeterminate_when",
            ("qualification_policy", path),
            f"These reasons against a decision must be listed too: {', '.join(missing)}.",
            "Add them.",
        )


def _triggers(draft: PackUnderCheck) -> None:
    groups = draft.section("triggers", "triggers")
    if not isinstance(groups, dict):
        return
    seen: dict[str, str] = {}
    for group in TRIGGER_GROUPS:
        listed = groups.get(group)
        for index, name in enumerate(listed if isinstance(listed, list) else ()):
            if not isinstance(name, str) or name not in TRIGGERS:
                continue
            if name in seen:
                draft.add(
                    "R54",
                    "trigger_twice",
                    f"triggers.{group}",
                    ("triggers", ("triggers", group, index)),
                    f"'{name}' is listed already in {seen[name]}.",
                    "Keep it in one group.",
                )
            seen.setdefault(name, group)
    missing = [name for name in TRIGGERS if name not in seen]
    if missing and all(isinstance(groups.get(group), list) for group in TRIGGER_GROUPS):
        draft.add(
            "R55",
            "triggers_missing",
            "triggers",
            ("triggers", ("triggers",)),
            f"No group says what happens when these change: {', '.join(missing)}.",
            "Add each to one of the three groups.",
        )


def _mappings(draft: PackUnderCheck) -> None:
    metrics = _metric_ids(draft)
    for index, entry in draft.entries("mappings", "mappings"):
        metric = str(entry["metric"])
        if metrics is not None and metric not in metrics:
            draft.add(
                "R56",
                "mapping_metric_unknown",
                f"mappings.{entry['id']}",
                ("mappings", ("mappings", index, "metric")),
                f"There is no metric called '{metric}'.",
                _suggest(metric, metrics, "Add the metric, or remove the mapping."),
            )


def _critical_risks(draft: PackUnderCheck) -> None:
    """A critical risk must be scored without a judge, on qualification, by a metric that decides."""
    needed = ("evaluators", "thresholds", "qualification_policy")
    if any(name not in draft.documents or not draft.sound(name, ()) for name in needed):
        return
    kinds = kinds_by_evaluator(draft)
    tests = [entry for _, entry in draft.entries("evaluators", "tests")]
    covered = _has_full_case(draft)
    for index, risk in draft.entries("manifest", "risk_dimensions"):
        if risk["severity"] != "critical":
            continue
        firm = [
            test
            for test in tests
            if risk["id"] in _listed(test["risk_dimensions"])
            and any(kinds.get(name) in ("deterministic", "reference") for name in test_evaluators(test))
        ]
        failed = _first_gap(draft, firm, covered)
        if failed is not None:
            rule, code, message, fix = failed
            draft.add(
                rule,
                code,
                f"risk_dimensions.{risk['id']}",
                ("manifest", ("risk_dimensions", index, "id")),
                f"The critical risk '{risk['id']}' {message}",
                fix,
            )


def _first_gap(
    draft: PackUnderCheck, firm: list[Record], covered: bool | None
) -> tuple[str, str, str, str] | None:
    if not firm:
        return (
            "R57",
            "critical_untested",
            "has no test with a deterministic or reference evaluator.",
            "Add one, or lower the severity.",
        )
    deciding = [test for test in firm if "qualification" in _listed(test["corpus"])]
    if not deciding or covered is False:
        return (
            "R58",
            "critical_not_on_qualification",
            "is tested on no qualification case that has all coverage dimensions.",
            "Let its test run on the qualification corpus.",
        )
    wired = {
        str(metric["id"])
        for _, metric in draft.entries("thresholds", "metrics")
        for test in deciding
        if metric["test"] == test["id"] and test["metric"] == metric["id"]
    }
    if not wired:
        return (
            "R59",
            "critical_not_measured",
            "is tested, but no metric and test name each other.",
            "Write the metric's id in the test and the test's id in the metric.",
        )
    critical = draft.section("qualification_policy", "qualification", "critical_failures", "metric")
    mandatory = {
        str(entry["metric"])
        for _, entry in draft.entries("qualification_policy", "qualification", "requirements")
        if entry["mandatory"] is True
    }
    if not wired & {*mandatory, str(critical)}:
        return (
            "R60",
            "critical_not_decisive",
            "is measured, but the result decides nothing.",
            "Make its metric a mandatory requirement or the critical-failure metric.",
        )
    return None


def _has_full_case(draft: PackUnderCheck) -> bool | None:
    dimensions = draft.section("manifest", "coverage", "dimensions")
    if not isinstance(dimensions, dict) or not draft.whole.get("qualification"):
        return None
    return any(
        isinstance(covered := case.value.get("coverage"), dict) and set(dimensions) <= set(covered)
        for case in draft.cases["qualification"]
    )


def _listed(value: object) -> list[str]:
    return [str(entry) for entry in value] if isinstance(value, list) else []
