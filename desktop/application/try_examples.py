"""One model asked a few examples of a pack at once, outside of any run: nothing is journalled."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.foundation.cancel import Cancelled, CancelToken
from desktop.inference.backends.base import (
    Backend,
    BackendFault,
    FaultKind,
    GenerationProgress,
    LoadSettings,
    ModelRef,
)
from desktop.inference.backends.source import BUILT_IN, ModelSource
from desktop.inference.machine.probe_processor import default_threads
from desktop.runs.addresses import refuse_keys_in
from desktop.runs.candidate_run import PRIME_ATTEMPTS
from desktop.runs.task_work import TaskWork
from desktop.runs.work import request_of
from packs.errors import AppError
from packs.task.outcome import Outcome
from packs.task.trial import ExampleTrial

if TYPE_CHECKING:
    from desktop.application.services import Services
    from desktop.inference.backends.local_servers import UsualServer

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TriedAnswer:
    """outcome: None where the expected value is not known. prompt_tokens: counted by the engine."""

    example: str
    text: str
    reasoning: str
    outcome: Outcome | None
    prompt_tokens: int | None
    wall_ms: float


@dataclass(frozen=True, slots=True)
class TryModel:
    """A model that can be asked, and where it is.

    server: how its place is called; empty: the built-in engine.
    """

    model: ModelRef
    source: ModelSource = BUILT_IN
    server: str = ""

    @property
    def message(self) -> str:
        """'qwen3:4b · Ollama'."""
        return f"{self.model.name} · {self.server}" if self.server else self.model.name

    @property
    def sent_to(self) -> str:
        """The other computer that examples are sent to; empty when all stays here."""
        if self.source.host:
            return self.source.host
        return f"the computer that runs {self.model.name}" if self.model.remote else ""


OnAnswer = Callable[[TriedAnswer], None]


def models_to_try(services: Services) -> list[TryModel]:
    """Models that the embedded engine can run here. Blocks. Raises AppError."""
    files = [file for file in map(Path, services.settings().current.model_files) if file.is_file()]
    models = asyncio.run(services.embedded(files).list_models())
    return [TryModel(model) for model in models if not model.unsuitable_because and model.path is not None]


def servers_to_try(
    services: Services, last: ModelSource | None = None, usual: Sequence[UsualServer] | None = None
) -> list[TryModel]:
    """Models of the servers on this computer that answer at their usual addresses, and of `last`.

    last: where the pack ran before; passed over when it is another computer, since nothing has been allowed
    yet. Models that a server here has run elsewhere are left out. usual: None for the addresses that servers
    have by default. Blocks up to some 2 s; never raises.
    """
    from desktop.inference.backends.local_servers import find_local_servers, usual_servers

    found = [
        TryModel(model, ModelSource(server.place.backend, server.place.url), server.place.message)
        for server in asyncio.run(find_local_servers(usual_servers() if usual is None else usual))
        for model in server.models
    ]
    if last is not None and not last.built_in and not last.host:
        here = ModelSource(last.kind, last.endpoint)
        try:
            found += models_of(services, here)
        except BackendFault as fault:
            log.info("the server of the last run does not answer: %s", fault.kind)
    known: dict[tuple[str, str], TryModel] = {}
    for entry in found:
        if not entry.model.remote and not entry.model.unsuitable_because:
            known.setdefault((_address(entry.source), entry.model.name), entry)
    return list(known.values())


def models_of(services: Services, source: ModelSource) -> list[TryModel]:
    """Models of one engine or server that can be asked. Blocks. Raises AppError, also for another computer
    that `source` does not allow."""
    if source.built_in:
        return models_to_try(services)
    refuse_keys_in(source.endpoint)
    backend = services.backend(source.kind, source.endpoint, remote_allowed=source.remote_allowed)
    return [
        TryModel(model, source, source.message)
        for model in asyncio.run(backend.list_models())
        if not model.unsuitable_because and (source.remote_allowed or not model.remote)
    ]


def _address(source: ModelSource) -> str:
    """The same for the same server, however its address is spelled."""
    return (source.address or source.kind).rstrip("/").replace("//localhost", "//127.0.0.1")


def try_examples(
    trial: ExampleTrial, asked: TryModel, services: Services, on_answer: OnAnswer, cancel: CancelToken
) -> int:
    """Ask the examples one after the other; returns how many were answered.

    Blocks; for the run lane, since two models at once spoil each other. Raises AppError, Cancelled.
    """
    model, source = asked.model, asked.source
    if model.remote and not source.remote_allowed:
        raise AppError(
            f"{model.name} runs on another computer, and that is not allowed.",
            "Allow it, or choose a model of this computer.",
            code="remote_not_allowed",
        )
    more_files = [model.path] if model.path is not None else []

    async def ask() -> int:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def end() -> None:
            loop.call_soon_threadsafe(task.cancel)

        cancel.on_cancel(end)
        backend = services.backend(
            source.kind, source.endpoint, more_files=more_files, remote_allowed=source.remote_allowed
        )
        work = TaskWork(trial.pack)
        whole = trial.whole()
        as_run = work if whole is None else TaskWork(whole)
        sampling = work.sampling
        done = 0
        try:
            await backend.load(model, LoadSettings(sampling.context_tokens, default_threads()))
            # What a server can do is known once its model is ready.
            held = work.wants_constrained and backend.capabilities.constraints
            constraint = as_run.constraint() if held else None
            reuse = await _starts_from_prefix(backend, [as_run.prompt(each) for each in as_run.example_ids])
            for example in work.example_ids:
                request = request_of(work, example, constraint, reuse=reuse)
                found = await backend.generate(request, _quiet)
                known = example not in trial.unknown
                timing = found.timing
                on_answer(
                    TriedAnswer(
                        example,
                        found.text,
                        found.reasoning,
                        work.judge(example, found) if known else None,
                        timing.prompt_tokens,
                        timing.wall_ms,
                    )
                )
                done += 1
        finally:
            await backend.unload()
        return done

    try:
        return asyncio.run(ask())
    except asyncio.CancelledError:
        raise Cancelled from None


async def _starts_from_prefix(backend: Backend, prompts: Sequence[str]) -> bool:
    """As in a run: what all prompts of the pack share is read once, since an answer may depend on that."""
    if not backend.capabilities.prefix_reuse:
        return False
    for _attempt in range(PRIME_ATTEMPTS):
        try:
            return await backend.prime(prompts) is not None
        except BackendFault as fault:
            if fault.kind is FaultKind.OUT_OF_MEMORY:
                raise
    return False


def _quiet(_progress: GenerationProgress) -> None:
    """The answers are short; they are shown when they are whole."""
