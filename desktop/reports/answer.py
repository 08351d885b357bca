"""The result of a run in plain words: which model to use, why, and what limits the answer.

The decision itself is `packs.task.recommend`; here it is asked and laid out for reading.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from desktop.reports.data import AnswerTone, CandidateView, RunAnswer, RunnerUp
from desktop.runs.records import CandidateStatus, RunRecord, RunStatus
from packs.errors import AppError
from packs.task.aggregate import Summary
from packs.task.outcome import CauseKind
from packs.task.recommend import DEFAULT_CONFIDENCE, DEFAULT_MARGIN, recommend
from packs.task.recommendation import Candidate, Recommendation, Rule

if TYPE_CHECKING:
    from packs.task.model import Example

_FLOOR_BY_SCORING = 60
"""Up to so many examples each expected value is tried as an answer to all; beyond that it takes seconds."""


@dataclass(frozen=True, slots=True)
class RecommendationOptions:
    """How the recommendation is made. tolerance: for the format's rule; margin and sureness for ours.

    margin, sureness: None for what the pack asks for, else 0.05 and 0.8.
    """

    rule: Rule = Rule.PAIRED
    tolerance: float = 0.02
    margin: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Weighed:
    """The models with their places, and the decision."""

    views: tuple[CandidateView, ...]
    decision: Recommendation


def weigh(
    run: RunRecord,
    views: Sequence[CandidateView],
    summaries: Mapping[int, Summary],
    examples: Sequence[Example],
    choice: RecommendationOptions,
) -> Weighed:
    """The recommendation for a run. Equal answers always give equal words: its chance has a fixed seed."""
    floor, floor_text = _floor(run, examples)
    margin, confidence = _requests(run, choice)
    decision = recommend(
        [_candidate(view, summaries[view.record.index]) for view in views],
        rule=choice.rule,
        tolerance=choice.tolerance,
        margin=margin,
        confidence=confidence,
        floor=floor,
        floor_text=floor_text,
        groups=_groups(run),
    )
    reasons = {entry.name: entry.message for entry in decision.excluded}
    placed = tuple(
        replace(
            view,
            recommended=view.name == decision.pick,
            on_frontier=view.name in decision.frontier and view.name not in reasons,
            why_not=_why_not(run, view, reasons.get(view.name, "")),
        )
        for view in views
    )
    return Weighed(placed, decision)


def _candidate(view: CandidateView, summary: Summary) -> Candidate:
    record = view.record
    status = record.status.value
    if record.status in (CandidateStatus.RUNNING, CandidateStatus.WAITING):
        status = "running"
    return Candidate(
        view.name,
        status,
        summary.quality,
        summary.gates_passed,
        summary.gate_failures,
        record.peak_mib,
        view.weights_mib if view.weights_mib is not None else 0.0,
        summary.tokens_per_second.median if summary.tokens_per_second else None,
        summary.example_scores,
        summary.example_passes,
        summary.units,
        summary.pending
        + summary.count_of(CauseKind.NOT_THE_MODEL)
        + summary.count_of(CauseKind.DID_NOT_HAPPEN),
    )


def _requests(run: RunRecord, choice: RecommendationOptions) -> tuple[float, float]:
    """Margin and sureness: as asked for now, else as the pack asks, else the program's own."""
    asked = run.pack_snapshot.get("recommendation")
    requests = asked if isinstance(asked, Mapping) else {}

    def first(now: float | None, name: str, default: float) -> float:
        pack = requests.get(name)
        return now if now is not None else float(pack) if isinstance(pack, int | float) else default

    return first(choice.margin, "margin", DEFAULT_MARGIN), first(
        choice.confidence, "sureness", DEFAULT_CONFIDENCE
    )


def _floor(run: RunRecord, examples: Sequence[Example]) -> tuple[float | None, str]:
    """What always giving the same answer would reach: the least a model must beat. None: nothing is known."""
    if len(examples) < 2:
        return None, ""
    if len(examples) <= _FLOOR_BY_SCORING:
        try:
            return _scored_floor(run)
        except AppError:
            return None, ""
    # Imported late: the window starts without any scorer.
    from packs.task.scorers import ExpectedShape, scorer_named

    scorer = scorer_named(run.scorer)
    if scorer is None or scorer.shape not in (ExpectedShape.LABEL, ExpectedShape.NUMBER):
        return None, ""
    counts = Counter(json.dumps(example.expected, sort_keys=True) for example in examples)
    common, times = counts.most_common(1)[0]
    return times / len(examples), f"always answering '{json.loads(common)}'"


def _groups(run: RunRecord) -> dict[str, str]:
    """Which examples repeat another one. A snapshot that cannot be read names none."""
    from packs.task.model import Example
    from packs.task.near_copies import groups_of

    stored = run.pack_snapshot.get("examples")
    try:
        return groups_of([Example.from_json(entry) for entry in stored] if isinstance(stored, list) else [])
    except (KeyError, TypeError, AttributeError):
        return {}


def _scored_floor(run: RunRecord) -> tuple[float | None, str]:
    from packs.task.floor import floor_of
    from packs.task.model import TaskPack

    pack = TaskPack.from_snapshot(run.pack_snapshot)
    found = floor_of(pack.scoring, pack.examples)
    return (None, "") if found is None else (found.quality, found.message)


def _why_not(run: RunRecord, view: CandidateView, message: str) -> str:
    """What the run itself said about its end tells more than the rule's 'did not complete'."""
    record = view.record
    if run.status is RunStatus.RUNNING and record.status in (CandidateStatus.RUNNING, CandidateStatus.WAITING):
        return "still being run" if record.status is CandidateStatus.RUNNING else "not run yet"
    ended_badly = record.status in (CandidateStatus.FAILED, CandidateStatus.OOM, CandidateStatus.SKIPPED)
    if message and ended_badly and record.reason:
        return _without_name(record.reason, view.name)
    return _without_name(message, view.name)


def _without_name(message: str, name: str) -> str:
    """'brook-2b ran out of memory.' -> 'ran out of memory', to stand beside the name."""
    return message.removeprefix(name).removeprefix(":").strip().rstrip(".")


def answer_for(run: RunRecord, weighed: Weighed) -> RunAnswer:
    """The sentence that stands first, and everything below it."""
    decision = weighed.decision
    headline, reason = _first_sentence(decision.sentence)
    if run.status is RunStatus.RUNNING:
        headline, reason = "This run is still going on.", decision.sentence if decision.pick else ""
    limits = list(decision.warnings)
    if decision.pick is not None:
        limits += [f"{view.name} is not ranked: {view.why_not}." for view in weighed.views if view.why_not]
    runners = decision.runners_up if decision.pick is not None else decision.nearest
    # A view tells why its model ended in the run's own words; the rule only knows that it did.
    own_text = {view.name: view.why_not for view in weighed.views if view.why_not}
    return RunAnswer(
        headline,
        reason,
        tuple(limits),
        _tone(decision),
        tuple(
            RunnerUp(
                entry.name, _sentence(own_text.get(entry.name) or _without_name(entry.message, entry.name))
            )
            for entry in runners
        ),
        decision.reasons,
    )


def _tone(decision: Recommendation) -> AnswerTone:
    if decision.pick is not None:
        return AnswerTone.ACCENT
    return AnswerTone.BAD if decision.none_because == "none_eligible" else AnswerTone.WARN


def _first_sentence(text: str) -> tuple[str, str]:
    """A full stop before a blank and a capital ends a sentence; one within a number does not."""
    parts = re.split(r"(?<=[.]) (?=[A-Z])", text, maxsplit=1)
    return parts[0], parts[1] if len(parts) > 1 else ""


def _sentence(message: str) -> str:
    return f"{message[:1].upper()}{message[1:]}." if message else ""
