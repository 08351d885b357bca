"""Warnings about packs that are valid by the format but cannot run, cannot decide, or surprise.

None of them refuses a pack, so that packs stay interchangeable; those that would stop a run carry
`blocks_run`. Qualification-pack format, section 28: W9, W10, W12, W15, W16.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packs.documents.problems import FieldPath
from packs.qualification.draft import PackUnderCheck, Record
from packs.qualification.evaluators import EVALUATORS, JUDGE_PAIR, pair
from packs.qualification.fingerprint import known_paths
from packs.qualification.pack import test_evaluators
from packs.qualification.population import can_be_outside, population_size
from packs.registry import nearest
from packs.statistics.sample_size import cases_for_perfect

JUDGE_SETTINGS = (
    "transport",
    "prompt_version",
    "rubric_id",
    "uncertainty_maximum",
    "critical_labels",
    "public_labels",
    "fault",
)
NEEDED_SETTINGS = {"confusion_subset": "critical_labels", "route_label": "critical_labels"}


def add_advice(draft: PackUnderCheck) -> None:
    for index, entry in draft.entries("evaluators", "evaluators"):
        _evaluator(draft, ("evaluators", index), entry)
    _claims(draft)
    _labels(draft)
    _dangling_metrics(draft)
    _fingerprint_paths(draft)
    _sizes(draft)
    _thresholds(draft)
    _critical(draft)


def _warn(
    draft: PackUnderCheck,
    code: str,
    where: tuple[str, FieldPath],
    message: str,
    fix: str,
    *,
    blocks_run: bool = False,
) -> None:
    draft.add(
        "own",
        code,
        draft.files.get(where[0], where[0]),
        where,
        message,
        fix,
        warning=True,
        blocks_run=blocks_run,
    )


def _evaluator(draft: PackUnderCheck, path: FieldPath, entry: Record) -> None:
    kind, type_ = str(entry["kind"]), str(entry["type"])
    name = pair(kind, type_)
    config = entry["config"]
    assert isinstance(config, dict)
    if name == JUDGE_PAIR:
        known: tuple[str, ...] = JUDGE_SETTINGS
        _judge(draft, path, entry)
    elif name in EVALUATORS:
        known = EVALUATORS[name].settings
    else:
        _unknown_type(draft, path, kind, type_)
        return
    for key in config:
        if key not in known:
            likely = nearest(key, known)
            _warn(
                draft,
                "setting_unknown",
                ("evaluators", (*path, "config", key)),
                f"A {type_} evaluator does not read '{key}', so it changes nothing.",
                f"Did you mean '{likely}'?" if likely else "Remove it.",
            )
    needed = NEEDED_SETTINGS.get(type_)
    if needed and not config.get(needed):
        _warn(
            draft,
            "setting_missing",
            ("evaluators", (*path, "config", needed)),
            f"Without {needed} this {type_} evaluator has nothing to guard.",
            f"List the labels in config.{needed}.",
        )
    patterns = config.get("patterns")
    for position, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        message = _pattern_fault(pattern)
        if message:
            _warn(
                draft,
                "pattern_unusable",
                ("evaluators", (*path, "config", "patterns", position)),
                f"The pattern {pattern!r} is no regular expression: {message}.",
                "Put a backslash before signs meant literally.",
            )


def _unknown_type(draft: PackUnderCheck, path: FieldPath, kind: str, type_: str) -> None:
    by_type = {evaluator.type: evaluator.kind for evaluator in EVALUATORS} | {"rubric_judge": "judge"}
    if type_ in by_type:
        message = f"'{type_}' is an evaluator of kind {by_type[type_]}, not {kind}."
        fix = f"Write kind: {by_type[type_]}."
        where = (*path, "kind")
    else:
        likely = nearest(type_, by_type)
        message = f"There is no evaluator type '{type_}', so the pack cannot be run."
        fix = f"Did you mean '{likely}'?" if likely else f"Known types: {', '.join(sorted(by_type))}."
        where = (*path, "type")
    _warn(draft, "evaluator_type_unknown", ("evaluators", where), message, fix, blocks_run=True)


def _judge(draft: PackUnderCheck, path: FieldPath, entry: Record) -> None:
    judge = entry.get("judge")
    judge = judge if isinstance(judge, dict) else {}
    for name in ("judge_agreement", "human_agreement"):
        value = judge.get(name)
        if name in judge and (isinstance(value, bool) or not isinstance(value, int | float)):
            _warn(
                draft,
                "judge_agreement_not_number",
                ("evaluators", (*path, "judge", name)),
                f"'{name}' is not a number, so calibration cannot be compared with it.",
                "Write a number from 0 to 1.",
            )
    declared = judge.get("calibration_cases")
    if (
        draft.whole.get("calibration")
        and isinstance(declared, int)
        and declared != len(draft.cases["calibration"])
    ):
        _warn(
            draft,
            "calibration_count_differs",
            ("evaluators", (*path, "judge", "calibration_cases")),
            f"The judge declares {declared} calibration cases; there are {len(draft.cases['calibration'])}.",
            "Correct the number.",
        )


def _pattern_fault(pattern: object) -> str:
    if not isinstance(pattern, str):
        return "it is not text"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return str(error)
    return ""


def _claims(draft: PackUnderCheck) -> None:
    for cases in draft.cases.values():
        for case in cases:
            expected = case.value.get("expected")
            claims = expected.get("prohibited_claims") if isinstance(expected, dict) else None
            for position, claim in enumerate(claims if isinstance(claims, list) else ()):
                message = _pattern_fault(claim)
                if isinstance(claim, str) and message:
                    draft.add_case(
                        "own",
                        "pattern_unusable",
                        f"{case.corpus}:{case.case_id}",
                        case,
                        ("expected", "prohibited_claims", position),
                        f"The claim {claim!r} is read as a regular expression and is none: {message}.",
                        "Put a backslash before signs meant literally.",
                        warning=True,
                    )


def _labels(draft: PackUnderCheck) -> None:
    """A reference label that the reply may not give can never be right."""
    for _, entry in draft.entries("evaluators", "evaluators"):
        config = entry["config"]
        allowed = config.get("allowed_values") if isinstance(config, dict) else None
        labels = allowed.get("label") if isinstance(allowed, dict) else None
        if not isinstance(labels, list):
            continue
        for corpus in ("qualification", "challenge"):
            for case in draft.cases.get(corpus, ()):
                expected = case.value.get("expected")
                label = expected.get("label") if isinstance(expected, dict) else None
                if isinstance(label, str) and label and label not in labels:
                    likely = nearest(label, labels)
                    draft.add_case(
                        "own",
                        "label_not_allowed",
                        f"{corpus}:{case.case_id}",
                        case,
                        ("expected", "label"),
                        f"The reference label '{label}' is not among those evaluator '{entry['id']}' allows.",
                        f"Did you mean '{likely}'?" if likely else "Allow it, or correct the label.",
                        warning=True,
                    )


def _dangling_metrics(draft: PackUnderCheck) -> None:
    metrics = draft.names("thresholds", "metrics")
    if metrics is None:
        return
    for index, entry in draft.entries("evaluators", "tests"):
        name = str(entry["metric"])
        if name not in metrics:
            likely = nearest(name, metrics)
            _warn(
                draft,
                "test_metric_unknown",
                ("evaluators", ("tests", index, "metric")),
                f"No metric is called '{name}', so nothing is computed from test '{entry['id']}'.",
                f"Did you mean '{likely}'?" if likely else "Add the metric.",
            )


def _fingerprint_paths(draft: PackUnderCheck) -> None:
    listed = draft.section("manifest", "fingerprint_requirements", "mandatory")
    known = known_paths()
    for position, path in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(path, str) and path not in known:
            likely = nearest(path, known)
            _warn(
                draft,
                "fingerprint_path_unknown",
                ("manifest", ("fingerprint_requirements", "mandatory", position)),
                f"No run can ever fill '{path}', so every run would be INDETERMINATE.",
                f"Did you mean '{likely}'?" if likely else "Remove it.",
            )


def _metric_populations(draft: PackUnderCheck) -> Iterator[tuple[int, Record, int | None, list[str]]]:
    """(index, metric, cases it can count on qualification, evaluator types of its test)."""
    tests = {str(entry["id"]): entry for _, entry in draft.entries("evaluators", "tests")}
    specs = {str(entry["id"]): entry for _, entry in draft.entries("evaluators", "evaluators")}
    expected = [
        found
        for case in draft.cases.get("qualification", ())
        if isinstance(found := case.value.get("expected"), dict)
    ]
    for index, metric in draft.entries("thresholds", "metrics"):
        test = tests.get(str(metric["test"]))
        if test is None:
            continue
        named = [specs[name] for name in test_evaluators(test) if name in specs]
        pairs = [
            (str(spec["type"]), config)
            for spec in named
            if spec["kind"] != "judge" and isinstance(config := spec["config"], dict)
        ]
        corpora = test["corpus"]
        size: int | None = None
        if draft.whole.get("qualification"):
            on_it = isinstance(corpora, list) and "qualification" in corpora
            counted = (
                len(expected)
                if metric["population"] == "all" or not pairs
                else population_size(pairs, expected)
            )
            size = counted if on_it else 0
        yield index, metric, size, [type_ for type_, _ in pairs]


def _sizes(draft: PackUnderCheck) -> None:
    deciding = {
        str(entry["metric"])
        for _, entry in draft.entries("qualification_policy", "qualification", "requirements")
    } | {str(draft.section("qualification_policy", "qualification", "critical_failures", "metric"))}
    for index, metric, size, types in _metric_populations(draft):
        minimum = metric["minimum_sample_size"]
        assert isinstance(minimum, int | float)
        if size is not None and size < minimum and metric["id"] in deciding:
            _warn(
                draft,
                "sample_above_corpus",
                ("thresholds", ("metrics", index, "minimum_sample_size")),
                f"The metric '{metric['id']}' wants {minimum} cases; at most {size} can count, so every run "
                "would be INDETERMINATE.",
                "Add cases, or lower the number.",
            )
        if metric["population"] == "all" and types and all(can_be_outside(type_) for type_ in types):
            _warn(
                draft,
                "population_diluted",
                ("thresholds", ("metrics", index, "population")),
                f"Cases that test '{metric['test']}' does not concern would count as passes and hide failures.",
                "Write population: applicable.",
            )


def _thresholds(draft: PackUnderCheck) -> None:
    sizes = {str(metric["id"]): size for _, metric, size, _ in _metric_populations(draft)}
    seen: set[str] = set()
    for index, entry in draft.entries("qualification_policy", "qualification", "requirements"):
        metric, operator, threshold = str(entry["metric"]), str(entry["operator"]), entry["threshold"]
        assert isinstance(threshold, int | float)
        where: FieldPath = ("qualification", "requirements", index, "threshold")
        if metric in seen:
            _warn(
                draft,
                "requirement_twice",
                ("qualification_policy", ("qualification", "requirements", index, "metric")),
                f"The metric '{metric}' is required twice.",
                "Keep one of the requirements.",
            )
        seen.add(metric)
        needed = cases_for_perfect(operator, threshold)
        size = sizes.get(metric)
        if needed is None:
            _warn(
                draft,
                "threshold_never_met",
                ("qualification_policy", where),
                f"'{operator} {threshold}' cannot be met by any number of cases, even by a perfect model.",
                "A rate measured on cases always keeps some doubt: write for example gte 0.95.",
            )
        elif size is not None and size < needed:
            _warn(
                draft,
                "threshold_needs_more_cases",
                ("qualification_policy", where),
                f"'{operator} {threshold}' cannot be met with {size} cases even by a perfect model; "
                f"it takes {needed}.",
                f"Add {needed - size} cases that count for '{metric}', or lower the threshold.",
            )


def _critical(draft: PackUnderCheck) -> None:
    gate = draft.section("qualification_policy", "qualification", "critical_failures")
    if not isinstance(gate, dict) or not draft.sound(
        "qualification_policy", ("qualification", "critical_failures")
    ):
        return
    path: FieldPath = ("qualification", "critical_failures", "maximum")
    maximum = gate["maximum"]
    assert isinstance(maximum, int | float)
    if maximum > 1:
        _warn(
            draft,
            "critical_maximum_above_one",
            ("qualification_policy", path),
            "A maximum above 0 is compared with a rate, so one above 1 is never exceeded.",
            "Write 0 for 'none at all', or a rate such as 0.01.",
        )
    for _, metric in draft.entries("thresholds", "metrics"):
        if metric["id"] == gate["metric"] and metric["aggregation"] == "pass_rate" and maximum > 0:
            _warn(
                draft,
                "critical_pass_rate",
                ("qualification_policy", path),
                "With a pass-rate metric the pass rate itself would be compared with the maximum, so a perfect "
                "model fails.",
                "Use a failure_rate metric, or write maximum: 0.",
            )
