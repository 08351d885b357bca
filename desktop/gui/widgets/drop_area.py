"""The large area of Start that takes files, and the overlay that says what a drop would do.

area = DropArea(theme, "Drop a file or a folder here", "a pack (folder or zip) · a model (GGUF)")
area.add_button(Button(theme, "&Open a pack…", icon="folder", primary=True))
area.dropped.connect(self._open)                # list[str] of local paths

overlay = DropOverlay(theme, window)            # the window itself takes the events
overlay.show_lines([DropLine("notes.docx", "Drafts a pack from it")])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.flow import FlowLayout, wraps
from desktop.gui.widgets.label import TextLabel

MAX_PATHS = 200
"""More files than this in one drop are not looked at."""


def local_paths(data: QMimeData) -> list[str]:
    """Paths of dropped files and folders; things that do not lie on this computer are left out."""
    if not data.hasUrls():
        return []
    return [url.toLocalFile() for url in data.urls()[:MAX_PATHS] if url.isLocalFile()]


def accept_as_copy(event: QDropEvent) -> None:
    """Take a drop of files without ever taking the files: a file manager that proposes to move would delete its
    own after the drop. Where nothing but moving is offered, nothing is said to have been done."""
    event.setDropAction(Qt.DropAction.CopyAction)
    if event.dropAction() is not Qt.DropAction.CopyAction:
        event.setDropAction(Qt.DropAction.IgnoreAction)
    event.accept()


class DropArea(QWidget):
    """Dashed frame, sign, heading, what is understood, and buttons for the same."""

    dropped = Signal(list)

    def __init__(self, theme: Theme, heading: str, kinds: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hot = False
        self.setAcceptDrops(True)
        self.setAccessibleName(heading)
        self.setAccessibleDescription(kinds)
        self._sign = QLabel()
        self._sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.heading = TextLabel(theme, heading, kind=Type.PAGE, wrap=True)
        self.kinds = TextLabel(theme, kinds, tone=Tone.MUTED, wrap=True)
        for label in (self.heading, self.kinds):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._row = QWidget()
        self._flow = FlowLayout(self._row, centred=True)
        wraps(self._row)
        self._layout = QVBoxLayout(self)
        self._layout.addStretch(1)
        for widget in (self._sign, self.heading, self.kinds, self._row):
            self._layout.addWidget(widget)
        self._layout.addStretch(1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def add_button(self, button: Button) -> None:
        self._flow.addWidget(button)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_paths(event.mimeData()):
            accept_as_copy(event)
            self._set_hot(True)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if local_paths(event.mimeData()):
            accept_as_copy(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_hot(False)
        paths = local_paths(event.mimeData())
        if paths:
            accept_as_copy(event)
            self.dropped.emit(paths)

    def _set_hot(self, hot: bool) -> None:
        self._hot = hot
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        frame(
            painter,
            self.rect(),
            fill=tokens.accent_soft if self._hot else tokens.panel,
            edge=tokens.accent if self._hot else tokens.control,
            width=2 if self._hot else 1,
            dashed=True,
        )
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._sign.setPixmap(
            self._theme.icons.pixmap(
                "drop", size=32, colour=self._theme.tokens.accent, ratio=self.devicePixelRatioF()
            )
        )
        self._layout.setContentsMargins(px(24), px(24), px(24), px(24))
        self._layout.setSpacing(px(12))
        self._flow.set_gaps(px(8), px(8))
        self.update()


@dataclass(frozen=True, slots=True)
class DropLine:
    """name: of the file. what: what will happen with it, or why nothing will."""

    name: str
    what: str
    refused: bool = False


_MAX_LINES = 8


class DropOverlay(QWidget):
    """Lies over the whole window while something is dragged over it; takes no events itself."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._lines: tuple[DropLine, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_lines(self, lines: Sequence[DropLine]) -> None:
        self._lines = tuple(lines)
        self.setAccessibleName("; ".join(f"{line.name}: {line.what}" for line in self._lines))
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, tokens = self._theme, self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour(tokens.window, 0.85))
        inset = theme.px(16)
        edge = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        frame(painter, edge, fill=None, edge=tokens.accent, width=2, dashed=True)
        body, small = theme.metrics(bold=True), theme.metrics(Type.SMALL)
        pitch = body.height() + small.height() + theme.px(12)
        shown = self._lines[:_MAX_LINES]
        left_over = len(self._lines) - len(shown)
        width = min(edge.width() - theme.px(48), float(theme.chars(70)))
        x = edge.center().x() - width / 2
        y = edge.center().y() - pitch * len(shown) / 2
        side = theme.px(20)
        around = theme.px(16)
        height = pitch * (len(shown) + (1 if left_over else 0))
        card = QRectF(x, y, width, height - theme.px(12)).adjusted(-around, -around, around, around)
        frame(painter, card, fill=tokens.panel, edge=tokens.border)
        for line in shown:
            ink = tokens.bad if line.refused else tokens.accent
            theme.icons.paint(
                painter, "cross" if line.refused else "arrow-right", QRectF(x, y + 2, side, side), ink
            )
            text_x = x + side + theme.px(10)
            room = width - side - theme.px(10)
            painter.setFont(theme.font(bold=True))
            painter.setPen(QColor(tokens.text))
            name = body.elidedText(line.name, Qt.TextElideMode.ElideMiddle, round(room))
            painter.drawText(QRectF(text_x, y, room, body.height()), Qt.TextFlag.TextSingleLine, name)
            painter.setFont(theme.font(Type.SMALL))
            painter.setPen(QColor(tokens.bad if line.refused else tokens.muted))
            what = small.elidedText(line.what, Qt.TextElideMode.ElideRight, round(room))
            box = QRectF(text_x, y + body.height() + 2, room, small.height())
            painter.drawText(box, Qt.TextFlag.TextSingleLine, what)
            y += pitch
        if left_over:
            painter.setFont(theme.font(Type.SMALL))
            painter.setPen(QColor(tokens.muted))
            painter.drawText(QRectF(x, y, width, pitch), Qt.TextFlag.TextSingleLine, f"and {left_over} more")
        painter.end()
