"""What the drafting assistant needs of the program, so that tests can give it a scripted one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from desktop.foundation.cancel import CancelToken

if TYPE_CHECKING:
    from desktop.application.draft_pack import Drafters
    from desktop.ingest.documents.model import DocumentText
    from desktop.ingest.drafting.model import DraftEvent
    from desktop.ingest.drafting.service import DraftedFolder


class DraftDesk(Protocol):
    """Called off the GUI thread; everything may block and raise AppError."""

    def read(self, file: Path) -> DocumentText: ...

    def drafters(self) -> Drafters: ...

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
