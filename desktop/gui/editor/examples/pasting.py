"""Rows of a spreadsheet become examples: a few at once, many in turns that never hold up the window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.application.example_rows import RowReader, row_of
from desktop.foundation.cycle_search import CycleSearch
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.example_edits import each_pasted, pasted_files
from packs.task.content import PackContent

AT_ONCE = 200
"""So many lines are read at once."""
_TURN_S = 0.008
_PIECE = 50
"""Rows between two looks at the clock."""


class Pasting(QObject):
    """`start` reads rows; `ready` comes with the new files, at once for a few rows.

    What is edited meanwhile counts: the files get the names that are free in the end. Undo meanwhile drops the
    rows, so that nothing is put on top of the step that was taken back.
    """

    ready = Signal(object)
    """dict of bytes by file, to be made one step."""
    ended = Signal()
    """Nothing is read any more; also after `ready`."""

    def __init__(self, document: PackDocument, reader: RowReader, parent: QObject) -> None:
        """reader: learns the rows before they are shown."""
        super().__init__(parent)
        self._document = document
        self._reader = reader
        self._text = ""
        self._left: Iterator[tuple[str, bytes]] = iter(())
        self._files: dict[str, bytes | None] = {}
        self._read: list[PackContent] = []
        self._index = 0
        self._edited = False
        self._while_reading = ExitStack()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._turn)

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    def start(self, text: str) -> None:
        """What is still being read from an earlier text is finished first."""
        while self.is_running:
            self._turn()
        content = self._document.content
        if text.count("\n") <= AT_ONCE:
            self.ready.emit(pasted_files(content, text))
            self.ended.emit()
            return
        self._hand_over()
        self._text, self._left, self._edited = text, each_pasted(content, text), False
        self._index = self._document.undo.index()
        self._while_reading.enter_context(CycleSearch.paused(keep=True))
        self._document.changed.connect(self._changed)
        self._document.undo.indexChanged.connect(self._stepped)
        self._timer.start()

    @Slot()
    def stop(self) -> None:
        """Drop what was read."""
        if self.is_running:
            self._end()
            self._hand_over()
            self.ended.emit()

    @Slot()
    def _turn(self) -> None:
        until = perf_counter() + _TURN_S
        has_read = False
        while perf_counter() < until:
            piece = dict(islice(self._left, _PIECE))
            if not piece:
                # The step has a turn of its own.
                if not has_read:
                    self._finish()
                return
            has_read = True
            content = PackContent(piece)
            self._reader.learn(content, [row_of(content, file) for file in piece])
            self._read.append(content)
            self._files.update(piece)

    def _finish(self) -> None:
        files = self._files
        if self._edited:
            files = pasted_files(self._document.content, self._text)
        self._end()
        self.ready.emit(files)
        self.ended.emit()
        QTimer.singleShot(0, self._hand_over)

    def _end(self) -> None:
        self._timer.stop()
        self._document.changed.disconnect(self._changed)
        self._document.undo.indexChanged.disconnect(self._stepped)
        self._text, self._left, self._files = "", iter(()), {}

    @Slot()
    def _hand_over(self) -> None:
        """What was read of the files is not read again; then Python may look for cycles as usual."""
        if not self.is_running:
            read, self._read = self._read, []
            for piece in read:
                self._document.content.take_parsed(piece)
            self._while_reading.close()

    @Slot(object)
    def _changed(self) -> None:
        self._edited = True

    @Slot(int)
    def _stepped(self, index: int) -> None:
        if index < self._index:
            self.stop()
        self._index = index
