"""A file of the pack as plain text, for what is too broken for a form."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.undo_keys import UndoKeys
from desktop.gui.editor.form.prompt_section import PromptEdit
from desktop.gui.editor.form.section import Section, bring_into_view
from desktop.gui.theme import Theme
from desktop.gui.widgets.field_frame import FieldFrame
from desktop.gui.widgets.plain_text import fill, typed_into
from packs.documents.problems import Problem, Severity
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST


class TextSection(Section):
    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(theme, document, "Files as text", "The files of the pack as they are on disk.")
        self.box = QComboBox()
        self.box.setAccessibleName("File")
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(24)
        self.box_frame = FieldFrame(theme, "Fi&le", self.box)
        self.body.addWidget(self.box_frame)
        self.edit = PromptEdit(theme)
        self.frame = FieldFrame(theme, "&Text", self.edit)
        self.body.addWidget(self.frame, 1)
        self._filling = False
        UndoKeys(self.edit, document)
        self._problems: list[Problem] = []
        self._names: list[str] = []
        self._shown = ""
        """The text that was put there, or sent last."""
        self.box.activated.connect(self._show)
        self.edit.textChanged.connect(self._typed)

    @property
    def file(self) -> str:
        return self.box.currentText() or MANIFEST

    def owns(self, problem: Problem) -> bool:
        """The last resort: whatever no other page takes."""
        return True

    def refresh(self) -> None:
        names = sorted(self.document.content.files, key=lambda name: (name != MANIFEST, "/" in name, name))
        if names != self._names:
            file = self.file
            self._names = names
            self.box.clear()
            self.box.addItems(names)
            self.box.setCurrentIndex(max(0, names.index(file) if file in names else 0))
        self._show()

    def show_problems(self, problems: list[Problem]) -> None:  # type: ignore[override]
        self._problems = list(problems)
        own = next((problem for problem in problems if problem.file == self.file), None)
        self.box_frame.clear_problem()
        if own is None:
            self.frame.clear_problem()
        else:
            self._notify(own)

    def _notify(self, problem: Problem) -> None:
        where = f"Line {problem.line}: " if problem.line else ""
        hint = problem.severity is not Severity.ERROR
        self.frame.show_problem(f"{where}{problem.message}", problem.fix, hint=hint)

    def reveal(self, problem: Problem) -> QWidget | None:
        self.refresh()
        place = self._names.index(problem.file) if problem.file in self._names else -1
        if place < 0:
            # Not there, or a link that leads elsewhere: there is nothing to be shown of it.
            self.box_frame.show_problem(f"{problem.file}: {problem.message}", problem.fix)
            bring_into_view(self.box)
            return self.box
        self.box.setCurrentIndex(place)
        self._show()
        self._notify(problem)
        block = self.edit.document().findBlockByNumber((problem.line or 1) - 1)
        cursor = self.edit.textCursor()
        if block.isValid():
            column = min((problem.column or 1) - 1, max(block.length() - 1, 0))
            cursor.setPosition(block.position() + column)
            key = str(problem.path[-1]) if problem.path else ""
            rest = block.text()[column:]
            if key and rest.startswith((key, f'"{key}"')):
                length = len(key) + (2 if rest.startswith('"') else 0)
                cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.KeepAnchor, length)
            else:
                cursor.movePosition(cursor.MoveOperation.EndOfBlock, cursor.MoveMode.KeepAnchor)
        self.edit.setTextCursor(cursor)
        self.edit.ensureCursorVisible()
        bring_into_view(self.edit)
        return self.edit

    @Slot()
    def _show(self) -> None:
        try:
            text = self.document.content.text(self.file)
            readable = True
        except UnreadableContent:
            text = self.document.content.files.get(self.file, b"").decode("utf-8", "replace")
            readable = False
        self._shown = text
        self._filling = True
        fill(self.edit, text, editable=readable)
        self._filling = False
        self.show_problems(self._problems)

    @Slot()
    def _typed(self) -> None:
        text = typed_into(self.edit, self._shown)
        # A change of colours or fonts is told as one of the text too.
        if not self._filling and text != self._shown:
            self._shown = text
            self.document.push(self.document.content.put_text(self.file, text, f"edit {self.file}"))
