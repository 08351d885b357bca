"""Rules R13-R23 and R44-R52: judge evaluators and what their calibration needs. Section 4.3 of the format."""

from __future__ import annotations

from packs.documents.problems import FieldPath
from packs.qualification.draft import CaseLine, PackUnderCheck, Record
from packs.registry import nearest

TRANSPORTS = ("endpoint", "offline-mock", "typesafe", "jev")
JUDGE_FIELDS = (
    "model",
    "model_revision",
    "model_hash",
    "prompt_sha256",
    "rubric_version",
    "calibration_set",
    "calibration_cases",
    "human_raters",
    "human_agreement",
    "judge_agreement",
    "minimum_sample_size",
    "known_failure_modes",
)
HASH_STATES = ("known", "unavailable", "externally_supplied")
CALIBRATION_SOURCES = ("expert-authored", "synthetic")


def add_judge_rules(draft: PackUnderCheck) -> None:
    judges = [
        (index, entry) for index, entry in draft.entries("evaluators", "evaluators") if entry["kind"] == "judge"
    ]
    for index, entry in judges:
        path: FieldPath = ("evaluators", index)
        subject = f"evaluators.{entry['id']}"
        _record(draft, subject, path, entry)
        _config(draft, subject, path, entry)
    if len(judges) > 1:
        draft.add(
            "R44",
            "two_judges",
            "evaluators",
            ("evaluators", ("evaluators", judges[1][0])),
            f"The pack has {len(judges)} judge evaluators; one is the most.",
            "Remove the others.",
        )
    if judges:
        _conditions(draft)
        for index, entry in judges[:1]:
            _calibration(draft, ("evaluators", index), entry)


def _record(draft: PackUnderCheck, subject: str, path: FieldPath, entry: Record) -> None:
    judge = entry.get("judge")
    if not isinstance(judge, dict):
        draft.add(
            "R13",
            "judge_missing",
            subject,
            ("evaluators", (*path, "judge")),
            "A judge evaluator must describe its judge.",
            f"Add judge with: {', '.join(JUDGE_FIELDS)}.",
        )
        # The format asks each rule for itself: what is not there breaks those on its fields as well.
        judge = {}
    here = (*path, "judge")
    for name in JUDGE_FIELDS:
        if name not in judge:
            draft.add(
                "R14",
                "judge_field_missing",
                f"{subject}.judge",
                ("evaluators", (*here, name)),
                f"The judge does not say its '{name}'.",
                f"Add {name}.",
            )
    state = judge.get("model_hash")
    if state not in HASH_STATES:
        draft.add(
            "R15",
            "judge_hash_state",
            f"{subject}.judge.model_hash",
            ("evaluators", (*here, "model_hash")),
            "model_hash must say how well the judge model's hash is known.",
            f"Write one of: {', '.join(HASH_STATES)}.",
        )
    modes = judge.get("known_failure_modes")
    if not isinstance(modes, list) or not modes:
        draft.add(
            "R16",
            "judge_failure_modes",
            f"{subject}.judge.known_failure_modes",
            ("evaluators", (*here, "known_failure_modes")),
            "The judge names no failure mode that calibration would look for.",
            "List at least one.",
        )
    raters = judge.get("human_raters")
    if isinstance(raters, bool) or not isinstance(raters, int) or raters < 1:
        draft.add(
            "R23",
            "judge_raters",
            f"{subject}.judge.human_raters",
            ("evaluators", (*here, "human_raters")),
            "The number of human raters must be a whole number of at least 1.",
            "Write how many people scored the calibration cases.",
        )


def _config(draft: PackUnderCheck, subject: str, path: FieldPath, entry: Record) -> None:
    config = entry["config"]
    assert isinstance(config, dict)

    def refuse(rule: str, name: str, message: str, fix: str, code: str = "") -> None:
        draft.add(
            rule,
            code or f"judge_{name}",
            f"{subject}.config.{name}",
            ("evaluators", (*path, "config", name)),
            message,
            fix,
        )

    transport = config.get("transport")
    if transport not in TRANSPORTS:
        likely = nearest(transport, TRANSPORTS) if isinstance(transport, str) else None
        refuse(
            "R17",
            "transport",
            "How the judge is reached is not known.",
            f"Did you mean '{likely}'?" if likely else f"Write one of: {', '.join(TRANSPORTS)}.",
        )
    if not _filled(config.get("prompt_version")):
        refuse("R18", "prompt_version", "The judge prompt has no version.", "Write it as text: '1'.")
    rubric = config.get("rubric_id")
    if not _filled(rubric):
        refuse("R19", "rubric_id", "The judge names no rubric.", "Write the id of a rubric.")
    elif not draft.unnamed_rubrics and rubric not in draft.rubrics:
        likely = nearest(str(rubric), draft.rubrics)
        refuse(
            "R22",
            "rubric_id",
            f"There is no rubric called '{rubric}'.",
            f"Did you mean '{likely}'?" if likely else "Add the rubric, or correct the name.",
            code="judge_rubric_unknown",
        )
    limit = config.get("uncertainty_maximum")
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
        refuse("R20", "uncertainty_maximum", "This must be a number from 0 to 1.", "Write for example 0.5.")
    labels = config.get("critical_labels")
    if not isinstance(labels, list) or not labels or not all(_filled(label) for label in labels):
        refuse(
            "R21",
            "critical_labels",
            "This must be a list of labels with at least one.",
            "List the critical labels.",
        )


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _conditions(draft: PackUnderCheck) -> None:
    path = ("qualification", "indeterminate_when")
    listed = draft.section("qualification_policy", *path)
    if isinstance(listed, list) and "judge_uncertainty" not in listed:
        draft.add(
            "R45",
            "judge_uncertainty_not_listed",
            "qualification.indeterminate_when",
            ("qualification_policy", path),
            "The pack has a judge, but uncertain verdicts would be ignored.",
            "Add judge_uncertainty.",
        )


def _calibration(draft: PackUnderCheck, path: FieldPath, entry: Record) -> None:
    if "calibration" not in draft.cases:
        return
    cases = [case for case in draft.cases["calibration"] if case.sound]
    judge = entry.get("judge")
    judge = judge if isinstance(judge, dict) else {}
    if draft.whole.get("calibration"):
        sources = {case.value["provenance"] for case in cases}
        if not set(CALIBRATION_SOURCES) <= sources:
            draft.add(
                "R46",
                "calibration_sources",
                "calibration",
                ("manifest", ("artifacts", "calibration")),
                "A judge needs calibration cases of both kinds, expert-authored and synthetic.",
                "Add cases of the kind that is missing.",
            )
        wanted = judge.get("minimum_sample_size")
        if isinstance(wanted, int | float) and not isinstance(wanted, bool) and len(cases) < wanted:
            draft.add(
                "R47",
                "calibration_too_small",
                f"evaluators.{entry['id']}.judge.minimum_sample_size",
                ("evaluators", (*path, "judge", "minimum_sample_size")),
                f"The judge wants {wanted} calibration cases; there are {len(cases)}.",
                "Add calibration cases, or lower the number.",
            )
        _failure_modes(draft, path, judge, cases)
    for case in cases:
        _calibration_case(draft, case)


def _failure_modes(draft: PackUnderCheck, path: FieldPath, judge: Record, cases: list[CaseLine]) -> None:
    modes = judge.get("known_failure_modes")
    shown = {_metadata(case).get("known_failure_mode") for case in cases if _hashable(case)}
    for position, mode in enumerate(modes if isinstance(modes, list) else ()):
        if isinstance(mode, str) and mode not in shown:
            draft.add(
                "R52",
                "failure_mode_not_shown",
                "calibration",
                ("evaluators", (*path, "judge", "known_failure_modes", position)),
                f"No calibration case shows the failure mode '{mode}'.",
                "Add a case with metadata.known_failure_mode set to it.",
            )


def _hashable(case: CaseLine) -> bool:
    return isinstance(_metadata(case).get("known_failure_mode"), str | None)


def _metadata(case: CaseLine) -> Record:
    found = case.value.get("metadata")
    return found if isinstance(found, dict) else {}


def _calibration_case(draft: PackUnderCheck, case: CaseLine) -> None:
    subject = f"calibration:{case.case_id}"
    metadata = _metadata(case)
    if case.value["provenance"] not in CALIBRATION_SOURCES:
        draft.add_case(
            "R48",
            "calibration_provenance",
            subject,
            case,
            ("provenance",),
            "Calibration cases of a judge must be expert-authored or synthetic.",
            "Move this case to another corpus.",
        )
    passed = metadata.get("human_passed")
    if not isinstance(passed, bool):
        draft.add_case(
            "R49",
            "human_score_missing",
            subject,
            case,
            ("metadata", "human_passed"),
            "A person's score of this calibration case is missing.",
            "Write metadata.human_passed: true or false.",
        )
    elif not passed and not _filled(metadata.get("human_failure_type")):
        draft.add_case(
            "R50",
            "human_failure_missing",
            subject,
            case,
            ("metadata", "human_failure_type"),
            "The person scored this as failed but did not say how.",
            "Write metadata.human_failure_type.",
        )
    if not isinstance(metadata.get("candidate_output"), dict):
        draft.add_case(
            "R51",
            "candidate_output_missing",
            subject,
            case,
            ("metadata", "candidate_output"),
            "The answer that the judge is to score is missing.",
            "Write metadata.candidate_output as an object.",
        )
