"""The drafting assistant's side of the program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop.application.draft_pack import Drafters, draft, drafting_model, find_drafters
from desktop.application.services import Services
from desktop.foundation.cancel import CancelToken
from desktop.ingest.documents import read_document
from desktop.ingest.documents.model import DocumentText
from desktop.ingest.drafting.model import DraftEvent
from desktop.ingest.drafting.service import DraftedFolder


class DraftService:
    """Called off the GUI thread; everything may block and raise AppError."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def read(self, file: Path) -> DocumentText:
        return read_document(file)

    def drafters(self) -> Drafters:
        return find_drafters(self._services)

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
        """model: a name of `drafters`."""
        drafting = drafting_model(drafters, drafters.choose(model).model)
        return draft(document, drafting, target, on_event, cancel=cancel, stop_asked=stop_asked, wanted=wanted)
