"""The result of a run in plain words: which model to use, why, and what limits the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from desktop.reports import numbers
from desktop.reports.data import Answer, CandidateView, RunnerUp, Tone
from desktop.runs.records import CandidateStatus, RunRecord
from packs.task.aggregate import Summary

MARGIN = 0.05
"""So much worse than the best a smaller model may be, as a share of the examples."""
FEW_EXAMPLES = 20


@dataclass(frozen=True, slots=True)
class Weighed:
    """The models with their places; pick and best are positions in the run, None without a recommendation."""

    views: tuple[CandidateView, ...]
    pick: CandidateView | None
    best: CandidateView | None


def weigh(run: RunRecord, views: Sequence[CandidateView], summaries: Mapping[int, Summary]) -> Weighed:
    """Smallest footprint among those that are within the margin of the best; nothing at quality 0."""
    judged = [replace(view, why_not=why_not(view, summaries[view.record.index])) for view in views]
    eligible = [view for view in judged if not view.why_not]
    best = max(eligible, key=lambda view: view.quality or 0.0, default=None)
    if best is None or not best.quality:
        return Weighed(tuple(judged), None, best)
    within = [view for view in eligible if (view.quality or 0.0) >= best.quality - MARGIN]
    if all(view.footprint_mib is not None for view in within):
        pick = min(within, key=lambda view: (view.footprint_mib or 0.0, -(view.quality or 0.0)))
    else:
        pick = best
    front = {view.record.index for view in eligible if not any(_dominates(other, view) for other in eligible)}
    weighed = tuple(
        replace(view, recommended=view is pick, on_frontier=view.record.index in front) for view in judged
    )
    return Weighed(weighed, pick, best)


def why_not(view: CandidateView, summary: Summary) -> str:
    """Why a model is not considered; empty when it is (task-pack format, section 17.2)."""
    record = view.record
    if record.status is CandidateStatus.OOM:
        return record.reason.rstrip(".") or "it ran out of memory"
    if record.status in (CandidateStatus.RUNNING, CandidateStatus.WAITING):
        return "its run is not finished"
    if record.status is not CandidateStatus.COMPLETED:
        return record.reason.rstrip(".") or "it did not finish"
    if view.quality is None:
        return "none of its answers could be judged"
    if summary.failed + summary.pending + summary.skipped > summary.units / 10:
        missing = summary.failed + summary.pending + summary.skipped
        return f"{missing} of its {summary.units} answers never came about"
    return ""


def _dominates(one: CandidateView, other: CandidateView) -> bool:
    pairs = (
        (one.quality, other.quality),
        (_negative(one.record.peak_mib), _negative(other.record.peak_mib)),
        (_median(one), _median(other)),
    )
    axes = [0.0 if mine is None or theirs is None else mine - theirs for mine, theirs in pairs]
    return all(axis >= 0 for axis in axes) and any(axis > 0 for axis in axes)


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _median(view: CandidateView) -> float | None:
    return view.tokens_per_second.median if view.tokens_per_second else None


def answer_for(run: RunRecord, weighed: Weighed) -> Answer:
    """The sentence that stands first."""
    views, pick, best = weighed.views, weighed.pick, weighed.best
    limits = [f"{view.name} is not ranked: {view.why_not}." for view in views if view.why_not]
    judged = max((view.judged for view in views), default=0)
    if 0 < judged < FEW_EXAMPLES:
        limits.append(
            f"{numbers.count(judged, 'example')} are few: with fewer than {FEW_EXAMPLES} much is chance."
        )
    if pick is None or best is None:
        return _no_answer(views, best, tuple(limits))
    headline = f"Use {_named(pick)}: {pick.right} of {pick.judged} right"
    headline += f"; the best had {best.right}." if best is not pick else "."
    reason = ""
    if best is not pick:
        reason = _cost(pick, best)
    elif len([view for view in views if not view.why_not]) > 1:
        reason = "No smaller model comes within 5 points of it." if len(views) > 1 else ""
    return Answer(headline, reason, tuple(limits), Tone.ACCENT, _runners_up(weighed))


def _named(view: CandidateView) -> str:
    quantization = view.record.quantization
    return f"{view.name} {quantization}" if quantization and quantization not in view.name else view.name


def _cost(pick: CandidateView, best: CandidateView) -> str:
    saved = (best.footprint_mib or 0.0) - (pick.footprint_mib or 0.0)
    needs = f"It needs {numbers.gibibytes(saved)} less than {best.name}"
    gap = (best.quality or 0.0) - (pick.quality or 0.0)
    return f"{needs} and scores {numbers.rounded(gap * 100, 1)} points lower on these examples."


def _no_answer(views: Sequence[CandidateView], best: CandidateView | None, limits: tuple[str, ...]) -> Answer:
    if not views:
        return Answer("No model was run.", "", limits, Tone.WARN)
    if best is None:
        return Answer("No model can be recommended: none finished with answers.", "", limits, Tone.BAD)
    return Answer(
        f"No model can be recommended: {best.name}, the best of them, got {best.right} of {best.judged} right.",
        "A score of 0 recommends nothing. What the answers look like is listed below.",
        limits,
        Tone.WARN,
    )


def _runners_up(weighed: Weighed) -> tuple[RunnerUp, ...]:
    pick, best = weighed.pick, weighed.best
    if pick is None or best is None:
        return ()
    others = sorted(
        (view for view in weighed.views if not view.recommended and not view.why_not),
        key=lambda view: -(view.quality or 0.0),
    )
    return tuple(RunnerUp(view.name, _why_other(view, pick, best)) for view in others)


def _why_other(view: CandidateView, pick: CandidateView, best: CandidateView) -> str:
    gap = (best.quality or 0.0) - (view.quality or 0.0)
    if gap > MARGIN:
        return f"{numbers.rounded(gap * 100, 1)} points below the best."
    if view.footprint_mib is not None and pick.footprint_mib is not None:
        more = numbers.gibibytes(view.footprint_mib - pick.footprint_mib)
        return f"{view.right} of {view.judged} right, but {more} more memory."
    return f"{view.right} of {view.judged} right."
