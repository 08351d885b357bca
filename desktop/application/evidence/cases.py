"""What stands behind a decision: answers against references as a matrix, and every case that failed.

A bundle comes from anybody: whatever has another shape than a bundle has is left out, never trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.reports.qualification.parts import written
from desktop.reports.text import one_line
from packs.qualification.bundle import parse_parts
from packs.qualification.failures import policy_of
from packs.qualification.view import report_view

MAX_CASES = 2_000
MAX_CLASSES = 60
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class ConfusionTable:
    """rows: (reference, counts by column). A column may stand for no answer that is a class."""

    corpus: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    note: str


@dataclass(frozen=True, slots=True)
class FailedCase:
    """One test that one case did not pass; texts on one line, hidden ones say so."""

    corpus: str
    case: str
    test: str
    kind: str
    severity: str
    input: str
    expected: str
    answered: str
    why: str
    output: str = ""
    """The whole answer as it came, shortened; a placeholder where the run hides it."""


@dataclass(frozen=True, slots=True)
class Cases:
    """left_out: failures beyond `MOST_CASES`. readable: False when the bundle has another shape."""

    confusions: tuple[ConfusionTable, ...] = ()
    failures: tuple[FailedCase, ...] = ()
    left_out: int = 0
    readable: bool = True


def cases_of(contents: Mapping[str, bytes]) -> Cases:
    """contents: the files of a bundle, by name. Texts that the run hides stay hidden."""
    try:
        parts = parse_parts(contents)
        view = report_view(parts, policy_of(parts.manifest.get("redaction")), show_sensitive=False)
        failing: list[Mapping[str, Any]] = view["failing_cases"]  # type: ignore[assignment]
        classes: Mapping[str, Mapping[str, Any]] = view["classification"]  # type: ignore[assignment]
        return Cases(
            tuple(
                table
                for corpus in ("qualification", "challenge")
                if (table := _confusion(corpus, classes[corpus])) is not None
            ),
            tuple(_failed(shown) for shown in failing[:MAX_CASES]),
            max(0, len(failing) - MAX_CASES),
        )
    except (KeyError, TypeError, ValueError, AssertionError, AttributeError, RecursionError, IndexError):
        return Cases(readable=False)


def _confusion(corpus: str, record: Mapping[str, Any]) -> ConfusionTable | None:
    columns = [_message(column["label"]) for column in record["columns"]]
    rows = [(_message(row["label"]), tuple(int(count) for count in row["counts"])) for row in record["rows"]]
    if not rows or len(columns) > MAX_CLASSES or any(len(counts) != len(columns) for _, counts in rows):
        return None
    return ConfusionTable(corpus, tuple(columns), tuple(rows), _message(record["note"]))


def _failed(shown: Mapping[str, Any]) -> FailedCase:
    return FailedCase(
        corpus=_message(shown["corpus"]),
        case=_message(shown["case_id"]),
        test=_message(shown["test_id"]),
        kind=_message(shown["failure_type"]).replace("_", " "),
        severity=_message(shown.get("severity")),
        input=_message(shown["input_excerpt"]),
        expected=_message(written(shown["expected"])),
        answered=_message(written(shown["actual"])),
        why=_message(shown["detail"]),
        output=_message(shown["output_excerpt"]),
    )


def _message(value: object) -> str:
    return "" if value is None else one_line(str(value), _LONGEST)
