"""White panels with a heading, and the bar over a page.

panel = Panel(theme, "Events")               # panel.body is a QVBoxLayout for the content
bar = PageBar(theme, "Runs", "2 finished")   # bar.add(button) puts buttons at the end
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame, hline
from desktop.gui.widgets.label import TextLabel


class Panel(QWidget):
    """Paper with a hairline around it. `padding` in design pixels around the body; 0 for a table that fills it.

    With a title there is a heading line; `heading` takes more widgets at its end (`heading.addWidget`).
    ruled: a hairline under the heading.
    """

    def __init__(
        self,
        theme: Theme,
        title: str = "",
        note: str = "",
        *,
        padding: int = 12,
        ruled: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._padding = padding
        self._ruled = ruled and bool(title)
        self._outer = QVBoxLayout(self)
        self._outer.setSpacing(0)
        self.heading = QHBoxLayout()
        self.title = TextLabel(theme, title, bold=True)
        self.note = TextLabel(theme, note, kind=Type.SMALL, tone=Tone.MUTED, cut_end=True)
        self._head = QWidget()
        if title:
            self.heading.addWidget(self.title)
            self.heading.addWidget(self.note, 1)
            self._head.setLayout(self.heading)
            self._outer.addWidget(self._head)
            self.setAccessibleName(title)
        else:
            self.title.setParent(self)
            self.note.setParent(self)
            self._head.setParent(self)
            for unused in (self.title, self.note, self._head):
                unused.hide()
        self.body = QVBoxLayout()
        self._outer.addLayout(self.body, 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        frame(painter, self.rect(), fill=tokens.panel, edge=tokens.border)
        if self._ruled:
            y = self._head.geometry().bottom()
            hline(painter, 1, self.width() - 1, y, tokens.border)
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._outer.setContentsMargins(1, 1, 1, 1)
        around = px(self._padding)
        has_title = not self._head.isHidden()
        # A panel without padding holds a table; its heading still keeps clear of the edge.
        side = around or px(12)
        self.heading.setContentsMargins(
            side, px(8) if self._ruled else px(10), side, px(8) if self._ruled else 0
        )
        self.heading.setSpacing(px(8))
        self.body.setContentsMargins(around, px(8) if has_title and around else around, around, around)
        self.body.setSpacing(px(8))
        self.updateGeometry()
        self.update()


class PageBar(QWidget):
    """44 high: heading, a note in small type, buttons at the end; a hairline below."""

    def __init__(self, theme: Theme, title: str, note: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.title = TextLabel(theme, title, kind=Type.PAGE, elide=True)
        self.note = TextLabel(theme, note, kind=Type.SMALL, tone=Tone.MUTED, cut_end=True)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.title)
        self._row.addWidget(self.note, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_text(self, title: str, note: str = "") -> None:
        self.title.setText(title)
        self.note.setText(note)

    def add(self, widget: QWidget) -> None:
        self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        hline(painter, 0, self.width(), self.height() - 1, self._theme.tokens.border)
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(16), 0, px(16), 1)
        self._row.setSpacing(px(8))
        self.setFixedHeight(max(px(44), self._theme.row_height() + px(14)))
