"""Rules R08-R12 and R24-R30, R40: evaluators, tests and request extras. Section 4.3 of the format."""

from __future__ import annotations

from collections.abc import Iterable

from packs.documents.problems import FieldPath
from packs.qualification.draft import PackUnderCheck, Record
from packs.qualification.extras import refusal
from packs.qualification.pack import test_evaluators
from packs.registry import nearest

CLASS_TYPES = ("class_recall", "class_precision")


def add_evaluator_rules(draft: PackUnderCheck) -> None:
    _twice(draft, "R08", "evaluator", ("evaluators", "evaluators"), "evaluators.yaml")
    _twice(draft, "R25", "test", ("evaluators", "tests"), "tests")
    _twice(draft, "R24", "risk dimension", ("manifest", "risk_dimensions"), "risk_dimensions")
    for index, entry in draft.entries("evaluators", "evaluators"):
        _evaluator(draft, ("evaluators", index), entry)
    for index, entry in draft.entries("evaluators", "tests"):
        _test(draft, ("tests", index), entry)
    _extras(draft)


def _twice(draft: PackUnderCheck, rule: str, what: str, where: tuple[str, str], subject: str) -> None:
    document, name = where
    seen: set[str] = set()
    listed = draft.section(document, name)
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        identity = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(identity, str):
            continue
        if identity in seen:
            draft.add(
                rule,
                f"{what.replace(' ', '_')}_id_twice",
                subject,
                (document, (name, index, "id")),
                f"Two {what}s are called '{identity}'.",
                "Give each its own id.",
            )
        seen.add(identity)


def _evaluator(draft: PackUnderCheck, path: FieldPath, entry: Record) -> None:
    subject = f"evaluators.{entry['id']}"
    config = entry["config"]
    assert isinstance(config, dict)
    if entry["type"] in CLASS_TYPES:
        label = config.get("class_label")
        if not isinstance(label, str) or not label.strip():
            draft.add(
                "R09",
                "class_label_missing",
                subject,
                ("evaluators", (*path, "config", "class_label")),
                f"A {entry['type']} evaluator must name its class.",
                "Write the label in config.class_label.",
            )
    kind, use = entry["kind"], entry["model_use"]
    wanted = "declared" if kind == "judge" else "none"
    if use != wanted:
        rule = {"deterministic": "R10", "reference": "R11"}.get(str(kind), "R12")
        draft.add(
            rule,
            "model_use_wrong",
            subject,
            ("evaluators", (*path, "model_use")),
            f"A {kind} evaluator {'uses a model and must say so' if kind == 'judge' else 'uses no model'}.",
            f"Write model_use: {wanted}.",
        )


def _critical_dimensions(draft: PackUnderCheck) -> set[str]:
    return {
        str(entry["id"])
        for _, entry in draft.entries("manifest", "risk_dimensions")
        if entry["severity"] == "critical"
    }


def kinds_by_evaluator(draft: PackUnderCheck) -> dict[str, str]:
    """Kind of every sound evaluator by id."""
    return {str(entry["id"]): str(entry["kind"]) for _, entry in draft.entries("evaluators", "evaluators")}


def _test(draft: PackUnderCheck, path: FieldPath, entry: Record) -> None:
    subject = f"tests.{entry['id']}"
    named = test_evaluators(entry)
    if not named:
        draft.add(
            "R26",
            "test_without_evaluator",
            subject,
            ("evaluators", (*path, "evaluator")),
            f"Test '{entry['id']}' names no evaluator, so nothing would be scored.",
            "Add evaluator or evaluators.",
        )
    known = draft.names("evaluators", "evaluators")
    for name in named:
        if known is not None and name not in known:
            _unknown(draft, "R27", "evaluator", subject, (*path, "evaluator"), name, known)
    rubric = str(entry["rubric"])
    if not draft.unnamed_rubrics and rubric not in draft.rubrics:
        _unknown(draft, "R28", "rubric", subject, (*path, "rubric"), rubric, draft.rubrics)
    dimensions = draft.names("manifest", "risk_dimensions")
    listed = entry["risk_dimensions"]
    assert isinstance(listed, list)
    for position, name in enumerate(listed):
        if dimensions is not None and name not in dimensions:
            _unknown(
                draft, "R29", "risk dimension", subject, (*path, "risk_dimensions", position), name, dimensions
            )
    kinds = kinds_by_evaluator(draft)
    if named and all(kinds.get(name) == "judge" for name in named):
        for name in sorted(_critical_dimensions(draft).intersection(listed)):
            draft.add(
                "R30",
                "critical_by_judge_only",
                subject,
                ("evaluators", (*path, "evaluators" if "evaluators" in entry else "evaluator")),
                f"The critical risk '{name}' would be decided by a judge alone in test '{entry['id']}'.",
                "Add a deterministic or reference evaluator to the test.",
            )


def _unknown(
    draft: PackUnderCheck, rule: str, what: str, subject: str, path: FieldPath, name: str, known: Iterable[str]
) -> None:
    likely = nearest(name, known)
    draft.add(
        rule,
        f"{what.replace(' ', '_')}_unknown",
        subject,
        ("evaluators", path),
        f"There is no {what} called '{name}'.",
        f"Did you mean '{likely}'?" if likely else f"Add the {what}, or correct the name.",
    )


def _extras(draft: PackUnderCheck) -> None:
    extras = draft.section("manifest", "request_extras")
    if not isinstance(extras, dict):
        return
    refused = refusal(extras)
    if refused is not None:
        draft.add(
            "R40",
            f"extras_{refused.reason}",
            "request_extras",
            ("manifest", ("request_extras", *refused.path)),
            refused.message,
            refused.fix,
        )
