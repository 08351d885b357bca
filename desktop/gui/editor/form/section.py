"""What every page of the editor is: it shows a part of the document and can lead to any place in it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import BoundField
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.label import TextLabel
from packs.documents.problems import Problem
from packs.task.content import UnreadableContent


class Section(QWidget):
    """title: in the outline and over the page.

    Of `fields`, the one with the longest fitting path owns a place.
    """

    def __init__(
        self, theme: Theme, document: PackDocument, title: str, note: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self.document = document
        self.title = title
        self.fields: list[BoundField] = []
        self.heading = QHBoxLayout()
        self._title = TextLabel(theme, title, kind=Type.SECTION)
        self.heading.addWidget(self._title)
        self.heading.addStretch(1)
        self._note = TextLabel(theme, note, tone=Tone.MUTED, wrap=True, firm=True)
        if not note:
            # Never `setVisible(True)` before it has a parent: it would be a window of its own for a moment.
            self._note.hide()
        self._outer = QVBoxLayout(self)
        self._outer.addLayout(self.heading)
        self._outer.addWidget(self._note)
        self.body = QVBoxLayout()
        self._outer.addLayout(self.body, 1)
        self.setAccessibleName(title)
        theme.changed.connect(self._space)
        self._space()

    def add_field(self, field: BoundField) -> None:
        self.fields.append(field)
        self.body.addWidget(field)
        field.refresh()

    def owns(self, problem: Problem) -> bool:
        """Is this the page for that problem?"""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show the document as it is now. Never sends a change."""
        for field in self.fields:
            field.refresh()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Those that this section owns; each goes to its field, the first of a field counts."""
        taken: dict[int, Problem] = {}
        for problem in problems:
            field = self.field_of(problem)
            if field is not None:
                taken.setdefault(id(field), problem)
        for field in self.fields:
            field.set_problem(taken.get(id(field)))

    def field_of(self, problem: Problem) -> BoundField | None:
        """The field whose path is the longest beginning of the problem's.

        For a mapping that is not there, the first field of those that would stand in it.
        """
        fitting = [field for field in self.fields if field.owns(problem)]
        if fitting:
            return max(fitting, key=lambda field: len(field.path))
        inside = [
            field
            for field in self.fields
            if problem.path and field.file == problem.file and field.path[: len(problem.path)] == problem.path
        ]
        return inside[0] if inside and self._is_absent(problem) else None

    def shows(self, problem: Problem) -> bool:
        """Is there a field for it here? If not, the file is shown as text."""
        return self.field_of(problem) is not None

    def _is_absent(self, problem: Problem) -> bool:
        try:
            self.document.content.value(problem.file, problem.path)
        except KeyError:
            return True
        except UnreadableContent:
            return False
        return False

    def reveal(self, problem: Problem) -> QWidget | None:
        """Put the cursor to the place of a problem; returns the widget that has the focus then."""
        field = self.field_of(problem)
        if field is None:
            return None
        field.set_problem(problem)
        widget = field.reveal(problem)
        bring_into_view(widget)
        return widget

    @Slot()
    def _space(self) -> None:
        px = self.theme.px
        self._outer.setContentsMargins(px(20), px(16), px(20), px(16))
        self._outer.setSpacing(px(12))
        self.body.setSpacing(px(16))
        self.heading.setSpacing(px(8))


def bring_into_view(widget: QWidget) -> None:
    """Scroll every area above the widget so that it is seen."""
    above: QObject | None = widget.parent()
    while isinstance(above, QWidget):
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget, 40, 40)
        above = above.parent()
    widget.setFocus(Qt.FocusReason.OtherFocusReason)
