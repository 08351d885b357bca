"""The examples: a table to find and choose, and the chosen one below to edit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import cast

from PySide6.QtCore import QItemSelectionModel, QItemSelectionRange, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QLineEdit, QSplitter, QVBoxLayout, QWidget

from desktop.application.example_rows import ExampleRow, RowReader, next_example_file
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.example_edits import stem, usual_expected
from desktop.gui.editor.document.file_names import name_fault
from desktop.gui.editor.examples.example_list import ExampleList, ExamplesTable
from desktop.gui.editor.examples.expected_field import ExpectedField
from desktop.gui.editor.examples.input_field import InputField
from desktop.gui.editor.examples.pasting import Pasting
from desktop.gui.editor.form.section import Section, bring_into_view
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.field_frame import FieldFrame
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.rows_model import Column
from desktop.gui.widgets.text_runs import one_line
from packs.documents.problems import Problem, Severity
from packs.errors import AppError
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST
from packs.task.new_pack import NewExample, example_text
from packs.task.review import REVIEW_FILE

MANY = 50
"""With more changed files than this the table is made anew."""
REVIEWED = 4
"""Column that only a drafted pack has."""


class ExamplesSection(Section):
    selected = Signal(str)
    """File of the example that is shown now; '' for none."""

    def __init__(self, theme: Theme, document: PackDocument, rows: Sequence[ExampleRow] | None = None) -> None:
        """rows: of all examples, when they were made already where it does not hold up the window."""
        super().__init__(theme, document, "Examples")
        self._problems: dict[str, Problem] = {}
        self._all: list[Problem] = []
        self._reader = RowReader()
        self.pasting = Pasting(document, self._reader, self)
        self.count = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText("Find in input, expected or number")
        self.search.setAccessibleName("Find examples")
        self.add_button = Button(theme, "&Add", icon="plus")
        self.copy_button = Button(theme, "&Duplicate", icon="copy")
        self.delete_button = Button(theme, "De&lete", icon="delete")
        self.paste_button = Button(theme, "Pa&ste rows", icon="import")
        self.paste_button.setToolTip("Two columns from a spreadsheet: input and expected")
        for widget in (self.add_button, self.copy_button, self.delete_button, self.paste_button):
            self.heading.addWidget(widget)
        finding = QHBoxLayout()
        finding.addWidget(self.search, 1)
        finding.addWidget(self.count)
        self.body.addLayout(finding)
        self.rows = ExampleList(self._columns(), self)
        self.table = ExamplesTable(theme, "Examples")
        self.table.setModel(self.rows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.set_widths((9, None, 26, 10, 13))
        header = self.table.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.sortIndicatorChanged.connect(self._sort)
        self.name_line = QLineEdit()
        self.name_field = FieldFrame(theme, "&Number or name", self.name_line)
        self.input_field = InputField(theme, document)
        self.expected_field = ExpectedField(theme, document)
        self.fields = [self.input_field, self.expected_field]
        self._detail = QWidget()
        column = QVBoxLayout(self._detail)
        column.setContentsMargins(0, theme.px(8), 0, 0)
        for field in (self.name_field, self.input_field, self.expected_field):
            column.addWidget(field)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self._detail)
        split.setSizes([300, 260])
        self.body.addWidget(split, 1)
        self._file = ""
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.search.textChanged.connect(self._find)
        self.name_line.editingFinished.connect(self._rename)
        self.add_button.clicked.connect(self.add)
        self.copy_button.clicked.connect(self.duplicate)
        self.delete_button.clicked.connect(self.delete)
        self.paste_button.clicked.connect(self._paste)
        self.table.delete_asked.connect(self.delete)
        self.table.paste_asked.connect(self._paste)
        self.pasting.ready.connect(self._add_pasted)
        self.pasting.ended.connect(self._after_rows)
        self.refresh(rows)

    @property
    def file(self) -> str:
        """Of the example that is shown; '' for none."""
        return self._file

    def owns(self, problem: Problem) -> bool:
        return self.owns_file(problem.file) or problem.code in ("no_examples", "few_examples")

    def shows(self, problem: Problem) -> bool:
        if problem.code in ("no_examples", "few_examples", "bad_file_name"):
            return True
        content = self.document.content
        if content.example_place(problem.file) is None or problem.code == "duplicate_key":
            return False
        try:
            tree = content.tree(problem.file)
        except UnreadableContent:
            return False
        return isinstance(tree, dict) and problem.path[:1] in (("input",), ("expected",), ("replace_me",))

    def owns_file(self, file: str) -> bool:
        return self.owns_files((file,))

    def owns_files(self, files: Collection[str]) -> bool:
        """All of them."""
        folder = self.document.content.examples_folder
        prefix = f"{folder}/" if folder else ""
        return all(file.startswith(prefix) and file[-5:].lower() == ".json" for file in files)

    # What is shown

    def refresh(self, rows: Sequence[ExampleRow] | None = None) -> None:
        """Everything anew: after opening, or when there is another folder of examples."""
        content = self.document.content
        if rows is None:
            rows = self._reader.rows(content, self.document.review())
        else:
            self._reader.learn(content, rows)
        self._folder = content.examples_folder
        self.rows.set_all(rows)
        self._after_rows()
        self.select(self._file if self._file in content.files else "")

    def refresh_files(self, files: frozenset[str]) -> None:
        """Only these files changed: their rows, and the fields if one of them is shown."""
        content = self.document.content
        if content.examples_folder != self._folder or len(files) > MANY or REVIEW_FILE in files:
            self.refresh()
            return
        own = [file for file in files if self.owns_file(file)]
        review = self.document.review() if own else None
        for file in own:
            if content.example_place(file) is None:
                self.rows.take(file)
            else:
                self.rows.put(self._reader.row(content, file, review))
        if own:
            self._after_rows()
        if content.example_place(self._file) is None:
            self.select("")
        elif self._file in files or MANIFEST in files:
            for field in self.fields:
                field.refresh()

    def select(self, file: str) -> None:
        """Show this example; the first when there is no such file."""
        place = self.rows.place_of(file)
        if place is None and self.document.content.example_place(file) is not None:
            self.search.clear()
            place = self.rows.place_of(file)
        if place is None:
            place = 0 if self.rows.rows else None
        if place is not None:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            index = self.rows.index(place, 0)
            self.table.selectionModel().setCurrentIndex(index, flags)
            self.table.scrollTo(index)
        self._show(self.rows.row(place).file if place is not None else "")

    @Slot(str)
    def _find(self, text: str) -> None:
        file = self._file
        self.rows.set_filter(text)
        if self.rows.place_of(file) is not None:
            self.select(file)

    @Slot(int, Qt.SortOrder)
    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        self.rows.sort(column, order)
        self.select(self._file)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        before = self._problems
        self._problems = {}
        for problem in problems:
            known = self._problems.get(problem.file)
            if known is None or (known.severity is not Severity.ERROR and problem.severity is Severity.ERROR):
                self._problems[problem.file] = problem
        changed = {file for file in {*before, *self._problems} if before.get(file) != self._problems.get(file)}
        places = [place for place in map(self.rows.place_of, changed) if place is not None]
        self.rows.change({place: self.rows.row(place) for place in places})
        super().show_problems(problems)
        self._all = list(problems)

    def reveal(self, problem: Problem) -> QWidget | None:
        if problem.code in ("no_examples", "few_examples"):
            self.add_button.setFocus()
            return self.add_button
        if problem.code == "bad_file_name":
            return self._reveal_name(problem)
        self.select(problem.file)
        field = self.expected_field if problem.path[:1] == ("expected",) else self.input_field
        field.set_problem(problem)
        widget = field.reveal(problem)
        bring_into_view(widget)
        return widget

    def _reveal_name(self, problem: Problem) -> QWidget:
        """The file whose name is no text: told with a stand-in for what cannot be shown."""
        for file in self.document.content.example_files():
            if file.encode("utf-8", "replace").decode() == problem.file:
                self.select(file)
        self.name_field.show_problem(problem.message, problem.fix)
        self.name_line.setFocus()
        self.name_line.selectAll()
        return self.name_line

    def _columns(self) -> list[Column[ExampleRow]]:
        def trouble(row: ExampleRow) -> str:
            problem = self._problems.get(row.file)
            if problem is None:
                return "–" if row.readable else "problem"
            return "problem" if problem.severity is Severity.ERROR else "hint"

        def why(row: ExampleRow) -> str:
            problem = self._problems.get(row.file)
            if problem is not None:
                return problem.message
            return "" if row.readable else "This file is no example yet; see it under Files as text."

        return [
            Column("No.", lambda row: row.id),
            Column("Input", lambda row: one_line(row.input), tooltip=lambda row: row.input),
            Column("Expected", lambda row: one_line(row.expected), tooltip=lambda row: row.expected),
            Column("State", trouble, tooltip=why),
            Column("Reviewed", lambda row: row.state or "–"),
        ]

    @Slot()
    def _after_rows(self) -> None:
        count = len(self.rows.all_rows)
        self.count.setText(f"{count:,} example{'' if count == 1 else 's'}")
        self.table.setColumnHidden(REVIEWED, self.document.review() is None)
        for button in (self.copy_button, self.delete_button):
            button.setEnabled(count > 0)
        self._detail.setEnabled(count > 0)

    @Slot(QModelIndex, QModelIndex)
    def _row_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self._show(self.rows.row(current.row()).file)

    def _show(self, file: str) -> None:
        self._file = file
        self.name_line.setText(file.rsplit("/", 1)[-1].removesuffix(".json"))
        self.name_field.clear_problem()
        self.input_field.show_file(file)
        self.expected_field.show_file(file)
        super().show_problems(self._all)
        self.selected.emit(file)

    # What a person does

    @Slot()
    def add(self) -> None:
        """A new, empty example after the last."""
        file = next_example_file(self.document.content)
        content = example_text(NewExample("", usual_expected(self.document.content))).encode()
        self._push({file: content}, f"add example {stem(file)}")
        self.select(file)
        self.input_field.edit.setFocus()

    @Slot()
    def duplicate(self) -> None:
        data = self.document.content.files.get(self._file)
        if data is None:
            return
        file = next_example_file(self.document.content)
        self._push({file: data}, f"duplicate example {stem(self._file)}")
        self.select(file)

    @Slot()
    def delete(self) -> None:
        """All chosen rows, as one step."""
        # Ranges: an index for each of 10,000 rows would hold up the window.
        ranges = cast("Iterable[QItemSelectionRange]", self.table.selectionModel().selection())
        chosen = sorted({row for part in ranges for row in range(part.top(), part.bottom() + 1)})
        files = [self.rows.row(place).file for place in chosen]
        if not files:
            return
        rows = self.rows.rows
        after = next(
            (row.file for row in rows[chosen[-1] + 1 :]), rows[chosen[0] - 1].file if chosen[0] else ""
        )
        message = f"delete example {stem(files[0])}" if len(files) == 1 else f"delete {len(files)} examples"
        self._push(dict.fromkeys(files), message)
        self.select(after)

    @Slot()
    def _paste(self) -> None:
        self.paste(QGuiApplication.clipboard().text())

    def paste(self, text: str) -> None:
        """Rows of a spreadsheet: first column the input, second the expected answer. One step.

        It comes at once for a few rows, for many once all are read.
        """
        self.pasting.start(text)
        if self.pasting.is_running:
            self.count.setText("Reading the rows…")

    @Slot(object)
    def _add_pasted(self, files: dict[str, bytes | None]) -> None:
        if files:
            self._push(files, f"paste {len(files)} example{'' if len(files) == 1 else 's'}")
            self.select(next(iter(files)))

    @Slot()
    def _rename(self) -> None:
        name = self.name_line.text()
        if not self._file or name == stem(self._file):
            return
        trouble = name_fault(name)
        folder = self._file.rpartition("/")[0]
        target = f"{folder}/{name}.json" if folder else f"{name}.json"
        if not trouble and any(target.casefold() == file.casefold() for file in self.document.content.files):
            trouble = f"“{name}” is there already."
        if trouble:
            self.name_field.show_problem(trouble)
            return
        data = self.document.content.files[self._file]
        old = self._file
        self._file = target
        self._push({old: None, target: data}, f"rename example {stem(old)} to {name}")
        self.select(target)

    def _push(self, files: dict[str, bytes | None], label: str) -> None:
        try:
            self.document.push(self.document.content.put_files(files, label))
        except AppError as error:
            self.name_field.show_problem(error.message, error.fix)
