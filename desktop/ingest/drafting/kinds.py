"""The kinds of task that a draft may become: those that a scorer has a job for."""

from __future__ import annotations

from packs.task.scorers import SCORERS, Scorer
from packs.task.scorers.jobs import DraftingJob


def drafting_jobs() -> dict[str, DraftingJob]:
    """By the scorer's name."""
    return {scorer.name: scorer.job for scorer in SCORERS if scorer.job is not None}


def job_of(name: str) -> DraftingJob | None:
    """By the word the model chose or by the scorer's name; None for any other."""
    return next((job for scorer, job in drafting_jobs().items() if name in (job.name, scorer)), None)


def scorer_of(job: DraftingJob) -> type[Scorer]:
    return next(scorer for scorer in SCORERS if scorer.job is job)
