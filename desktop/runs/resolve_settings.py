"""What was asked for, made definite before anything runs: refused where it cannot be, told where it matters."""

from __future__ import annotations

from dataclasses import replace

from desktop.inference.backends.table import find_record
from desktop.runs.settings import RunSettings
from desktop.runs.work import Work
from packs.errors import AppError
from packs.task.scorers import DEFAULT_GATE


def settled(settings: RunSettings, work: Work, backend: str) -> RunSettings:
    """The settings as they are journalled. Raises AppError for what this pack or backend cannot do.

    Answers are constrained when the run or the pack asks for it.
    """
    record = find_record(backend)
    if settings.parallel > 1 and record is not None and record.one_at_a_time:
        raise AppError(
            "The built-in engine answers one question at a time; several at once would take longer.",
            "Leave out --parallel, or use a server that batches.",
            code="bad_parallel",
        )
    constrained = settings.constrained or work.wants_constrained
    if constrained and work.constraint() is None:
        raise AppError(
            f"Answers cannot be limited for this pack: the scorer {work.scorer} has no form of its own.",
            f"Run it with free answers, or give the pack a {DEFAULT_GATE.name} gate.",
            code="bad_constrained",
        )
    return replace(settings, constrained=constrained)


def reported_beforehand(settings: RunSettings) -> tuple[str, ...]:
    """Sentences that every report of such a run repeats."""
    notices = []
    if settings.parallel > 1:
        notices.append(
            f"{settings.parallel} answers were asked for at once: speed, first-token times and memory are those"
            " of the server under this load, not of one answer."
        )
    if settings.constrained:
        notices.append(
            "Answers were limited to the form that the scorer reads: compare them with other such runs only."
        )
    return tuple(notices)
