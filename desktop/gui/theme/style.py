"""Fusion with our own edges, focus rings and sizes.

All is drawn here, with no style sheet: a sheet takes the widget types it names away from the proxy and
polishes the whole tree again at every zoom step. Kinds of widgets tell their wish by dynamic properties:
`primary` (filled button), `problem` (field at fault), `quiet` (tool button without edge), `hairlines` (table).
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTextEdit,
    QWidget,
)

from desktop.gui.theme import style_complex
from desktop.gui.theme.strokes import frame, hline, start_bar
from desktop.gui.theme.style_parts import StyleParts
from desktop.gui.theme.style_sizes import HINTS, METRICS

_PE = QStyle.PrimitiveElement
_CE = QStyle.ControlElement
_CT = QStyle.ContentsType
_PM = QStyle.PixelMetric
_State = QStyle.StateFlag
# Options come as the subclass that fits the element; its fields are not known to the type checker.
_Option = Any


class PackbenchStyle(StyleParts):
    """Give it to `QApplication.setStyle`; `restyle` before colours or zoom change."""

    def polish(self, what: Any) -> Any:
        """Every label shows text as text, tool tips too: Qt would take what looks like HTML for HTML, and
        a label of a pack may say `<img src="file:///dev/zero">`. Tool tips are polished before they get their
        text. What is to be rich says so by its format."""
        if isinstance(what, QLabel) and what.textFormat() is Qt.TextFormat.AutoText:
            what.setTextFormat(Qt.TextFormat.PlainText)
        return super().polish(what)

    def __init__(self) -> None:
        super().__init__()
        self._primitives = {
            _PE.PE_FrameLineEdit: self._line_edit_edge,
            _PE.PE_PanelLineEdit: self._line_edit,
            _PE.PE_PanelButtonCommand: self._button,
            _PE.PE_FrameDefaultButton: self._nothing,
            _PE.PE_FrameButtonBevel: self._nothing,
            _PE.PE_PanelButtonTool: self._tool_button,
            _PE.PE_Frame: self._frame,
            _PE.PE_FrameFocusRect: self._focus_ring,
            _PE.PE_IndicatorCheckBox: self._check_box,
            _PE.PE_IndicatorItemViewItemCheck: self._check_box,
            _PE.PE_IndicatorRadioButton: self._radio,
            _PE.PE_PanelItemViewRow: self._nothing,
            _PE.PE_PanelItemViewItem: self._item,
            _PE.PE_FrameStatusBarItem: self._nothing,
            _PE.PE_PanelStatusBar: self._status_bar,
            _PE.PE_FrameGroupBox: self._group_box,
            _PE.PE_IndicatorHeaderArrow: self._header_arrow,
            _PE.PE_IndicatorBranch: self._branch,
            _PE.PE_FrameTabWidget: self._tab_pane,
            _PE.PE_FrameTabBarBase: self._nothing,
        }
        self._controls = {
            _CE.CE_HeaderSection: self._header_section,
            _CE.CE_HeaderEmptyArea: self._header_empty,
            _CE.CE_HeaderLabel: self._header_label,
            _CE.CE_PushButtonLabel: self._button_label,
            _CE.CE_MenuBarEmptyArea: self._menu_bar_area,
            _CE.CE_MenuBarItem: self._menu_bar_item,
            _CE.CE_Splitter: self._splitter,
            _CE.CE_TabBarTabShape: self._tab,
        }
        self._complexes = {
            QStyle.ComplexControl.CC_ComboBox: style_complex.combo_box,
            QStyle.ComplexControl.CC_SpinBox: style_complex.spin_box,
            QStyle.ComplexControl.CC_Slider: style_complex.slider,
            QStyle.ComplexControl.CC_ScrollBar: style_complex.scroll_bar,
        }

    # --- what Qt asks ---------------------------------------------------------------------------------------

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        own = self._primitives.get(element)
        if own is None or own(option, painter, widget) is False:
            super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        own = self._controls.get(element)
        if own is None or own(option, painter, widget) is False:
            super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self, control: QStyle.ComplexControl, option: Any, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        own = self._complexes.get(control)
        if own is None or own(self, option, painter, widget) is False:
            super().drawComplexControl(control, option, painter, widget)

    def subControlRect(
        self, control: QStyle.ComplexControl, option: Any, sub: QStyle.SubControl, widget: QWidget | None = None
    ) -> QRect:
        if control is QStyle.ComplexControl.CC_ScrollBar:
            return style_complex.scroll_bar_rect(self, option, sub)
        if control is QStyle.ComplexControl.CC_ComboBox and sub is QStyle.SubControl.SC_ComboBoxEditField:
            box = option.rect.adjusted(self.px(7), 2, -self.px(28), -2)
            return QStyle.visualRect(option.direction, option.rect, box)
        if control is QStyle.ComplexControl.CC_SpinBox and sub is QStyle.SubControl.SC_SpinBoxEditField:
            box = QRect(option.rect.adjusted(self.px(6), 2, -self.px(22), -2))
            return QStyle.visualRect(option.direction, option.rect, box)
        if control is QStyle.ComplexControl.CC_SpinBox and sub in (
            QStyle.SubControl.SC_SpinBoxUp,
            QStyle.SubControl.SC_SpinBoxDown,
        ):
            half = option.rect.height() // 2
            top = option.rect.top() + (0 if sub is QStyle.SubControl.SC_SpinBoxUp else half)
            box = QRect(option.rect.right() - self.px(22), top, self.px(20), half)
            return QStyle.visualRect(option.direction, option.rect, box)
        return super().subControlRect(control, option, sub, widget)

    def subElementRect(
        self, element: QStyle.SubElement, option: QStyleOption, widget: QWidget | None = None
    ) -> QRect:
        rect = super().subElementRect(element, option, widget)  # type: ignore[arg-type]  # Qt takes none
        if element is QStyle.SubElement.SE_LineEditContents and getattr(option, "lineWidth", 0) > 0:
            return rect.adjusted(self.px(5), 0, -self.px(5), 0)
        return rect

    def sizeFromContents(
        self, kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: QWidget | None = None
    ) -> QSize:
        wanted = super().sizeFromContents(kind, option, size, widget)  # type: ignore[arg-type]  # Qt takes none
        roomy = self.px(8) if self.roomy else 0
        if kind is _CT.CT_PushButton:
            text_height = option.fontMetrics.height()
            wanted.setWidth(max(size.width() + self.px(24), self.px(28)))
            wanted.setHeight(max(self.px(28), text_height + self.px(8)) + roomy)
        elif kind in (_CT.CT_ComboBox, _CT.CT_LineEdit, _CT.CT_SpinBox):
            wanted.setHeight(max(self.px(28), option.fontMetrics.height() + self.px(8)) + roomy)
            if kind is _CT.CT_ComboBox:
                wanted.setWidth(size.width() + self.px(44))
        elif kind is _CT.CT_ToolButton:
            wanted = wanted.expandedTo(QSize(self.px(28), self.px(28)))
        elif kind is _CT.CT_MenuBarItem:
            wanted.setHeight(max(self.px(26), option.fontMetrics.height() + self.px(6)))
        elif kind is _CT.CT_MenuItem:
            if getattr(option, "menuItemType", None) is not None and wanted.height() > self.px(10):
                wanted.setHeight(max(self.px(26), wanted.height()))
        elif kind is _CT.CT_HeaderSection:
            wanted.setHeight(max(self.px(28), option.fontMetrics.height() + self.px(8)))
        elif kind is _CT.CT_ItemViewItem and isinstance(widget, QAbstractItemView):
            wanted.setHeight(max(self.px(24), wanted.height()))
        return wanted

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        if metric is _PM.PM_DefaultFrameWidth:
            return 1 if isinstance(widget, QAbstractItemView) else 2
        design = METRICS.get(metric)
        if design is not None:
            return self.px(design)
        return super().pixelMetric(metric, option, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        fixed = HINTS.get(hint)
        if fixed is not None:
            return fixed
        return super().styleHint(hint, option, widget, returnData)

    # --- primitives -----------------------------------------------------------------------------------------

    def _nothing(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        return

    def _line_edit(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        if option.lineWidth > 0:
            self.field(painter, option.rect, option, widget)
            return
        viewport = widget.parentWidget() if widget is not None else None
        if viewport is not None and isinstance(viewport.parentWidget(), QAbstractItemView):
            # Over a row the line is without an edge, and the row's own text must not show through.
            painter.fillRect(option.rect, QColor(self.tokens.panel))

    def _line_edit_edge(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        self.field(painter, option.rect, option, widget, filled=False)

    def _button(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        tokens, state = self.tokens, option.state
        primary = bool(widget is not None and widget.property("primary"))
        enabled = bool(state & _State.State_Enabled)
        down = bool(state & (_State.State_Sunken | _State.State_On))
        hover = bool(state & _State.State_MouseOver) and enabled
        if primary and enabled:
            fill, edge = QColor(tokens.accent), QColor(tokens.accent)
            if hover or down:
                fill = fill.darker(112) if not tokens.dark else fill.lighter(108)
        else:
            fill = QColor(tokens.accent_soft if down else tokens.alt if hover else tokens.panel)
            edge = QColor(tokens.control if enabled else tokens.border)
        width = 1.0
        if state & _State.State_On and not primary:
            edge, width = QColor(tokens.accent), 2.0
        frame(painter, option.rect, fill=fill, edge=edge, width=width)
        if state & _State.State_HasFocus and enabled:
            ring = tokens.on_accent if primary else tokens.focus
            inner = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5)
            frame(painter, inner, fill=None, edge=ring, width=2.0, radius=3.0)

    def _tool_button(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        tokens, state = self.tokens, option.state
        if state & (_State.State_Sunken | _State.State_On):
            frame(painter, option.rect, fill=tokens.accent_soft, edge=None)
        elif state & _State.State_MouseOver and state & _State.State_Enabled:
            frame(painter, option.rect, fill=tokens.track, edge=None)
        if state & _State.State_HasFocus:
            frame(painter, option.rect, fill=None, edge=tokens.focus, width=2.0)

    def _frame(self, option: _Option, painter: QPainter, widget: QWidget | None) -> bool | None:
        if isinstance(widget, (QPlainTextEdit, QTextEdit)) and not widget.isReadOnly():
            self.field(painter, option.rect, option, widget, filled=False)
            return None
        if isinstance(widget, QFrame):
            focused = widget.hasFocus() and not isinstance(widget, QAbstractItemView)
            edge = self.tokens.focus if focused else self.tokens.border
            frame(painter, option.rect, fill=None, edge=edge, width=2.0 if focused else 1.0)
            return None
        return False

    def _focus_ring(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        frame(painter, option.rect, fill=None, edge=self.tokens.focus, width=2.0, radius=3.0)

    def _check_box(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        tokens, state = self.tokens, option.state
        enabled = bool(state & _State.State_Enabled)
        side = min(option.rect.width(), option.rect.height())
        box = QRect(0, 0, side, side)
        box.moveCenter(option.rect.center())
        marked = bool(state & (_State.State_On | _State.State_NoChange))
        if marked:
            ground = tokens.accent if enabled else tokens.control
            frame(painter, box, fill=ground, edge=ground, radius=3.0)
            name = "tick" if state & _State.State_On else "dash"
            inset = side * 0.12
            if self.icons is not None:
                self.icons.paint(
                    painter, name, QRectF(box).adjusted(inset, inset, -inset, -inset), tokens.on_accent
                )
        else:
            frame(
                painter, box, fill=tokens.panel, edge=tokens.control if enabled else tokens.border, radius=3.0
            )

    def _radio(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        tokens, state = self.tokens, option.state
        enabled = bool(state & _State.State_Enabled)
        side = min(option.rect.width(), option.rect.height())
        box = QRectF(0, 0, side, side)
        box.moveCenter(QRectF(option.rect).center())
        marked = bool(state & _State.State_On)
        edge = tokens.accent if marked and enabled else tokens.control if enabled else tokens.border
        frame(painter, box, fill=tokens.panel, edge=edge, width=1.5 if marked else 1.0, radius=side / 2)
        if marked:
            inset = side * 0.28
            frame(painter, box.adjusted(inset, inset, -inset, -inset), fill=edge, edge=None, radius=side)

    def _item(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        """Ground of a cell: selection, hover, hairline below, accent bar at the start of a chosen row."""
        tokens, rect = self.tokens, option.rect
        chosen = bool(option.state & _State.State_Selected)
        if chosen:
            painter.fillRect(rect, QColor(tokens.selection))
        elif option.state & _State.State_MouseOver and option.state & _State.State_Enabled:
            painter.fillRect(rect, QColor(tokens.alt))
        elif option.backgroundBrush.style() is not Qt.BrushStyle.NoBrush:
            painter.fillRect(rect, option.backgroundBrush)
        if widget is None or not widget.property("hairlines"):
            return
        hline(painter, rect.left(), rect.right() + 1, rect.bottom(), tokens.border)
        position = QStyleOptionViewItem.ViewItemPosition
        first = (position.Beginning, position.OnlyOne)
        if chosen and option.viewItemPosition in first:
            mirrored = option.direction is Qt.LayoutDirection.RightToLeft
            start_bar(painter, rect, tokens.accent, self.px(3), mirrored=mirrored)

    def _status_bar(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        painter.fillRect(option.rect, QColor(self.tokens.window))
        hline(painter, option.rect.left(), option.rect.right() + 1, option.rect.top(), self.tokens.border)

    def _group_box(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        frame(painter, option.rect, fill=self.tokens.panel, edge=self.tokens.border)

    def _tab_pane(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        hline(painter, option.rect.left(), option.rect.right() + 1, option.rect.top(), self.tokens.border)

    def _header_arrow(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        kind = QStyleOptionHeader.SortIndicator
        # Qt names the arrow after its shape: SortDown is the ascending order.
        name = "sort-up" if option.sortIndicator == kind.SortDown else "sort-down"
        self.sign(painter, name, QRectF(option.rect), self.tokens.muted, 12)

    def _branch(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        if option.state & _State.State_Children:
            opened = bool(option.state & _State.State_Open)
            closed = "chevron-left" if option.direction is Qt.LayoutDirection.RightToLeft else "chevron-right"
            self.sign(painter, "chevron-down" if opened else closed, QRectF(option.rect), self.tokens.muted, 12)

    # --- controls -------------------------------------------------------------------------------------------

    def _button_label(self, option: _Option, painter: QPainter, widget: QWidget | None) -> bool:
        if widget is not None and widget.property("primary") and option.state & _State.State_Enabled:
            palette = QPalette(option.palette)
            palette.setColor(QPalette.ColorRole.ButtonText, QColor(self.tokens.on_accent))
            option.palette = palette
        return False

    def _header_section(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        painter.fillRect(option.rect, QColor(self.tokens.alt))
        if option.orientation is Qt.Orientation.Horizontal:
            hline(
                painter, option.rect.left(), option.rect.right() + 1, option.rect.bottom(), self.tokens.border
            )

    def _header_empty(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        painter.fillRect(option.rect, QColor(self.tokens.alt))
        hline(painter, option.rect.left(), option.rect.right() + 1, option.rect.bottom(), self.tokens.border)

    def _header_label(self, option: _Option, painter: QPainter, widget: QWidget | None) -> bool:
        # Fusion takes the margin off above and below as well, which cuts letters with a tail.
        if widget is not None and option.orientation is Qt.Orientation.Horizontal:
            option.rect = QRect(option.rect.left(), 0, option.rect.width(), widget.height() - 1)
        return False

    def _menu_bar_area(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        painter.fillRect(option.rect, QColor(self.tokens.window))
        hline(painter, option.rect.left(), option.rect.right() + 1, option.rect.bottom(), self.tokens.border)

    def _menu_bar_item(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        tokens = self.tokens
        self._menu_bar_area(option, painter, widget)
        if option.state & (_State.State_Selected | _State.State_Sunken):
            frame(painter, option.rect.adjusted(1, 2, -1, -2), fill=tokens.selection, edge=None)
        flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextShowMnemonic | Qt.TextFlag.TextSingleLine)
        self.drawItemText(
            painter,
            option.rect,
            flags,
            option.palette,
            bool(option.state & _State.State_Enabled),
            option.text,
            QPalette.ColorRole.WindowText,
        )

    def _splitter(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        tokens, centre = self.tokens, QRectF(option.rect).center()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        hot = option.state & (_State.State_MouseOver | _State.State_HasFocus)
        painter.setPen(QPen(QColor(tokens.accent if hot else tokens.border), 2, c=Qt.PenCapStyle.RoundCap))
        across = option.state & _State.State_Horizontal
        reach = QPointF(0, self.px(10)) if across else QPointF(self.px(10), 0)
        painter.drawLine(centre - reach, centre + reach)
        painter.restore()

    def _tab(self, option: _Option, painter: QPainter, widget: QWidget | None) -> None:
        tokens, rect = self.tokens, option.rect
        hline(painter, rect.left(), rect.right() + 1, rect.bottom(), tokens.border)
        if option.state & _State.State_Selected:
            hline(painter, rect.left(), rect.right() + 1, rect.bottom() - 1, tokens.accent, 2)
        elif option.state & _State.State_MouseOver:
            painter.fillRect(rect.adjusted(0, 0, 0, -1), QColor(tokens.track))
