"""Lines of text in several styles: names in bold, quantization paler, differences marked.

    Runs((Run("gemma-3-270m", bold=True), Run(" Q8_0", tone=Tone.MUTED)))

Used by the delegates (`RunsDelegate`), labels (`RunsLabel`) and the difference view. Text from outside stays
plain: it is drawn letter by letter, never read as HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.cell_delegate import CELL_PADDING, CellDelegate, Index
from desktop.gui.widgets.painted import Painted
from desktop.gui.widgets.roles import RUNS_ROLE


class Mark(StrEnum):
    """How a difference is shown; each has a sign beside its colour."""

    MISSING = "missing"
    """Missing or wrong: struck through."""
    ADDED = "added"
    """Underlined."""
    NEAR = "near"
    """Near miss: ground and underline."""
    BOX = "box"
    """An invisible character's name in a frame."""


@dataclass(frozen=True, slots=True)
class Run:
    """One piece. `kind` is the type style; mono for ids and outputs."""

    text: str
    tone: Tone = Tone.NEUTRAL
    bold: bool = False
    kind: Type = Type.BODY
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Runs:
    parts: tuple[Run, ...]

    @property
    def plain(self) -> str:
        return "".join(part.text for part in self.parts)


def one_line(text: str) -> str:
    """Line breaks and tabs as blanks, for cells of one line."""
    return " ".join(text.split()) if any(c in text for c in "\n\r\t") else text


def run_font(theme: Theme, run: Run) -> QFont:
    font = theme.font(run.kind, bold=run.bold)
    font.setStrikeOut(run.mark is Mark.MISSING)
    return font


def run_ink(theme: Theme, run: Run) -> QColor:
    tokens = theme.tokens
    if run.mark is Mark.MISSING:
        return QColor(tokens.bad)
    if run.mark is Mark.ADDED:
        return QColor(tokens.good)
    if run.mark is Mark.BOX:
        return QColor(tokens.muted)
    return QColor(run.tone.ink(tokens))


def runs_width(theme: Theme, parts: Sequence[Run]) -> float:
    """In logical pixels, on one line."""
    return sum(QFontMetricsF(run_font(theme, part)).horizontalAdvance(one_line(part.text)) for part in parts)


def paint_runs(
    painter: QPainter,
    rect: QRectF,
    parts: Sequence[Run],
    theme: Theme,
    *,
    right: bool = False,
    faint: bool = False,
) -> bool:
    """On one line in the middle of `rect`. What does not fit is cut in the middle of its piece.

    right: figures stand at the end. Returns whether anything was cut.
    """
    tokens = theme.tokens
    total = runs_width(theme, parts)
    x = rect.left() + max(rect.width() - total, 0) if right else rect.left()
    baseline = rect.center().y() + _middle(theme)
    cut = False
    painter.save()
    if faint:
        painter.setOpacity(0.6)
    for part in parts:
        font = run_font(theme, part)
        metrics = QFontMetricsF(font)
        text = one_line(part.text)
        room = rect.right() - x + 0.5
        if room < metrics.horizontalAdvance("…"):
            cut = cut or bool(text.strip())
            break
        width = metrics.horizontalAdvance(text)
        if width > room:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
            width, cut = metrics.horizontalAdvance(text), True
        box = QRectF(x, baseline - metrics.ascent(), width, metrics.height())
        if part.mark is Mark.MISSING:
            painter.fillRect(box, QColor(tokens.bad_soft))
        elif part.mark is Mark.ADDED:
            painter.fillRect(box, QColor(tokens.good_soft))
        elif part.mark is Mark.NEAR:
            painter.fillRect(box, QColor(tokens.warn_soft))
        elif part.mark is Mark.BOX:
            frame(painter, box, fill=tokens.panel, edge=tokens.control, radius=2)
        painter.setFont(font)
        painter.setPen(run_ink(theme, part))
        painter.drawText(QRectF(x, box.top(), width + 2, box.height()), Qt.TextFlag.TextSingleLine, text)
        if part.mark in (Mark.ADDED, Mark.NEAR):
            ink = tokens.good if part.mark is Mark.ADDED else tokens.warn
            painter.setPen(QPen(QColor(ink), 2))
            painter.drawLine(box.bottomLeft(), box.bottomRight())
        x += width
    painter.restore()
    return cut


def _middle(theme: Theme) -> float:
    """From the middle of a row down to the common baseline."""
    metrics = QFontMetricsF(theme.font())
    return (metrics.ascent() - metrics.descent()) / 2


class RunsDelegate(CellDelegate[Runs]):
    """Paints `RUNS_ROLE`; a cell without it is painted as usual. The whole stands in the model's tooltip."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, RUNS_ROLE, Runs, parent)

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: Runs, option: QStyleOptionViewItem, index: Index
    ) -> None:
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        right = alignment is not None and bool(Qt.AlignmentFlag(alignment) & Qt.AlignmentFlag.AlignRight)
        state: QStyle.StateFlag = option.state
        faint = not state & QStyle.StateFlag.State_Enabled
        paint_runs(painter, room, value.parts, self._theme, right=right, faint=faint)

    def _size(self, value: Runs) -> QSize:
        width = runs_width(self._theme, value.parts) + 2 * self._theme.px(CELL_PADDING)
        return QSize(round(width + 1), self._theme.row_height())


class RunsLabel(Painted):
    """One line of runs as a widget; it says the whole text to assistive tools and in its tooltip when cut."""

    def __init__(self, theme: Theme, runs: Runs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._runs = runs or Runs(())
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_runs(self._runs)

    @property
    def runs(self) -> Runs:
        return self._runs

    def set_runs(self, runs: Runs) -> None:
        self._runs = runs
        self.setAccessibleName(runs.plain)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        tallest = max(
            (QFontMetricsF(run_font(self._theme, part)).height() for part in self._runs.parts),
            default=float(self._theme.metrics().height()),
        )
        return QSize(round(runs_width(self._theme, self._runs.parts) + 3), round(tallest + self._theme.px(4)))

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), self._theme.chars(8)), hint.height())

    def _paint(self, painter: QPainter) -> None:
        cut = paint_runs(painter, QRectF(self.rect()), self._runs.parts, self._theme)
        whole = self._runs.plain if cut else ""
        if self.toolTip() != whole:
            self.setToolTip(whole)
