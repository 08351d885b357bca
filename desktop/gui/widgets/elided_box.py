"""A drop-down box whose long entry is cut in the middle where there is no room, the whole as its tooltip."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget


class ElidedBox(QComboBox):
    """Qt's own cuts letters through at the edge. The list that opens has every entry whole."""

    def __init__(self, name: str, characters: int = 14, parent: QWidget | None = None) -> None:
        """name: for a screen reader. characters: it is at least so wide."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(characters)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        text = self._shown(option)
        whole = self.currentText() if text != self.currentText() else ""
        if self.toolTip() != whole:
            self.setToolTip(whole)
        option.currentText = text
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shown_text(self) -> str:
        """As it is painted now."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._shown(option)

    def _shown(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        # The style leaves a pixel free on both sides of the text.
        return self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideMiddle, field.width() - 4
        )
