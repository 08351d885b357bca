"""A run's units turned on their side: a row an example, a cell a candidate, and filters over them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from desktop.application.strongest_cause import strongest
from desktop.runs.records import UnitRecord
from packs.task.outcome import Cause, CauseKind, Outcome


class Cell(NamedTuple):
    """What one candidate made of one example over all repetitions.

    cause: the one most worth a look. repetition: of a unit with that cause, to open it. right: all passed.
    flipped: repetitions differ in cause.
    """

    cause: Cause
    repetition: int
    right: bool
    flipped: bool
    near_misses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExampleOutcomes:
    """cells: by candidate; None where no unit is finished. expected, input: as text, empty when unknown."""

    position: int
    example: str
    input: str
    expected: str
    cells: tuple[Cell | None, ...]

    @property
    def differs(self) -> bool:
        """Do candidates that answered disagree about right and wrong?"""
        seen = {
            cell.right
            for cell in self.cells
            if cell is not None and cell.cause.kind in (CauseKind.ANSWERED, CauseKind.STOPPED_EARLY)
        }
        return len(seen) > 1


class Show(Enum):
    """The first filter. Values are the words on the screen."""

    FAILING = "Failing"
    DIFFERS = "Models differ"
    FLIPPED = "Repetitions differ"
    NEAR_MISS = "Near misses"
    ALL = "All examples"


@dataclass(frozen=True, slots=True)
class Filter:
    """All conditions hold together; None and '' mean 'any'.

    wrong_in, right_in: positions of candidates, for "wrong in A but right in B".
    """

    show: Show = Show.ALL
    cause: Cause | None = None
    expected: str | None = None
    wrong_in: int | None = None
    right_in: int | None = None
    text: str = ""


def turn(
    units: Iterable[UnitRecord], candidates: int, texts: Mapping[str, tuple[str, str]]
) -> list[ExampleOutcomes]:
    """A row an example that has units. texts: example -> (input, expected) as text, in the order of the run;
    an example that it lacks comes after those.
    """
    positions = {example: position for position, example in enumerate(texts)}
    found: dict[str, list[Cell | None]] = {}
    for unit in units:
        if unit.example not in found:
            found[unit.example] = [None] * candidates
        if unit.outcome is None or not 0 <= unit.candidate < candidates:
            continue
        cells = found[unit.example]
        cells[unit.candidate] = _joined(cells[unit.candidate], unit.repetition, unit.outcome)
    rows = []
    for example, cells in found.items():
        position = positions.setdefault(example, len(positions))
        given, expected = texts.get(example, ("", ""))
        rows.append(ExampleOutcomes(position, example, given, expected, tuple(cells)))
    return sorted(rows, key=lambda row: row.position)


def _joined(cell: Cell | None, repetition: int, outcome: Outcome) -> Cell:
    right, cause = bool(outcome.passed), outcome.cause
    found = tuple(miss.code for miss in outcome.near_misses)
    if cell is None:
        return Cell(cause, repetition, right, False, found)
    shown = strongest(cell.cause, cause)
    misses = cell.near_misses
    if found and found != misses:
        misses = tuple(dict.fromkeys((*misses, *found)))
    return Cell(
        shown,
        cell.repetition if shown is cell.cause else repetition,
        cell.right and right,
        cell.flipped or cell.cause is not cause,
        misses,
    )


def matching(rows: Sequence[ExampleOutcomes], wanted: Filter) -> list[ExampleOutcomes]:
    """Those rows that all conditions let through, in their order."""
    message = wanted.text.casefold().strip()
    return [row for row in rows if _shown(row, wanted) and (not message or _holds(row, message))]


def _shown(row: ExampleOutcomes, wanted: Filter) -> bool:
    cells = [cell for cell in row.cells if cell is not None]
    if wanted.show is Show.FAILING and all(cell.right for cell in cells):
        return False
    if wanted.show is Show.DIFFERS and not row.differs:
        return False
    if wanted.show is Show.FLIPPED and not any(cell.flipped for cell in cells):
        return False
    if wanted.show is Show.NEAR_MISS and not any(cell.near_misses for cell in cells):
        return False
    if wanted.cause is not None and not any(cell.cause is wanted.cause for cell in cells):
        return False
    if wanted.expected is not None and row.expected != wanted.expected:
        return False
    if wanted.wrong_in is not None:
        cell = row.cells[wanted.wrong_in]
        if cell is None or cell.right:
            return False
    if wanted.right_in is not None:
        cell = row.cells[wanted.right_in]
        if cell is None or not cell.right:
            return False
    return True


def _holds(row: ExampleOutcomes, message: str) -> bool:
    return (
        message in row.example.casefold()
        or message in row.input.casefold()
        or message in row.expected.casefold()
    )


def counts(rows: Sequence[ExampleOutcomes]) -> dict[Show, int]:
    """How many rows each first filter lets through."""
    return {show: len(matching(rows, Filter(show=show))) for show in Show}


def causes_in(rows: Iterable[ExampleOutcomes]) -> list[Cause]:
    """Causes that occur, in the order of the list of causes."""
    seen = {cell.cause for row in rows for cell in row.cells if cell is not None}
    return [cause for cause in Cause if cause in seen]


def labels_in(rows: Iterable[ExampleOutcomes], maximum: int = 60) -> list[str]:
    """Expected values worth filtering by: not too many, each standing for two examples on average."""
    seen: dict[str, int] = {}
    total = 0
    for row in rows:
        total += 1
        seen[row.expected] = seen.get(row.expected, 0) + 1
        if len(seen) > maximum:
            return []
    return sorted(seen) if seen and len(seen) * 2 <= total else []


@dataclass(frozen=True, slots=True)
class Offers:
    """What the filters offer, counted once: with 20,000 examples that takes a while."""

    shows: tuple[tuple[Show, int], ...] = ()
    causes: tuple[Cause, ...] = ()
    labels: tuple[str, ...] = ()


def offers_of(rows: Sequence[ExampleOutcomes]) -> Offers:
    return Offers(tuple(counts(rows).items()), tuple(causes_in(rows)), tuple(labels_in(rows)))
