"""From the journal to everything a report says: read once, computed once, then frozen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING

from desktop import __version__
from desktop.foundation.colours import CAUSE_ORDER
from desktop.reports.answer import RecommendationOptions, answer_for, weigh
from desktop.reports.circumstances import environment_of, label_of, local_text, methodology_of, repeat_of
from desktop.reports.data import CandidateView, NearMissCount, PackView, ReportData, Spread
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import CandidateRecord, RunRecord, RunStatus, UnitRecord
from packs import numbers
from packs.errors import AppError
from packs.task.aggregate import Figure, Summary, UnitResult, figure, summarise
from packs.task.outcome import Cause

if TYPE_CHECKING:
    from packs.task.model import Example

DEFAULT = RecommendationOptions()
PROGRAM = "program"
"""Under which a run's machine record names the version that scored it."""


def gather(
    reader: JournalReader, run_id: str, *, created_at: str, choice: RecommendationOptions = DEFAULT
) -> ReportData:
    """Everything about one run. created_at: UTC, ISO 8601. Raises AppError for an unknown run."""
    run = reader.run(run_id)
    records = reader.candidates(run_id)
    units, rescored = _scored_today(reader, run, tuple(reader.whole_units(run_id)))
    if run.settings.get("strict"):
        units = tuple(map(strictly, units))
    data = compose(run, records, units, created_at=created_at, choice=choice)
    return replace(data, notes=(*rescored, *data.notes))


def compose(
    run: RunRecord,
    records: Sequence[CandidateRecord],
    units: tuple[UnitRecord, ...],
    *,
    created_at: str,
    choice: RecommendationOptions = DEFAULT,
) -> ReportData:
    """Everything that can be said of these records, wherever they come from."""
    pack = pack_view(run)
    by_candidate: dict[int, list[UnitRecord]] = {record.index: [] for record in records}
    for unit in units:
        by_candidate[unit.candidate].append(unit)
    summaries = {record.index: summary_of(record, by_candidate[record.index]) for record in records}
    views = [candidate_view(record, by_candidate[record.index], summaries[record.index]) for record in records]
    examples = examples_of(run)
    weighed = weigh(run, views, summaries, examples, choice)
    repetitions = max((unit.repetition for unit in units), default=1)
    return ReportData(
        run=run,
        state=run.status.value,
        pack=pack,
        answer=answer_for(run, weighed),
        candidates=weighed.views,
        examples=examples,
        units=units,
        repetitions=repetitions,
        label=label_of(pack.provenance),
        notes=_notes(run, units),
        local=local_text(run),
        environment=environment_of(run, records, pack),
        methodology=methodology_of(run, records, units, repetitions),
        repeat=repeat_of(run),
        elapsed_s=elapsed_s(run),
        program=_program(),
        choice=asdict(choice),
        created_at=created_at,
    )


def _scored_today(
    reader: JournalReader, run: RunRecord, units: tuple[UnitRecord, ...]
) -> tuple[tuple[UnitRecord, ...], tuple[str, ...]]:
    """Units with today's scores, and a note when anything changed (task-pack format, section 17.1).

    Scoring is pure: a run that this very version has scored needs no second look.
    """
    if run.machine.get(PROGRAM) == _program():
        return units, ()
    # Not above: the scorers and what they need would slow down every report that does not need them.
    from desktop.runs.rescore import judged_again, work_of_run

    try:
        work = work_of_run(run)
    except AppError:
        return units, ("The stored pack cannot be read, so the scores are those of the run.",)
    today = {
        answer.key: outcome for answer, outcome in judged_again(reader, run.id, work) if outcome is not None
    }
    changed = 0
    result = []
    for unit in units:
        outcome = today.get(unit.key)
        if outcome is not None and unit.outcome is not None:
            same = outcome.cause is unit.outcome.cause and outcome.score == unit.outcome.score
            changed += not same
            unit = replace(unit, outcome=outcome)
        result.append(unit)
    if not changed:
        return tuple(result), ()
    note = f"{changed} of {len(today)} answers have another score or cause with this version than they had."
    return tuple(result), (note,)


def strictly(unit: UnitRecord) -> UnitRecord:
    """The unit by the format's own strict reading, in which reasoning is part of the answer."""
    outcome = unit.outcome
    if outcome is None or outcome.strict_score == outcome.score or outcome.strict_score is None:
        return unit
    cause = Cause.PARTLY_CORRECT if outcome.strict_score else Cause.UNREADABLE
    reason = "Read strictly, with its reasoning, this answer does not have the form that the scorer reads."
    if outcome.strict_score:
        reason = "Read strictly, with its reasoning, this answer is only partly right."
    changed = replace(
        outcome,
        score=outcome.strict_score,
        passed=outcome.strict_passed,
        cause=Cause.CORRECT if outcome.strict_passed else cause,
        reason=outcome.reason if outcome.strict_passed else reason,
    )
    return replace(unit, outcome=changed)


def _program() -> str:
    return f"Packbench {__version__}"


def summary_of(record: CandidateRecord, units: Sequence[UnitRecord]) -> Summary:
    """All figures of one candidate, by the task-pack format."""
    return summarise(
        [_result(unit) for unit in units], predicted_mib=record.predicted_mib, peak_mib=record.peak_mib
    )


def _result(unit: UnitRecord) -> UnitResult:
    generation, outcome = unit.generation, unit.outcome
    timing = generation.timing if generation else None
    return UnitResult(
        unit.example,
        unit.repetition,
        unit.status.value,
        outcome.score if outcome else None,
        outcome.passed if outcome else None,
        generation.text if generation else "",
        generation.finish_reason if generation else "",
        timing.ttft_ms if timing else None,
        timing.tokens_per_second if timing else None,
        timing.wall_ms if timing else None,
        outcome.failed_gate if outcome else None,
        outcome.cause if outcome else None,
        tuple(miss.code for miss in outcome.near_misses) if outcome else (),
        unit.retried,
    )


def candidate_view(record: CandidateRecord, units: Sequence[UnitRecord], summary: Summary) -> CandidateView:
    """The figures of one model, not yet weighed against the others."""
    passes = summary.example_passes
    timed = [unit for unit in units if unit.generation is not None and not unit.retried]
    cold_ms = [
        *(unit.generation.timing.ttft_ms for unit in timed if unit.cold is not False and unit.generation),
        *record.cold_ttft_ms,
    ]
    warm = [unit for unit in timed if unit.cold is False]
    sources = Counter(unit.generation.timing.source for unit in timed if unit.generation)
    return CandidateView(
        record=record,
        right=sum(1 for share in passes.values() if share >= 1.0),
        judged=len(passes),
        interval=summary.pass_interval,
        quality=summary.quality,
        quality_spread=summary.spread if summary.spread_is_shown else None,
        pass_rate=summary.pass_rate,
        causes={cause: summary.causes[cause] for cause in CAUSE_ORDER if summary.causes.get(cause)},
        near_misses=_near_misses(units),
        gates_failed=summary.gate_failures,
        ttft_cold=_spread(figure(cold_ms), len(cold_ms)),
        ttft_warm=_spread(_ttft(warm), len(warm)),
        tokens_per_second=_spread(summary.tokens_per_second, len(timed)),
        speed_source=sources.most_common(1)[0][0] if sources else "",
        wall_total_ms=summary.wall_total_ms if summary.completed else None,
        prompt_tokens=_total(unit.generation.timing.prompt_tokens for unit in timed if unit.generation),
        output_tokens=_total(unit.generation.timing.output_tokens for unit in timed if unit.generation),
        memory_delta_percent=summary.memory_delta_percent,
        same_text=summary.deterministic,
        cut_without_text=summary.truncated_empty,
        notes=_notes_of(record, summary),
    )


def _ttft(units: Iterable[UnitRecord]) -> Figure | None:
    return figure(unit.generation.timing.ttft_ms for unit in units if unit.generation)


def _spread(found: Figure | None, count: int) -> Spread | None:
    return None if found is None else Spread(found.median, found.smallest, found.largest, count)


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _near_misses(units: Iterable[UnitRecord]) -> tuple[NearMissCount, ...]:
    counts: Counter[str] = Counter()
    messages: dict[str, str] = {}
    for unit in units:
        seen = {miss.code: miss.message for miss in unit.outcome.near_misses} if unit.outcome else {}
        counts.update(list(seen))
        for code, message in seen.items():
            messages.setdefault(code, message)
    return tuple(NearMissCount(code, messages[code], count) for code, count in counts.most_common())


def _notes_of(record: CandidateRecord, summary: Summary) -> tuple[str, ...]:
    notes = list(record.notes)
    if record.offload_suspicion:
        notes.append(record.offload_suspicion)
    if record.repetitions_stopped:
        notes.append(record.repetitions_stopped)
    if summary.truncated_empty:
        notes.append(
            f"{numbers.count(summary.truncated_empty, 'answer')} cut at the token limit before anything was "
            "to be seen: raise max_tokens."
        )
    if summary.deterministic is False:
        notes.append("Repetitions of the same example gave different texts.")
    return tuple(notes)


def pack_view(run: RunRecord) -> PackView:
    """The pack as it was when the run was planned."""
    snapshot = run.pack_snapshot
    gates = snapshot.get("gates")
    scorable = "scorer" in snapshot and "params" in snapshot
    return PackView(
        name=run.pack_name,
        type=run.pack_type,
        scorer=run.scorer,
        gates=tuple(str(gate.get("scorer", "")) for gate in gates if isinstance(gate, dict))
        if isinstance(gates, list)
        else (),
        prompt=str(snapshot.get("prompt") or ""),
        generation=_mapping(snapshot.get("generation")),
        provenance=_mapping(snapshot.get("provenance")),
        fingerprint=run.fingerprint,
        scoring={name: snapshot[name] for name in ("scorer", "params", "gates") if name in snapshot}
        if scorable
        else None,
    )


def examples_of(run: RunRecord) -> tuple[Example, ...]:
    """Those that the run asked, in the pack's order."""
    # Not above: the window imports this file at its start, and the scorers come along with a pack.
    from packs.task.model import Example

    stored = run.pack_snapshot.get("examples")
    if not isinstance(stored, list):
        return ()
    return tuple(
        Example(str(entry.get("id", "")), str(entry.get("input", "")), entry.get("expected"))
        for entry in stored
        if isinstance(entry, dict)
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _notes(run: RunRecord, units: Sequence[UnitRecord]) -> tuple[str, ...]:
    notes = list(run.notices)
    pending = sum(1 for unit in units if unit.status.value == "pending")
    if pending and run.status is not RunStatus.RUNNING:
        missing = f"{numbers.count(pending, 'answer')} {'is' if pending == 1 else 'are'} missing"
        notes.insert(0, f"{missing}: 'packbench resume {run.id[:8]}' completes the run.")
    left_out = run.settings.get("left_out")
    entries = left_out if isinstance(left_out, list) else []
    notes.extend(
        f"{entry[0]} was left out: {entry[2]}"
        for entry in entries
        if isinstance(entry, list) and len(entry) == 3
    )
    return tuple(notes)


def elapsed_s(run: RunRecord) -> float | None:
    if not run.finished_at:
        return None
    try:
        seconds = (_moment(run.finished_at) - _moment(run.started_at)).total_seconds()
        # The clock was set back in between: then nobody knows how long it took.
        return seconds if seconds >= 0 else None
    except ValueError:
        return None


def _moment(iso: str) -> datetime:
    return datetime.fromisoformat(iso.replace("Z", "+00:00"))
