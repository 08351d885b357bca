"""What the live view knows of a run, kept from its events alone. No Qt here, so that it can be tested plainly.

The size of it depends on candidates and examples, never on how many units went by: 20 candidates, 1,000
examples and 3 repetitions take well under 10 MB, at the start as at the end.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from desktop.application.candidate_sums import CandidateSums, median
from desktop.runs.events import (
    Activity,
    CandidateFinished,
    CandidateLoaded,
    CandidateStarted,
    MemoryMeasured,
    Notice,
    Paused,
    RunFinished,
    RunStarted,
    TextArrived,
    TimeLeft,
    UnitFinished,
    UnitStarted,
)
from desktop.runs.records import CandidateRecord, CandidateStatus, UnitKey, UnitRow
from packs.statistics.wilson import Interval, wilson_interval
from packs.task.outcome import Cause

TEXT_KEPT = 20_000
"""Characters of the answer being written that are shown; a model that never ends must not fill the memory."""


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """One row of the live table.

    done, total: units; those that did not happen are not done. right: examples answered right so far, a
    fraction where repetitions differ; judged: the examples it is out of. Units whose cause is not the model's
    doing are in neither. Unknown is None.
    """

    name: str
    quantization: str | None
    status: CandidateStatus
    reason: str
    done: int
    total: int
    right: float | None
    judged: int
    interval: Interval | None
    causes: tuple[tuple[Cause, int], ...]
    ttft_ms: float | None
    tokens_per_second: float | None
    now_mib: float | None
    peak_mib: float | None
    predicted_mib: float | None
    over: bool = False
    """The run is over: who still waits was not run, and who still runs did not come to its end."""


class EventLine(NamedTuple):
    """One line of the events list. kind: 'good', 'warn', 'bad', 'note'. at: wall clock as given to `apply`."""

    at: str
    kind: str
    subject: str
    """Shown strong before the words: a candidate's name, or empty."""
    message: str


@dataclass(slots=True)
class Writing:
    """The unit in hand and what has been written of it."""

    key: UnitKey
    prompt_tokens: int | None
    text: str = ""
    reasoning: str = ""


@dataclass(slots=True)
class Changes:
    """What one batch changed, so that only that is painted anew."""

    lines: set[int] = field(default_factory=set)
    cells: dict[tuple[int, int], Cause] = field(default_factory=dict)
    """(candidate, position of the example) -> the cause to show."""
    events: list[EventLine] = field(default_factory=list)
    started: bool = False
    writing: bool = False
    activity: bool = False
    time: bool = False
    paused: bool = False
    finished: bool = False


@dataclass(frozen=True, slots=True)
class CandidateFacts:
    """What the plan knows of a candidate before it has run."""

    quantization: str | None = None
    predicted_mib: float | None = None


class LiveRun:
    """Takes events in their order and answers what is on the screen now."""

    def __init__(self, facts: Mapping[str, CandidateFacts] | None = None) -> None:
        """facts: by name of the candidate, as far as known."""
        self._facts = dict(facts or {})
        self._candidates: list[CandidateSums] = []
        self._positions: dict[str, int] = {}
        self.run_id = ""
        self.examples: tuple[str, ...] = ()
        self.repetitions = 1
        self.units_total = 0
        self.units_done = 0
        self.activity: Activity | None = None
        self.writing: Writing | None = None
        self.time: TimeLeft | None = None
        self.time_at = 0.0
        """Monotonic seconds at which `time` was told."""
        self.paused = False
        self.finished: RunFinished | None = None
        self.aborted = False
        self._before_preload: set[UnitKey] | None = None
        self._monotonic = 0.0

    @property
    def candidates(self) -> int:
        return len(self._candidates)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(candidate.name for candidate in self._candidates)

    @property
    def running(self) -> int | None:
        """Position of the candidate that runs now."""
        for place, candidate in enumerate(self._candidates):
            if candidate.status is CandidateStatus.RUNNING:
                return place
        return None

    def position_of(self, example: str) -> int | None:
        """Of the example in the run, from 0."""
        return self._positions.get(example)

    def cell(self, candidate: int, position: int) -> Cause | None:
        return self._candidates[candidate].cells[position]

    def line(self, index: int) -> CandidateLine:
        one = self._candidates[index]
        judged = sum(1 for count in one.judged if count)
        right: float | None = None
        interval: Interval | None = None
        if judged:
            right = sum(passed / count for passed, count in zip(one.passed, one.judged, strict=True) if count)
            interval = wilson_interval(min(right, judged), judged)
        return CandidateLine(
            name=one.name,
            quantization=one.quantization,
            status=one.status,
            reason=one.reason,
            done=one.done,
            total=len(self.examples) * self.repetitions,
            right=right,
            judged=judged,
            interval=interval,
            causes=tuple((cause, one.counts[cause]) for cause in Cause if one.counts[cause]),
            ttft_ms=median(one.ttft),
            tokens_per_second=median(one.rates),
            now_mib=one.now_mib,
            peak_mib=one.peak_mib,
            predicted_mib=one.predicted_mib,
            over=self.over,
        )

    @property
    def over(self) -> bool:
        return self.aborted or self.finished is not None

    def abort(self) -> None:
        """The run broke off without a word: nothing is being written, and nobody holds memory any more."""
        self.aborted = True
        self._nothing_in_hand()

    def _nothing_in_hand(self) -> None:
        self.writing = None
        self.activity = None
        for one in self._candidates:
            one.now_mib = None

    def preload(self, rows: Iterable[UnitRow], records: Iterable[CandidateRecord] = ()) -> Changes:
        """What an earlier session of a resumed run had finished, read from the journal.

        Rows of units that this session has told of meanwhile are left out. records: a candidate with nothing
        left to run is shown as it ended then, since this session has no word of it.
        """
        changes = Changes()
        reported, self._before_preload = self._before_preload or set(), None
        for row in rows:
            if row.cause is None or not 0 <= row.candidate < len(self._candidates):
                continue
            if row.key not in reported:
                self._count(row.key, row.cause, row.passed, row.ttft_ms, row.tokens_per_second, changes)
        total = len(self.examples) * self.repetitions
        for record in records:
            if not 0 <= record.index < len(self._candidates):
                continue
            one = self._candidates[record.index]
            ended = record.status is CandidateStatus.OOM or sum(one.counts.values()) >= total
            if one.status is CandidateStatus.WAITING and ended:
                one.end(record.status, record.reason, record.peak_mib)
                changes.lines.add(record.index)
        return changes

    def apply(self, events: Iterable[object], at: str, monotonic: float = 0.0) -> Changes:
        """Take over a batch. at: the wall clock that new event lines carry. Unknown events are left alone."""
        changes = Changes()
        self._monotonic = monotonic
        for event in events:
            self._one(event, at, changes)
        return changes

    def _one(self, event: object, at: str, changes: Changes) -> None:
        match event:
            case UnitFinished():
                self.units_done += 1
                if self._before_preload is not None:
                    self._before_preload.add(event.key)
                self._count(
                    event.key, event.cause, event.passed, event.ttft_ms, event.tokens_per_second, changes
                )
                if self.writing is not None and self.writing.key == event.key:
                    changes.writing = True
            case TextArrived():
                self._write(event, changes)
            case UnitStarted():
                self.writing = Writing(event.key, event.prompt_tokens)
                changes.writing = True
            case Activity():
                self.activity = event
                changes.activity = True
            case MemoryMeasured():
                one = self._candidates[event.candidate]
                one.now_mib = event.now_mib
                one.peak_mib = event.peak_mib
                changes.lines.add(event.candidate)
            case TimeLeft():
                self.time = event
                self.time_at = self._monotonic
                changes.time = True
            case CandidateStarted():
                one = self._candidates[event.candidate]
                one.status = CandidateStatus.RUNNING
                changes.lines.add(event.candidate)
            case CandidateLoaded():
                self._loaded(event, at, changes)
            case CandidateFinished():
                self._candidate_finished(event, at, changes)
            case Notice():
                subject = "" if event.candidate is None else self._candidates[event.candidate].name
                changes.events.append(EventLine(at, "warn", subject, event.message))
            case Paused():
                self.paused = event.paused
                changes.paused = True
                message = "Paused. Nothing is being worked on." if event.paused else "Going on."
                changes.events.append(EventLine(at, "note", "", message))
            case RunStarted():
                self._start(event)
                changes.started = True
            case RunFinished():
                self._finish(event, at, changes)

    def _start(self, event: RunStarted) -> None:
        self.run_id = event.run_id
        self.examples = event.examples
        self.repetitions = event.repetitions
        self.units_total = event.units_total
        self.units_done = event.units_done
        self._before_preload = set() if event.units_done else None
        self._positions = {example: place for place, example in enumerate(event.examples)}
        self._candidates = [CandidateSums(name, len(event.examples)) for name in event.candidates]
        for candidate in self._candidates:
            facts = self._facts.get(candidate.name, CandidateFacts())
            candidate.quantization = facts.quantization
            candidate.predicted_mib = facts.predicted_mib

    def _count(
        self,
        key: UnitKey,
        cause: Cause,
        passed: bool | None,
        ttft_ms: float | None,
        rate: float | None,
        changes: Changes,
    ) -> None:
        position = self._positions.get(key.example)
        if position is None:
            return
        one = self._candidates[key.candidate]
        one.add(position, cause, passed)
        if ttft_ms is not None:
            insort(one.ttft, ttft_ms)
        if rate is not None:
            insort(one.rates, rate)
        shown = one.cells[position]
        if shown is not None:
            changes.cells[key.candidate, position] = shown
        changes.lines.add(key.candidate)

    def _write(self, event: TextArrived, changes: Changes) -> None:
        writing = self.writing
        if writing is None or writing.key != event.key:
            return
        if event.is_reasoning:
            writing.reasoning = (writing.reasoning + event.text)[-TEXT_KEPT:]
        else:
            writing.text = (writing.text + event.text)[-TEXT_KEPT:]
        changes.writing = True

    def _loaded(self, event: CandidateLoaded, at: str, changes: Changes) -> None:
        name = self._candidates[event.candidate].name
        changes.events.append(EventLine(at, "note", name, f"loaded in {event.load_ms / 1000:.1f} s."))
        for note in event.notes:
            changes.events.append(EventLine(at, "warn", name, note))
        changes.lines.add(event.candidate)

    def _candidate_finished(self, event: CandidateFinished, at: str, changes: Changes) -> None:
        one = self._candidates[event.candidate]
        one.end(CandidateStatus(event.status), event.reason, event.peak_mib)
        changes.lines.add(event.candidate)
        if self.writing is not None and self.writing.key.candidate == event.candidate:
            self.writing = None
            changes.writing = True
        well = one.status is CandidateStatus.COMPLETED
        message = event.reason or ("finished." if well else f"{status_text(one.status)}.")
        changes.events.append(EventLine(at, "good" if well else "bad", one.name, message))

    def _finish(self, event: RunFinished, at: str, changes: Changes) -> None:
        self.finished = event
        self._nothing_in_hand()
        changes.finished = True
        changes.lines.update(range(len(self._candidates)))
        changes.writing = True
        kind = {"finished": "good", "failed": "bad"}.get(event.status, "note")
        changes.events.append(EventLine(at, kind, "", event.message or f"The run is {event.status}."))


def status_text(status: CandidateStatus) -> str:
    """As shown to a person."""
    return {
        CandidateStatus.COMPLETED: "finished",
        CandidateStatus.OOM: "out of memory",
    }.get(status, status.value)
