"""Drafting a pack with a model of this computer: which one, and the draft itself.

What the command and the window both need, so that both do the same.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.foundation.cancel import CancelToken
from desktop.inference.backends.base import Backend, LoadSettings, ModelRef
from desktop.inference.backends.model_references import find_by_name
from desktop.inference.backends.source import BUILT_IN
from desktop.inference.machine.probe_processor import default_threads
from desktop.ingest.documents.model import DocumentText
from desktop.ingest.drafting.choice import DraftingCandidate, DraftingChoice, choose_drafter
from desktop.ingest.drafting.model import OnDraftEvent
from desktop.ingest.drafting.service import MAX_CONTEXT, DraftedFolder, DraftingModel, draft_to_folder

if TYPE_CHECKING:
    from desktop.application.services import Services


@dataclass(frozen=True, slots=True)
class Drafters:
    """Every model that could draft, and whether free memory is known. backend: the one that has them."""

    backend: Backend
    candidates: tuple[DraftingCandidate, ...]
    memory_known: bool

    @property
    def models(self) -> Sequence[ModelRef]:
        return [entry.model for entry in self.candidates]

    def choose(self, named: str | None = None) -> DraftingChoice:
        """named: a model's name, or the path of its file. Raises AppError when there is none."""
        if named is not None:
            by_name = find_by_name(list(self.models), named)
            path = Path(named).expanduser().absolute()
            by_path = next((model for model in self.models if model.path == path), None)
            found = by_name or by_path
            named = found.name if found is not None else named
        return choose_drafter(self.candidates, named=named, memory_known=self.memory_known)


def find_drafters(
    services: Services, backend: str = BUILT_IN.kind, endpoint: str | None = None, *, named: str | None = None
) -> Drafters:
    """Lists the models and judges their fit at the drafting context. Blocks; raises AppError."""
    from desktop.application.candidate_fit import assessor

    files = [Path(named).expanduser()] if named and named.lower().endswith(".gguf") else []
    chosen = services.backend(backend, endpoint, more_files=files)
    estimator = services.estimator(services.machine())
    assess = assessor(estimator)
    candidates = []
    for model in asyncio.run(chosen.list_models()):
        found = assess(model, MAX_CONTEXT)
        if found.unsuitable or model.unsuitable_because:
            continue
        candidates.append(DraftingCandidate(model, {"fits": True, "does-not-fit": False}.get(found.verdict)))
    return Drafters(chosen, tuple(candidates), estimator.budget is not None)


def drafting_model(drafters: Drafters, model: ModelRef) -> DraftingModel:
    """With the settings to load it: the format's context, less where the model was trained with less."""
    trained = _trained_context(model.path)
    tokens = min(MAX_CONTEXT, trained) if trained else MAX_CONTEXT
    return DraftingModel(drafters.backend, model, LoadSettings(tokens, default_threads()))


def draft(
    document: DocumentText,
    drafting: DraftingModel,
    target: Path,
    on_event: OnDraftEvent,
    *,
    cancel: CancelToken,
    stop_asked: Callable[[], bool],
    scorer: str | None = None,
    wanted: int = 24,
) -> DraftedFolder:
    """Blocks until the draft is on disk. Cancelling while `stop_asked` says yes keeps what is there at once.

    Raises AppError when nothing was asked yet (occupied folder, model not to be loaded).
    """

    async def work() -> DraftedFolder:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()

        def end() -> None:
            # A wish that comes after the work has ended finds the loop closed.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)

        cancel.on_cancel(end)
        return await draft_to_folder(
            document, drafting, target, on_event, scorer=scorer, wanted=wanted, stop_asked=stop_asked
        )

    return asyncio.run(work())


def _trained_context(path: Path | None) -> int | None:
    from desktop.inference.model_files.file_card import read_card

    if path is None:
        return None
    facts = read_card(path).facts
    return facts.trained_context if facts else None
