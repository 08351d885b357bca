"""What the Models place of the window asks for, done with the services.

Everything here blocks and is called on a lane of the task runner, unless a docstring says that it is cheap.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import psutil

from desktop.application.services import Services
from desktop.foundation.cancel import Cancelled, CancelToken
from desktop.inference.backends.base import GenerationProgress, GenerationRequest, LoadSettings, ModelRef
from desktop.inference.backends.model_references import model_ref
from desktop.inference.machine.bandwidth import measure_bandwidth
from desktop.inference.machine.bandwidth_file import BandwidthFile
from desktop.inference.machine.corrections import Corrections, CorrectionsFile, correct_memory
from desktop.inference.machine.machine import MemoryReading
from desktop.inference.machine.memory_users import MemoryUser, largest_users
from desktop.inference.machine.probe_memory import read_memory
from desktop.inference.memory_fit.estimator import Estimator, card_key
from desktop.inference.memory_fit.fit import FitModel, FitSettings
from desktop.inference.memory_fit.history import History, Measurement
from desktop.inference.memory_fit.speed import token_cost
from desktop.inference.model_files.catalogue import CatalogueModel, load_catalogue
from desktop.inference.model_files.file_card import CardCache, read_card
from desktop.inference.model_files.library import FoundModel, LibrarySource, merge_duplicates
from packs.errors import AppError

log = logging.getLogger(__name__)

_ANSWER_TOKENS = 64


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """One model loaded and asked once. Unknown is None. text: what it answered."""

    text: str
    peak_mib: float | None
    predicted_mib: float
    tokens_per_second: float | None
    load_ms: float | None


class ModelService:
    """May be used from several threads."""

    def __init__(self, services: Services, now: Callable[[], datetime]) -> None:
        self._services = services
        self._now = now
        self._cards: CardCache | None = None

    def estimator(self) -> Estimator:
        """Asks every probe and takes over what runs have taught. Some 50 ms."""
        return self._services.estimator()

    def measure_memory_speed(self, cancel: CancelToken) -> None:
        """Once, and again when the last time was disturbed; the next `estimator` knows it. Up to a second."""
        machine = self._services.machine()
        if machine.bandwidth is not None and not machine.bandwidth.busy:
            return
        reading = measure_bandwidth(machine.processor.threads, raise_if_cancelled=cancel.raise_if_cancelled)
        if reading is not None:
            BandwidthFile(self._services.paths.cache).write(reading)

    def memory(self) -> MemoryReading:
        """Now, with the person's bound. Cheap enough for every other second, on the io lane."""
        return correct_memory(read_memory(), self.corrections())

    def memory_users(self) -> Sequence[MemoryUser]:
        """Other programs that hold much memory, the largest first."""
        return largest_users(own_name=psutil.Process().name())

    def scan(self, on_found: Callable[[FoundModel], None], cancel: CancelToken) -> Sequence[FoundModel]:
        """Every model on this computer. `on_found` is called on the lane's thread."""
        cards = self._services.cards()
        found = self._services.library().scan(
            cards, on_found=on_found, raise_if_cancelled=cancel.raise_if_cancelled
        )
        cards.save()
        self._cards = cards
        return found

    def merge(self, models: Sequence[FoundModel], cancel: CancelToken) -> Sequence[FoundModel]:
        """The same with copies shown once. May read large files."""
        cards = self._cards or self._services.cards()
        return merge_duplicates(models, cards, raise_if_cancelled=cancel.raise_if_cancelled)

    def catalogue(self) -> Sequence[CatalogueModel]:
        """Well-known models. Some 100 ms."""
        return load_catalogue()

    def corrections(self) -> Corrections:
        return CorrectionsFile(self._services.paths.config).read()

    def correct(self, corrections: Corrections) -> None:
        """Raises OSError."""
        CorrectionsFile(self._services.paths.config).write(corrections)

    def sources(self) -> Sequence[LibrarySource]:
        """Where `scan` looks. A network folder may take its time."""
        return self._services.library().sources()

    def add_files(self, files: Sequence[Path]) -> None:
        """Kept in the settings; the files stay where they are. Cheap."""
        settings = self._services.settings()
        kept = settings.current.model_files
        more = tuple(str(file.absolute()) for file in files if str(file.absolute()) not in kept)
        settings.change(model_files=(*kept, *more))

    def add_folder(self, folder: Path) -> None:
        """The same for a folder with everything below it."""
        settings = self._services.settings()
        kept, name = settings.current.model_folders, str(folder.absolute())
        if name not in kept:
            settings.change(model_folders=(*kept, name))

    def forget(self, path: Path) -> None:
        """An added file or folder is not looked into any more; nothing on the disk changes. Cheap."""
        settings = self._services.settings()
        kept = settings.current
        settings.change(
            model_files=tuple(file for file in kept.model_files if Path(file) != path),
            model_folders=tuple(folder for folder in kept.model_folders if Path(folder) != path),
        )

    def try_out(
        self,
        path: Path,
        settings: FitSettings,
        prompt: str,
        on_progress: Callable[[str, str], None],
        cancel: CancelToken,
    ) -> ModelTrial:
        """Load the model once, ask it, measure, unload, and keep what was measured. On the run lane.

        on_progress(what happens now, the new piece of text), on the lane's thread. Raises AppError.
        """
        threads = self._services.machine().processor.threads
        load = LoadSettings(
            context_tokens=settings.context_tokens,
            threads=threads,
            batch_tokens=settings.micro_batch_tokens,
            kv_cache_type=settings.key_type,
            slots=settings.slots,
        )
        trial, engine = asyncio.run(self._try(path, load, prompt, on_progress, cancel))
        return self._keep(path, settings, threads, trial, engine)

    async def _try(
        self,
        path: Path,
        load: LoadSettings,
        prompt: str,
        on_progress: Callable[[str, str], None],
        cancel: CancelToken,
    ) -> tuple[ModelTrial, str]:
        """Raises Cancelled when the person stops it."""
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        backend = self._services.embedded([path])

        def stop() -> None:
            # The loop is gone when Stop comes a moment after the end.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)

        cancel.on_cancel(stop)
        try:
            loaded = await backend.load(_ref(path), load)
            on_progress("reading the prompt…", "")
            started = False

            def watch(progress: GenerationProgress) -> None:
                nonlocal started
                on_progress("" if started else "answering…", progress.text)
                started = started or bool(progress.text)

            request = GenerationRequest(
                prompt, load.context_tokens, max_tokens=_ANSWER_TOKENS, temperature=0.0, seed=1
            )
            answer = await backend.generate(request, watch)
            sample = backend.memory()
        except asyncio.CancelledError:
            if cancel.cancelled:
                raise Cancelled from None
            raise
        finally:
            await backend.unload()
        trial = ModelTrial(
            text=answer.text,
            peak_mib=sample.peak_mib if sample else None,
            predicted_mib=0.0,
            tokens_per_second=answer.timing.tokens_per_second,
            load_ms=loaded.load_ms,
        )
        return trial, loaded.engine

    def _keep(
        self, path: Path, settings: FitSettings, threads: int, trial: ModelTrial, engine: str
    ) -> ModelTrial:
        """Into the history, against the plain prediction; gives the trial with its prediction."""
        card = read_card(path)
        if card.facts is None:
            raise AppError(f"{path.name} has changed meanwhile.", "Look for models again.", code="changed")
        model = FitModel.of(card.facts)
        plain = Estimator(self._services.machine())
        predicted = plain.estimate(model, replace(settings, base_mib=plain.base_mib)).prediction.peak
        cost = token_cost(model, cache_type=settings.key_type)
        at = self._now().isoformat(timespec="seconds")
        measurement = Measurement(
            model=card_key(card),
            name=path.name,
            engine=engine,
            context_tokens=settings.context_tokens,
            slots=settings.slots,
            cache_type=settings.key_type,
            threads=threads,
            predicted_mib=predicted,
            base_mib=plain.base_mib,
            peak_mib=trial.peak_mib,
            tokens_per_second=trial.tokens_per_second,
            layers=cost.layers,
            fast_bytes=cost.fast_bytes,
            slow_bytes=cost.slow_bytes,
            at=at,
            origin=f"trial:{at}:{path.name}",
        )
        try:
            History(self._services.paths.data).add(measurement)
        except (OSError, sqlite3.Error) as error:
            # The person has the answer and the figures all the same.
            log.warning("what was measured could not be kept: %s", error)
        return replace(trial, predicted_mib=predicted)


def _ref(path: Path) -> ModelRef:
    """Raises AppError for a file that answers no prompt."""
    ref = model_ref(path)
    if ref.unsuitable_because:
        raise AppError(ref.unsuitable_because, code="unsuitable")
    return ref
