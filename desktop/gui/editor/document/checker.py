"""Checks the document while it is edited: off the GUI thread, and only the newest result counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.application.model_wording import needed_context
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.editor.document.document import PackDocument
from packs.documents.problems import Problem, Severity
from packs.task.loader import load_pack_from_files

PAUSE_MS = 250
"""After the last change, so that a check does not begin at every letter."""


@dataclass(frozen=True, slots=True)
class _Found:
    problems: tuple[Problem, ...]
    context_tokens: int | None
    needed_tokens: int | None


class Checker(QObject):
    """`problems` is what the newest finished check found; `is_current` tells whether anything changed since.

    The tokens are those that `OpenedPack` has; None while there is an error.
    """

    checked = Signal()

    def __init__(self, document: PackDocument, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._tasks = tasks
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self.check)
        self.version = 0
        self._running: CancelToken | None = None
        self.problems: tuple[Problem, ...] = ()
        self.context_tokens: int | None = None
        self.needed_tokens: int | None = None
        self.is_current = False
        document.changed.connect(self._changed)

    @property
    def errors(self) -> int:
        return sum(problem.severity is Severity.ERROR for problem in self.problems)

    @Slot()
    def check(self) -> None:
        """Now, whatever the timer says. While one check is at work the next waits for its end."""
        self._timer.stop()
        if self._running is not None:
            return
        document = self._document
        files, folder, removed = dict(document.content.files), document.folder, document.removed

        def look(_cancel: CancelToken) -> _Found:
            loaded = load_pack_from_files(files, folder, removed)
            pack = loaded.pack
            if pack is None:
                return _Found(loaded.problems, None, None)
            return _Found(loaded.problems, pack.generation.context, needed_context(pack))

        version = self.version
        self._running = self._tasks.start(look, partial(self._done, version), self._failed)

    def stop(self) -> None:
        """The document is closed: nothing is told any more."""
        self._timer.stop()
        self._document.changed.disconnect(self._changed)
        if self._running is not None:
            self._running.cancel()

    @Slot(object)
    def _changed(self) -> None:
        self.version += 1
        self.is_current = False
        self._timer.start()

    def _done(self, version: int, found: _Found) -> None:
        self._running = None
        if version != self.version:
            self._timer.start()
            return
        self.problems = found.problems
        self.context_tokens, self.needed_tokens = found.context_tokens, found.needed_tokens
        self.is_current = True
        self.checked.emit()

    def _failed(self, error: Exception) -> None:
        self._running = None
        raise error
