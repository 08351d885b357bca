"""Buttons: icon and word, one filled on a screen, the key in a small outline; and links."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QEnterEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QShortcutEvent
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QWidget

from desktop.gui.theme import Theme, Type
from desktop.gui.theme.strokes import frame


class Button(QPushButton):
    """Button(theme, "&Run it", icon="play", primary=True, key="Ctrl+R")

    primary: filled with the accent, the most likely next step; one on a screen. key: shown in a small outline
    and made the button's shortcut. With `setCheckable(True)` it is a chip to choose: tick and 2-px edge.
    """

    def __init__(
        self,
        theme: Theme,
        text: str,
        *,
        icon: str = "",
        primary: bool = False,
        key: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self._sign = icon
        self._key = key
        self.setProperty("primary", primary)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if key:
            self.setShortcut(QKeySequence(key))
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_sign(self, icon: str) -> None:
        """Another icon."""
        self._sign = icon
        self._restyle()

    def sizeHint(self) -> QSize:
        theme = self._theme
        width = theme.px(12) * 2 + self._content_width()
        height = max(theme.px(28), self.fontMetrics().height() + theme.px(8)) + (
            theme.px(8) if theme.roomy else 0
        )
        return QSize(round(width), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        """Its key presses it at once.

        Qt would show it pressed for 100 ms first and lose every further press in that time, so that keys typed
        quickly, as in a review, did nothing.
        """
        if isinstance(event, QShortcutEvent) and not event.isAmbiguous():
            self.click()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses it as Space does, outside of dialogs too."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, tokens = self._theme, self._theme.tokens
        painter = QPainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelButtonCommand, option, painter, self)
        filled = bool(self.property("primary")) and self.isEnabled()
        ink = tokens.on_accent if filled else tokens.text
        if not self.isEnabled():
            painter.setOpacity(0.6)
            ink = tokens.muted
        mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        x = (self.width() - self._content_width()) / 2
        middle = self.height() / 2
        sign = self._shown_sign()
        if sign:
            side = theme.px(16)
            box = self._visual(QRectF(x, middle - side / 2, side, side), mirrored)
            theme.icons.paint(painter, sign, box, ink)
            x += side + theme.px(8)
        painter.setFont(self.font())
        painter.setPen(QColor(ink))
        width = self._text_width()
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextShowMnemonic | Qt.TextFlag.TextSingleLine)
        painter.drawText(self._visual(QRectF(x, 0, width + 2, self.height()), mirrored), flags, self.text())
        x += width
        if self._key:
            x += theme.px(8)
            metrics = theme.metrics(Type.SMALL)
            message = self._key_text()
            outer = metrics.horizontalAdvance(message) + theme.px(8)
            box = self._visual(
                QRectF(x, middle - metrics.height() / 2 - 0.5, outer, metrics.height() + 1), mirrored
            )
            frame(painter, box, fill=None, edge=ink, radius=3)
            painter.setFont(theme.font(Type.SMALL))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, message)
        painter.end()

    def _visual(self, box: QRectF, mirrored: bool) -> QRectF:
        return QRectF(self.width() - box.right(), box.top(), box.width(), box.height()) if mirrored else box

    def _shown_sign(self) -> str:
        if self.isCheckable() and self.isChecked():
            return "tick"
        return self._sign

    def _key_text(self) -> str:
        return QKeySequence(self._key).toString(QKeySequence.SequenceFormat.NativeText)

    def _text_width(self) -> float:
        flags = int(Qt.TextFlag.TextShowMnemonic | Qt.TextFlag.TextSingleLine)
        return self.fontMetrics().size(flags, self.text()).width()

    def _content_width(self) -> float:
        theme = self._theme
        width = self._text_width()
        # A chip keeps the room for its tick, so that nothing moves when it is chosen.
        if self._sign or self.isCheckable():
            width += theme.px(16) + theme.px(8)
        if self._key:
            width += theme.px(16) + theme.metrics(Type.SMALL).horizontalAdvance(self._key_text())
        return width

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(bold=bool(self.property("primary"))))
        self.updateGeometry()
        self.update()


class LinkButton(QAbstractButton):
    """A text link for fixes in rows and 'show in'; a button to the keyboard and to assistive tools."""

    def __init__(
        self, theme: Theme, text: str, *, icon: str = "", small: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sign = icon
        self._small = small
        self._hot = False
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        theme = self._theme
        width = self.fontMetrics().horizontalAdvance(self.text()) + theme.px(8)
        if self._sign:
            width += theme.px(22)
        return QSize(width, max(theme.px(24), self.fontMetrics().height() + theme.px(6)))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, tokens = self._theme, self._theme.tokens
        painter = QPainter(self)
        ink = tokens.accent if self.isEnabled() else tokens.muted
        if not self.isEnabled():
            painter.setOpacity(0.6)
        x = theme.px(4)
        if self._sign:
            side = theme.px(16)
            theme.icons.paint(painter, self._sign, QRectF(x, (self.height() - side) / 2, side, side), ink)
            x += theme.px(22)
        font = self.font()
        font.setUnderline(self._hot)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        box = QRectF(x, 0, self.width() - x, self.height())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), self.text())
        if self.hasFocus():
            frame(painter, self.rect(), fill=None, edge=tokens.focus, width=2, radius=3)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hot = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hot = False
        self.update()
        super().leaveEvent(event)

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(Type.SMALL if self._small else Type.BODY))
        self.updateGeometry()
        self.update()
