"""What one candidate's answers add up to: confusion of labels, fields, errors of numbers. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from desktop.runs.records import UnitRecord
from packs.task.outcome import Cause, CauseKind

NO_LABEL = "(no label)"
"""The column of answers that are none of the labels."""

MAX_LABELS = 30
BINS = 12


@dataclass(frozen=True, slots=True)
class Confusion:
    """counts[row][column]: units whose expected label is `labels[row]`, answered with `columns[column]`.

    columns: the labels, then `NO_LABEL` when there are such answers.
    """

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class FieldCount:
    """One key field over all answers. The three add up to the answers judged."""

    field: str
    match: int
    mismatch: int
    missing: int

    @property
    def total(self) -> int:
        return self.match + self.mismatch + self.missing


@dataclass(frozen=True, slots=True)
class ErrorHistogram:
    """Answered minus expected. edges: one more than counts, ascending. allowed: the widest tolerance seen.

    without: answers that hold no number.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    allowed: float | None
    without: int


def confusion(units: Iterable[UnitRecord], expected: Mapping[str, object]) -> Confusion | None:
    """None when the answers are not labels, or there are too many of them to show."""
    pairs: Counter[tuple[str, str]] = Counter()
    rows: dict[str, None] = {}
    answered: dict[str, None] = {}
    for unit in units:
        wanted = expected.get(unit.example)
        if not isinstance(wanted, str) or not _judged(unit):
            continue
        assert unit.outcome is not None
        if "resolved" not in unit.outcome.detail:
            return None
        given = unit.outcome.detail["resolved"]
        # The scorer's own spelling of the expected label shows when the answer was right.
        label = str(given) if unit.outcome.passed and given is not None else wanted
        rows.setdefault(label)
        column = NO_LABEL if given is None else str(given)
        if given is not None:
            answered.setdefault(column)
        pairs[label, column] += 1
    labels = sorted({*rows, *answered})
    if not pairs or len(labels) > MAX_LABELS:
        return None
    columns = [*labels, NO_LABEL] if any(column == NO_LABEL for _, column in pairs) else labels
    shown = [label for label in labels if label in rows]
    return Confusion(
        tuple(shown),
        tuple(columns),
        tuple(tuple(pairs[row, column] for column in columns) for row in shown),
    )


def field_counts(units: Iterable[UnitRecord]) -> tuple[FieldCount, ...]:
    """In the order of the key fields; empty when the scorer does not judge fields."""
    counts: dict[str, Counter[str]] = {}
    for unit in units:
        if not _judged(unit):
            continue
        assert unit.outcome is not None
        fields = unit.outcome.detail.get("fields")
        if isinstance(fields, Mapping):
            for field, state in fields.items():
                counts.setdefault(str(field), Counter())[str(state)] += 1
    return tuple(
        FieldCount(field, seen["match"], seen["mismatch"], seen["missing"]) for field, seen in counts.items()
    )


def error_histogram(units: Iterable[UnitRecord], expected: Mapping[str, object]) -> ErrorHistogram | None:
    """None when the task is not about numbers or no answer holds one."""
    errors: list[float] = []
    allowed: float | None = None
    without = 0
    for unit in units:
        wanted = expected.get(unit.example)
        if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not _judged(unit):
            continue
        assert unit.outcome is not None
        detail = unit.outcome.detail
        given = detail.get("actual")
        limit = detail.get("allowed")
        if isinstance(limit, int | float) and math.isfinite(limit):
            allowed = max(allowed or 0.0, float(limit))
        if isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given):
            errors.append(float(given) - float(wanted))
        else:
            without += 1
    if not errors:
        return None
    edges, counts = _binned(errors)
    return ErrorHistogram(edges, counts, allowed, without)


def _binned(errors: Sequence[float]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Bins of equal width around 0. The farthest twentieth is gathered in the outer bins, so that one answer
    of a million does not hide the rest."""
    sizes = sorted(abs(error) for error in errors)
    reach = sizes[math.ceil(len(sizes) * 0.95) - 1] or sizes[-1] or 1.0
    width = 2 * reach / BINS
    if not (math.isfinite(width) and width > 0):
        reach, width = 1.0, 2.0 / BINS
    counts = [0] * BINS
    for error in errors:
        counts[min(BINS - 1, max(0, int((error + reach) / width)))] += 1
    return tuple(-reach + width * place for place in range(BINS + 1)), tuple(counts)


def _judged(unit: UnitRecord) -> bool:
    outcome = unit.outcome
    return outcome is not None and (
        outcome.cause.kind is CauseKind.ANSWERED or outcome.cause is Cause.ANSWER_CUT
    )
