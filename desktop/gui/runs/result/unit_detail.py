"""Everything about one unit, read from the journal when a person opens it. Pure but for the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from desktop.application.wording import UNKNOWN, milliseconds, rate
from desktop.gui.runs.result.differences import FieldDifference, field_differences, label_runs, value_text
from desktop.gui.widgets.text_difference import difference, visible_runs
from desktop.gui.widgets.text_runs import Runs
from desktop.reports.data import ReportData
from desktop.reports.gather import examples_of, pack_view
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import UnitKey, UnitRecord
from packs.task.extract import extract_json
from packs.task.outcome import Cause, Outcome
from packs.task.prompt import render

if TYPE_CHECKING:
    from packs.task.model import Example

MAX_SHOWN = 200_000
"""Characters of one text that are shown; the journal keeps all."""


@dataclass(frozen=True, slots=True)
class UnitDetail:
    """answer: as it came, with marks. fields: empty unless expected is an object. scored: what the scorer read,
    empty when that is the answer as it stands. facts: (name, value) of figures and settings."""

    unit: UnitRecord
    candidate: str
    repetitions: int
    input: str
    expected: str
    answer: Runs
    fields: tuple[FieldDifference, ...]
    scored: str
    reasoning: str
    reason: str
    gates: tuple[tuple[str, bool, str], ...]
    """(gate, passed, why)."""
    near_misses: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    prompt: str


@dataclass(frozen=True, slots=True)
class DetailSource:
    """What of a run is needed to show its units. examples: id -> example. prompt: the pack's template."""

    run_id: str
    names: tuple[str, ...]
    examples: Mapping[str, Example]
    repetitions: int
    prompt: str
    outcomes: Mapping[UnitKey, Outcome] = field(default_factory=dict)
    """What stands in place of the recorded outcomes."""

    @classmethod
    def of_report(cls, report: ReportData, outcomes: Mapping[UnitKey, Outcome] | None = None) -> DetailSource:
        return cls(
            report.run.id,
            tuple(view.name for view in report.candidates),
            {example.id: example for example in report.examples},
            report.repetitions,
            report.pack.prompt,
            outcomes or {},
        )

    @classmethod
    def of_run(cls, reader: JournalReader, run_id: str) -> DetailSource:
        """While the run goes on. Raises AppError."""
        run, summary = reader.run(run_id), reader.summary(run_id)
        examples = {example.id: example for example in examples_of(run)}
        return cls(run_id, summary.candidates, examples, summary.repetitions, pack_view(run).prompt)


def read_unit_detail(reader: JournalReader, source: DetailSource, key: UnitKey) -> UnitDetail | None:
    """None when the run has no such unit. Raises AppError."""
    unit = reader.unit(source.run_id, key)
    if unit is None:
        return None
    unit = replace(unit, outcome=source.outcomes.get(key, unit.outcome))
    example = source.examples.get(key.example)
    expected = None if example is None else example.expected
    given = "" if example is None else example.input
    outcome, generation = unit.outcome, unit.generation
    text = "" if generation is None else generation.text[:MAX_SHOWN]
    reasoning = outcome.reasoning if outcome is not None else ""
    if generation is not None and generation.reasoning:
        reasoning = generation.reasoning
    scored = outcome.scored_text if outcome is not None else ""
    return UnitDetail(
        unit=unit,
        candidate=source.names[key.candidate],
        repetitions=source.repetitions,
        input=given[:MAX_SHOWN],
        expected="" if expected is None else value_text(expected),
        answer=_answer_runs(unit, text, expected),
        fields=_fields(unit, text, expected),
        scored="" if scored == text else scored[:MAX_SHOWN],
        reasoning=reasoning[:MAX_SHOWN],
        reason=outcome.reason if outcome is not None else unit.failure,
        gates=_gates(unit),
        near_misses=tuple(miss.message for miss in outcome.near_misses) if outcome is not None else (),
        facts=_facts(unit),
        prompt=render(source.prompt, given)[:MAX_SHOWN] if source.prompt else "",
    )


def _answer_runs(unit: UnitRecord, text: str, expected: object) -> Runs:
    outcome = unit.outcome
    if outcome is None or outcome.passed:
        return Runs(tuple(visible_runs(text)))
    if outcome.near_misses and outcome.scored_text == text:
        return label_runs(text, right=False, misses=outcome.near_misses)
    if outcome.cause is Cause.WRONG and isinstance(expected, str | int | float):
        return difference(value_text(expected), text)
    return Runs(tuple(visible_runs(text)))


def _fields(unit: UnitRecord, text: str, expected: object) -> tuple[FieldDifference, ...]:
    outcome = unit.outcome
    if not isinstance(expected, Mapping) or outcome is None or unit.generation is None:
        return ()
    states = outcome.detail.get("fields")
    found = extract_json(outcome.scored_text or text).value
    return field_differences(
        {str(name): value for name, value in expected.items()},
        found if isinstance(found, dict) else None,
        {str(name): str(state) for name, state in states.items()} if isinstance(states, Mapping) else {},
    )


def _gates(unit: UnitRecord) -> tuple[tuple[str, bool, str], ...]:
    outcome = unit.outcome
    gates = outcome.detail.get("gates") if outcome is not None else None
    if not isinstance(gates, list):
        return ()
    shown = []
    for gate in gates:
        if isinstance(gate, Mapping):
            name, passed = str(gate.get("scorer", "gate")), bool(gate.get("passed"))
            failed = outcome is not None and outcome.failed_gate == name and not passed
            shown.append((name, passed, outcome.reason if failed and outcome is not None else ""))
    return tuple(shown)


def _facts(unit: UnitRecord) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
    generation = unit.generation
    if generation is not None:
        timing = generation.timing
        first = milliseconds(timing.ttft_ms)
        if unit.cold is not None:
            first += " (whole prompt read)" if unit.cold else " (shared start held)"
        facts += [
            ("First token", first),
            ("Whole answer", milliseconds(timing.wall_ms)),
            ("Tokens per second", rate(timing.tokens_per_second)),
            ("Prompt", _tokens(timing.prompt_tokens)),
            ("Answer", _tokens(timing.output_tokens)),
            ("Stopped because", generation.finish_reason or UNKNOWN),
        ]
    if unit.outcome is not None and unit.outcome.score is not None:
        facts.append(("Score", f"{unit.outcome.score:.3f}"))
        if unit.outcome.strict_score is not None and unit.outcome.strict_score != unit.outcome.score:
            facts.append(("Score, strict reading", f"{unit.outcome.strict_score:.3f}"))
    if unit.attempts > 1:
        facts.append(("Attempts", str(unit.attempts)))
    if unit.failure and (unit.outcome is None or unit.failure != unit.outcome.reason):
        facts.append(("Server's words", unit.failure))
    return tuple(facts)


def _tokens(count: int | None) -> str:
    return UNKNOWN if count is None else f"{count:,} tokens"
