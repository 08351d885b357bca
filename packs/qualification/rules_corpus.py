"""Rules R01-R07: the runner, the cases and their coverage values. Qualification-pack format, section 4.3."""

from __future__ import annotations

from collections.abc import Sequence

from packs.qualification.draft import CORPORA, PackUnderCheck
from packs.registry import nearest

FORMAT_VERSION = "0.0.2"
"""Version of the public runner whose rules this program follows; packs ask for a minimum of it."""

COVERAGE_MODEL = "value_presence"

SHOWN_VALUES = 50
COMPARED_VALUES = 500
"""Of one dimension, looked through for what a case may have meant."""


def version_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def add_corpus_rules(draft: PackUnderCheck) -> None:
    _runner(draft)
    _coverage_model(draft)
    _case_ids(draft)
    _case_coverage(draft)


def _runner(draft: PackUnderCheck) -> None:
    path = ("runner", "minimum_version")
    wanted = draft.section("manifest", *path)
    if not isinstance(wanted, str) or not draft.sound("manifest", path):
        return
    if version_numbers(wanted) > version_numbers(FORMAT_VERSION):
        draft.add(
            "R01",
            "runner_too_old",
            "runner.minimum_version",
            ("manifest", path),
            f"The pack asks for a runner of version {wanted}; this program follows version {FORMAT_VERSION}.",
            "Use a newer program, or lower the number if nothing newer is needed.",
        )


def _coverage_model(draft: PackUnderCheck) -> None:
    model = draft.section("manifest", "coverage", "model")
    if isinstance(model, str) and model != COVERAGE_MODEL:
        draft.add(
            "R05",
            "coverage_model_unknown",
            "coverage.model",
            ("manifest", ("coverage", "model")),
            f"The coverage model '{model}' is not known.",
            f"Write '{COVERAGE_MODEL}' or leave the field out.",
        )


def _case_ids(draft: PackUnderCheck) -> None:
    seen: dict[str, tuple[str, int]] = {}
    for corpus in CORPORA:
        here: set[str] = set()
        for case in draft.cases.get(corpus, ()):
            identity = case.case_id
            if identity is None:
                continue
            if identity in seen:
                other, line = seen[identity]
                draft.add_case(
                    "R04",
                    "case_id_taken",
                    corpus,
                    case,
                    ("case_id",),
                    f"The case id '{identity}' is used already in the {other} corpus, line {line}.",
                    "Give each case its own id.",
                )
            if identity in here:
                draft.add_case(
                    "R03",
                    "case_id_twice",
                    corpus,
                    case,
                    ("case_id",),
                    f"The case id '{identity}' occurs twice in the {corpus} corpus.",
                    "Give each case its own id.",
                )
            here.add(identity)
            seen.setdefault(identity, (corpus, case.line))


def _some_of(declared: Sequence[str]) -> str:
    """The declared values for a sentence; every case may need it, so it is never longer than a person reads."""
    more = len(declared) - SHOWN_VALUES
    return ", ".join(declared[:SHOWN_VALUES]) + (f" and {more:,} more" if more > 0 else "")


def _case_coverage(draft: PackUnderCheck) -> None:
    dimensions = draft.section("manifest", "coverage", "dimensions")
    if not isinstance(dimensions, dict) or not draft.sound("manifest", ("coverage", "dimensions")):
        return
    for corpus in ("qualification", "challenge"):
        for case in draft.cases.get(corpus, ()):
            covered = case.value.get("coverage")
            if not case.sound or not isinstance(covered, dict):
                continue
            subject = f"{corpus}:{case.case_id}"
            for name, declared in dimensions.items():
                if name not in covered:
                    draft.add_case(
                        "R06",
                        "dimension_missing",
                        subject,
                        case,
                        ("coverage", name),
                        f"Case '{case.case_id}' does not say its '{name}'.",
                        f"Add {name} with one of: {_some_of(declared)}.",
                    )
                elif covered[name] not in declared:
                    likely = nearest(covered[name], declared[:COMPARED_VALUES])
                    draft.add_case(
                        "R07",
                        "coverage_value_unknown",
                        subject,
                        case,
                        ("coverage", name),
                        f"'{covered[name]}' is not one of the values that pack.yaml declares for '{name}'.",
                        f"Write '{likely}'." if likely else f"Write one of: {_some_of(declared)}.",
                    )
