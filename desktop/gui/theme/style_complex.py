"""The controls that Qt draws in one piece: combo box, spin box, slider, scroll bar."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QWidget

from desktop.gui.theme.strokes import frame, vline
from desktop.gui.theme.style_parts import StyleParts

_State = QStyle.StateFlag
_CC = QStyle.ComplexControl
_SC = QStyle.SubControl
_PE = QStyle.PrimitiveElement


def combo_box(style: StyleParts, option: Any, painter: QPainter, widget: QWidget | None) -> None:
    tokens = style.tokens
    if option.editable:
        style.field(painter, option.rect, option, widget)
    else:
        enabled = bool(option.state & _State.State_Enabled)
        hover = enabled and option.state & _State.State_MouseOver
        at_fault = bool(widget is not None and widget.property("problem"))
        fill = tokens.alt if hover else tokens.panel if enabled else tokens.window
        edge = tokens.bad if at_fault else tokens.control if enabled else tokens.border
        width = 1.0
        if option.state & _State.State_HasFocus:
            edge, width = tokens.bad if at_fault else tokens.focus, 2.0
        frame(painter, option.rect, fill=fill, edge=edge, width=width)
    arrow = QRectF(style.subControlRect(_CC.CC_ComboBox, option, _SC.SC_ComboBoxArrow, widget))
    side = style.px(12)
    x = arrow.center().x()
    left = option.direction is Qt.LayoutDirection.RightToLeft
    x = option.rect.left() + style.px(14) if left else option.rect.right() - style.px(14)
    box = QRectF(x - side / 2, arrow.center().y() - side / 2, side, side)
    ink = tokens.text if option.state & _State.State_Enabled else tokens.control
    style.sign(painter, "chevron-down", box, ink, 12)


def spin_box(style: StyleParts, option: Any, painter: QPainter, widget: QWidget | None) -> None:
    tokens = style.tokens
    style.field(painter, option.rect, option, widget)
    if not option.subControls & _SC.SC_SpinBoxUp:
        return
    enabled = bool(option.state & _State.State_Enabled)
    for sub, name in ((_SC.SC_SpinBoxUp, "chevron-up"), (_SC.SC_SpinBoxDown, "chevron-down")):
        rect = QRectF(style.subControlRect(_CC.CC_SpinBox, option, sub, widget))
        if option.activeSubControls & sub and option.state & _State.State_MouseOver:
            painter.fillRect(rect.adjusted(1, 1, -2, -1), QColor(tokens.track))
        style.sign(painter, name, rect, tokens.text if enabled else tokens.control, 10)


def slider(style: StyleParts, option: Any, painter: QPainter, widget: QWidget | None) -> None:
    tokens = style.tokens
    groove = QRectF(style.subControlRect(_CC.CC_Slider, option, _SC.SC_SliderGroove, widget))
    handle = QRectF(style.subControlRect(_CC.CC_Slider, option, _SC.SC_SliderHandle, widget))
    across = option.orientation is Qt.Orientation.Horizontal
    enabled = bool(option.state & _State.State_Enabled)
    radius = style.px(7)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    centre = handle.center()
    done = tokens.accent if enabled else tokens.border
    thick = style.px(4)
    if across:
        begin, end = QPointF(groove.left() + 2, centre.y()), QPointF(groove.right() - 2, centre.y())
    else:
        begin, end = QPointF(centre.x(), groove.top() + 2), QPointF(centre.x(), groove.bottom() - 2)
    if option.upsideDown:
        begin, end = end, begin
    painter.setPen(QPen(QColor(tokens.control if enabled else tokens.border), thick, c=Qt.PenCapStyle.RoundCap))
    painter.drawLine(begin, end)
    painter.setPen(QPen(QColor(done), thick, c=Qt.PenCapStyle.RoundCap))
    painter.drawLine(begin, centre)
    painter.setPen(QPen(QColor(done), 2))
    painter.setBrush(QColor(tokens.panel))
    painter.drawEllipse(centre, radius, radius)
    if option.state & _State.State_HasFocus:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tokens.focus), 2))
        painter.drawEllipse(centre, radius + 3, radius + 3)
    painter.restore()


def scroll_bar(style: StyleParts, option: Any, painter: QPainter, widget: QWidget | None) -> None:
    """A thumb on the bare ground; no arrows."""
    tokens, rect = style.tokens, QRectF(option.rect)
    painter.fillRect(rect, QColor(tokens.alt))
    across = option.orientation is Qt.Orientation.Horizontal
    if not across:
        vline(painter, rect.left(), rect.top(), rect.bottom(), tokens.border)
    else:
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 1), QColor(tokens.border))
    if option.maximum <= option.minimum:
        return
    thumb = QRectF(scroll_bar_rect(style, option, _SC.SC_ScrollBarSlider))
    inset = style.px(3)
    thumb = thumb.adjusted(1, inset, -1, -inset + 1) if across else thumb.adjusted(inset, 1, -inset + 1, -1)
    busy = option.state & _State.State_Sunken and option.activeSubControls & _SC.SC_ScrollBarSlider
    radius = min(thumb.width(), thumb.height()) / 2
    frame(painter, thumb, fill=tokens.muted if busy else tokens.control, edge=None, radius=radius)


def scroll_bar_rect(style: StyleParts, option: Any, sub: QStyle.SubControl) -> QRect:
    """Whole length is groove; the thumb is as long as the part that is shown."""
    rect: QRect = option.rect
    across = option.orientation is Qt.Orientation.Horizontal
    length = rect.width() if across else rect.height()
    span = option.maximum - option.minimum
    thumb = length
    if span > 0:
        thumb = max(round(option.pageStep / (span + option.pageStep) * length), style.px(28))
        thumb = min(thumb, length)
    start = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - thumb, option.upsideDown
    )
    first, second, third = (0, start), (start, thumb), (start + thumb, length - start - thumb)
    part = {
        _SC.SC_ScrollBarSubPage: first,
        _SC.SC_ScrollBarSlider: second,
        _SC.SC_ScrollBarAddPage: third,
        _SC.SC_ScrollBarGroove: (0, length),
    }.get(sub)
    if part is None:
        return QRect()
    at, size = part
    if across:
        return QRect(rect.left() + at, rect.top(), size, rect.height())
    return QRect(rect.left(), rect.top() + at, rect.width(), size)
