"""A drafting desk with a scripted model: reading and drafting are real, only the answers are made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop.application.draft_pack import Drafters, draft
from desktop.foundation.cancel import CancelToken
from desktop.inference.backends.base import LoadSettings
from desktop.ingest.documents import read_document
from desktop.ingest.documents.model import DocumentText
from desktop.ingest.drafting.choice import DraftingCandidate
from desktop.ingest.drafting.model import DraftEvent
from desktop.ingest.drafting.service import DraftedFolder, DraftingModel
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel


class ScriptedDraftDesk:
    """Real reading and drafting over a fake backend with two models."""

    def __init__(self, answers: Callable[[str, int], Answer | str]) -> None:
        self.models = [FakeModel("small", answers, size_bytes=1), FakeModel("large", answers, size_bytes=2)]

    def read(self, file: Path) -> DocumentText:
        return read_document(file)

    def drafters(self) -> Drafters:
        backend = FakeBackend(self.models)
        return Drafters(backend, tuple(DraftingCandidate(model.ref(), True) for model in self.models), True)

    def draft(
        self,
        document: DocumentText,
        drafters: Drafters,
        model: str,
        target: Path,
        on_event: Callable[[DraftEvent], None],
        *,
        cancel: CancelToken,
        stop_asked: Callable[[], bool],
        wanted: int,
    ) -> DraftedFolder:
        chosen = DraftingModel(drafters.backend, drafters.choose(model).model, LoadSettings(2048, 1))
        return draft(document, chosen, target, on_event, cancel=cancel, stop_asked=stop_asked, wanted=wanted)
