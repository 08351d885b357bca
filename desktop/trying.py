"""One model asked a few examples of a pack at once, outside of any run: nothing is journalled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.backends.base import GenerationProgress, GenerationRequest, LoadSettings, ModelRef
from desktop.cancel import Cancelled, CancelToken
from desktop.hardware.probe_processor import default_threads
from desktop.runs.task_work import TaskWork
from packs.task.outcome import Outcome
from packs.task.trial import Trial

if TYPE_CHECKING:
    from desktop.services import Services


@dataclass(frozen=True, slots=True)
class TriedAnswer:
    """outcome: None where the expected value is not known. prompt_tokens: counted by the engine."""

    example: str
    text: str
    reasoning: str
    outcome: Outcome | None
    prompt_tokens: int | None
    wall_ms: float


OnAnswer = Callable[[TriedAnswer], None]


def models_to_try(services: Services) -> list[ModelRef]:
    """Models that the embedded engine can run here. Blocks. Raises AppError."""
    files = [file for file in map(Path, services.settings().current.model_files) if file.is_file()]
    models = asyncio.run(services.embedded(files).list_models())
    return [model for model in models if not model.unsuitable_because and model.path is not None]


def try_examples(
    trial: Trial, model: ModelRef, services: Services, on_answer: OnAnswer, cancel: CancelToken
) -> int:
    """Ask the examples one after the other; returns how many were answered.

    Blocks; for the run lane, since two models at once spoil each other. Raises AppError, Cancelled.
    """

    async def work() -> int:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def end() -> None:
            loop.call_soon_threadsafe(task.cancel)

        cancel.on_cancel(end)
        backend = services.embedded([model.path] if model.path is not None else [])
        asked = TaskWork(trial.pack)
        sampling = asked.sampling
        constraint = (
            asked.constraint() if asked.wants_constrained and backend.capabilities.constraints else None
        )
        done = 0
        try:
            await backend.load(model, LoadSettings(sampling.context_tokens, default_threads()))
            for example in asked.example_ids:
                request = GenerationRequest(
                    asked.prompt(example),
                    sampling.context_tokens,
                    sampling.max_tokens,
                    sampling.temperature,
                    sampling.seed,
                    constraint,
                    stop=sampling.stop,
                )
                found = await backend.generate(request, _quiet)
                known = example not in trial.unknown
                timing = found.timing
                on_answer(
                    TriedAnswer(
                        example,
                        found.text,
                        found.reasoning,
                        asked.judge(example, found) if known else None,
                        timing.prompt_tokens,
                        timing.wall_ms,
                    )
                )
                done += 1
        finally:
            await backend.unload()
        return done

    try:
        return asyncio.run(work())
    except asyncio.CancelledError:
        raise Cancelled from None


def _quiet(_progress: GenerationProgress) -> None:
    """The answers are short; they are shown when they are whole."""
