"""Two runs side by side: what flipped, whether it means anything, and what was different about them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from desktop.application.wording import counted
from desktop.gui.runs.result.differences import value_text
from desktop.reports.data import CandidateView, ReportData
from desktop.runs.records import UnitRecord
from desktop.runs.settings import RunSettings
from packs.statistics.mcnemar import mcnemar_exact
from packs.task.outcome import CauseKind

SHOWN_BELOW = 0.05
"""A difference is said to be shown below this chance of a difference as large by luck alone."""


@dataclass(frozen=True, slots=True)
class Flip:
    """One example that is right in one run and not in the other. better: right in the second."""

    example: str
    input: str
    expected: str
    model: str
    before: str
    after: str
    better: bool


@dataclass(frozen=True, slots=True)
class ModelPair:
    """One model in both runs. right and judged: examples answered in both. p: exact McNemar, two-sided."""

    before: str
    after: str
    right_before: int
    right_after: int
    judged: int
    lost: int
    won: int
    p: float

    @property
    def sentence(self) -> str:
        name = self.before if self.before == self.after else f"{self.before}, then {self.after}"
        figures = f"{name}: {self.right_before}, then {self.right_after} of {self.judged} right"
        if not self.judged:
            return f"{name}: no example was answered in both runs with the same input."
        if not self.lost and not self.won:
            return f"{figures}. No example flipped."
        if self.p < SHOWN_BELOW:
            luck = "less than 0.1 %" if self.p < 0.001 else f"{self.p * 100:.1f} %"
            return f"{figures}. A difference is shown: it would come by luck alone in {luck} of such pairs."
        return f"{figures}. These {self.judged} examples do not show which is better."


@dataclass(frozen=True, slots=True)
class RunComparison:
    pairs: tuple[ModelPair, ...]
    flips: tuple[Flip, ...]
    changes: tuple[tuple[str, str, str], ...]
    """(what, before, after); empty when nothing differs."""
    notes: tuple[str, ...]


def compare(first: ReportData, second: ReportData) -> RunComparison:
    """Models are paired by name; without a common one, the recommended (else the best) of each run."""
    pairs: list[ModelPair] = []
    flips: list[Flip] = []
    for one, other in _paired(first, second):
        pair, found = _pair(first, one, second, other)
        pairs.append(pair)
        flips += found
    changes = _changes(first, second)
    notes = []
    before, after = ({example.id: example.input for example in report.examples} for report in (first, second))
    changed = sum(before[example] != after[example] for example in before.keys() & after.keys())
    if changed:
        notes.append(
            f"{counted(changed, 'example')} with the same number {'asks' if changed == 1 else 'ask'} something "
            "else in the two runs, and cannot be compared."
        )
    if _constrained(first) != _constrained(second):
        notes.append("In one run the answers were held to a form and in the other they were free.")
    if any(what.startswith("Expected value") for what, _, _ in changes):
        notes.append("Some expected values differ: the runs were judged by different answers.")
    return RunComparison(tuple(pairs), tuple(flips), changes, tuple(notes))


def _paired(first: ReportData, second: ReportData) -> list[tuple[CandidateView, CandidateView]]:
    others = {view.name: view for view in second.candidates}
    same = [(view, others[view.name]) for view in first.candidates if view.name in others]
    if same:
        return same
    one, other = _best(first), _best(second)
    return [(one, other)] if one is not None and other is not None else []


def _best(report: ReportData) -> CandidateView | None:
    for view in report.candidates:
        if view.recommended:
            return view
    return max(report.candidates, key=lambda view: view.quality or 0.0, default=None)


def _pair(
    first: ReportData, one: CandidateView, second: ReportData, other: CandidateView
) -> tuple[ModelPair, list[Flip]]:
    before, after = _outcomes(first, one), _outcomes(second, other)
    texts = {example.id: example for example in second.examples}
    asked = {example.id: example.input for example in first.examples}
    # Under the same number another pack, or a later one, may ask something else.
    both = [
        example
        for example in before
        if example in after and (example not in texts or texts[example].input == asked.get(example))
    ]
    flips = []
    for example in both:
        was, is_now = before[example], after[example]
        if was[0] != is_now[0]:
            shown = texts.get(example)
            flips.append(
                Flip(
                    example,
                    shown.input if shown is not None else "",
                    value_text(shown.expected) if shown is not None else "",
                    other.name,
                    was[1],
                    is_now[1],
                    is_now[0],
                )
            )
    won = sum(flip.better for flip in flips)
    lost = len(flips) - won
    pair = ModelPair(
        one.name,
        other.name,
        sum(before[example][0] for example in both),
        sum(after[example][0] for example in both),
        len(both),
        lost,
        won,
        mcnemar_exact(lost, won),
    )
    return pair, flips


def _outcomes(report: ReportData, view: CandidateView) -> dict[str, tuple[bool, str]]:
    """example -> (right in every repetition, cause in words), where the answer is the model's own doing."""
    found: dict[str, tuple[bool, str]] = {}
    for unit in report.units:
        if unit.candidate != view.record.index or not _speaks(unit):
            continue
        assert unit.outcome is not None
        right = bool(unit.outcome.passed)
        seen = found.get(unit.example)
        if seen is None or (seen[0] and not right):
            found[unit.example] = (right, unit.outcome.cause.message)
    return found


def _speaks(unit: UnitRecord) -> bool:
    return unit.outcome is not None and unit.outcome.cause.kind in (
        CauseKind.ANSWERED,
        CauseKind.STOPPED_EARLY,
    )


_SETTINGS: tuple[tuple[str, Callable[[RunSettings], object]], ...] = (
    ("Answers", lambda chosen: "held to the expected form" if chosen.constrained else "free"),
    ("Prompts", lambda chosen: "every prompt from nothing" if chosen.cold else "shared start read once"),
    ("Stop repeating once answers prove identical", lambda chosen: "yes" if chosen.adaptive else "no"),
    ("Answers at once", lambda chosen: chosen.parallel),
    ("At most so many examples", lambda chosen: chosen.limit or "all"),
    ("Processor threads", lambda chosen: chosen.threads or "as the program chooses"),
    ("Kind of chat memory", lambda chosen: chosen.kv_cache_type),
    ("Tokens read at once", lambda chosen: chosen.batch_tokens),
    ("Scores by the strict reading", lambda chosen: "yes" if chosen.strict else "no"),
)
"""What a person chose, in the words of the plan; what an old journal lacks is as it was then."""


def _changes(first: ReportData, second: ReportData) -> tuple[tuple[str, str, str], ...]:
    rows: list[tuple[str, str, str]] = []

    def note(what: str, before: object, after: object) -> None:
        if before != after:
            rows.append((what, _short(before), _short(after)))

    note("Pack's fingerprint", first.pack.fingerprint[:12], second.pack.fingerprint[:12])
    note("Prompt", first.pack.prompt, second.pack.prompt)
    note("Scorer", first.pack.scorer, second.pack.scorer)
    note("Kind of server", first.run.backend, second.run.backend)
    note("Engine or server", first.run.backend_version, second.run.backend_version)
    note("Address of the server", first.run.settings.get("endpoint"), second.run.settings.get("endpoint"))
    before, after = ({view.name for view in report.candidates} for report in (first, second))
    if before != after:
        note("Models", ", ".join(sorted(before)), ", ".join(sorted(after)))
    for name in sorted({*first.pack.generation, *second.pack.generation}):
        note(f"Generation: {name}", first.pack.generation.get(name), second.pack.generation.get(name))
    one, other = (RunSettings.from_json(report.run.settings) for report in (first, second))
    for message, setting in _SETTINGS:
        note(message, setting(one), setting(other))
    note("Repetitions", first.repetitions, second.repetitions)
    digests = {view.name: view.record.digest for view in first.candidates}
    for view in second.candidates:
        if view.name in digests:
            note(f"File of {view.name}", digests[view.name], view.record.digest)
    _examples(first, second, rows)
    return tuple(rows)


def _examples(first: ReportData, second: ReportData, rows: list[tuple[str, str, str]]) -> None:
    before = {example.id: example for example in first.examples}
    after = {example.id: example for example in second.examples}
    gone, new = len(before.keys() - after.keys()), len(after.keys() - before.keys())
    if gone or new:
        rows.append(("Examples", f"{len(before)} ({gone} of them gone)", f"{len(after)} ({new} of them new)"))
    for example in sorted(before.keys() & after.keys()):
        if before[example].expected != after[example].expected:
            rows.append(
                (
                    f"Expected value of {example}",
                    _short(before[example].expected),
                    _short(after[example].expected),
                )
            )
        elif before[example].input != after[example].input:
            rows.append((f"Input of {example}", _short(before[example].input), _short(after[example].input)))


def _constrained(report: ReportData) -> bool:
    return bool(report.run.settings.get("constrained"))


def _short(value: object) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, Mapping | list):
        value = value_text(value)
    text = " ".join(value_text(value).split())
    return text if len(text) <= 160 else f"{text[:159]}…"
