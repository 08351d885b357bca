"""Files dragged anywhere over the window: what a drop would do is shown first, then it is done."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from desktop.gui.shell.opening import Opener
from desktop.gui.theme import Theme
from desktop.gui.widgets.drop_area import DropLine, DropOverlay, accept_as_copy, local_paths


class WindowDrop(QObject):
    """Takes the drag events of `window`; dropped paths go to the opener."""

    def __init__(self, theme: Theme, opener: Opener, window: QWidget) -> None:
        super().__init__(window)
        self._opener = opener
        self.overlay = DropOverlay(theme, window)
        opener.explained.connect(self._explained)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent):
            return self._enter(event)
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            self._end()
            paths = local_paths(event.mimeData())
            if paths:
                accept_as_copy(event)
                self._opener.open_paths(paths)
            return True
        if isinstance(event, QDragMoveEvent):
            if local_paths(event.mimeData()):
                accept_as_copy(event)
            return True
        if event.type() is QEvent.Type.DragLeave:
            self._end()
            return True
        if event.type() is QEvent.Type.Resize and isinstance(watched, QWidget):
            self.overlay.setGeometry(watched.rect())
        return False

    def _enter(self, event: QDragEnterEvent) -> bool:
        paths = local_paths(event.mimeData())
        if paths:
            accept_as_copy(event)
            self._opener.explain(paths)
        return bool(paths)

    def _end(self) -> None:
        self._opener.stop_explaining()
        self.overlay.hide()

    @Slot(list)
    def _explained(self, lines: list[DropLine]) -> None:
        self.overlay.show_lines(lines)
