"""A field with its label above, a note, and room for the one problem it has.

field = FieldFrame(theme, "&Prompt file", QLineEdit(), note="in the pack folder")
field.show_problem("The input would not be sent.", "The place for it is written {{input}}.", "Write {{input}}")
field.fix_asked.connect(self._write_placeholder)
field.clear_problem()
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel


class FieldFrame(QWidget):
    """Label above the field (never inside), problem below: sign, bold first words, the rest, a fix button.

    The whole sentence is the field's accessible description while the problem stands.
    """

    fix_asked = Signal()

    def __init__(
        self, theme: Theme, label: str, field: QWidget, *, note: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.field = field
        self._tone = Tone.BAD
        self.label = TextLabel(theme, label)
        self.label.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(label.replace("&", ""))
        self.note = TextLabel(theme, note, kind=Type.SMALL, tone=Tone.MUTED, wrap=True, firm=True)
        if not note:
            # Never `setVisible(True)` before it has a parent: it would be a window of its own for a moment.
            self.note.hide()
        self._note = note
        field.setAccessibleDescription(note)
        self._sign = QLabel()
        self._first = TextLabel(theme, bold=True, tone=Tone.BAD, wrap=True, firm=True)
        self._rest = TextLabel(theme, tone=Tone.BAD, wrap=True, firm=True)
        self.fix_button = Button(theme, "", icon="edit")
        self.fix_button.clicked.connect(self.fix_asked)
        self._problem = QWidget()
        message = QVBoxLayout()
        message.addWidget(self._first)
        message.addWidget(self._rest)
        self._row = QHBoxLayout(self._problem)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(message, 1)
        self._row.addWidget(self.fix_button, 0, Qt.AlignmentFlag.AlignTop)
        self._message = message
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.label, field, self.note, self._problem):
            self._layout.addWidget(widget)
        self._problem.hide()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_problem(self, first: str, rest: str = "", fix: str = "", *, hint: bool = False) -> None:
        """first: what would happen, in bold. fix: words of the button, an instruction; none without a safe fix.

        hint: something to know; the field is not marked as faulty.
        """
        self._tone = Tone.WARN if hint else Tone.BAD
        for label, text in ((self._first, first), (self._rest, rest)):
            label.set_tone(self._tone)
            label.setText(text)
            label.setVisible(bool(text))
        self.fix_button.setText(fix)
        self.fix_button.setVisible(bool(fix))
        self._mark(not hint)
        whole = f"{first} {rest}".strip()
        self.field.setAccessibleDescription(whole)
        self._problem.show()
        self._restyle()

    def clear_problem(self) -> None:
        self._mark(False)
        self.field.setAccessibleDescription(self._note)
        self._problem.hide()

    @property
    def has_problem(self) -> bool:
        return not self._problem.isHidden()

    def _mark(self, faulty: bool) -> None:
        self.field.setProperty("problem", faulty)
        self.field.update()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._layout.setSpacing(px(4))
        self._row.setSpacing(px(8))
        self._message.setSpacing(px(2))
        name = "warning" if self._tone is Tone.WARN else "problem"
        ink = self._tone.ink(self._theme.tokens)
        self._sign.setPixmap(self._theme.icons.pixmap(name, colour=ink, ratio=self.devicePixelRatioF()))
