"""The examples: a table to find and choose, and the chosen one below to edit."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from desktop.gui.editor.document import PackDocument
from desktop.gui.editor.example_rows import ExampleRow, name_trouble, next_example_file, review_of, row_of
from desktop.gui.editor.expected_field import ExpectedField
from desktop.gui.editor.fields import BoundField, as_text
from desktop.gui.editor.section import Section, bring_into_view
from desktop.gui.editor.undo_keys import UndoKeys
from desktop.gui.runs.rows_model import Column, RowsModel
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.field_frame import FieldFrame
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import one_line
from packs.errors import AppError
from packs.problems import Problem, Severity
from packs.task.content import Unreadable
from packs.task.new_pack import NewExample, example_text

_MOST_PASTED = 10_000
STAND_IN = "replace_me"
"""The key of the examples that a new pack begins with (format, section 11)."""


class InputField(BoundField):
    """The input of the chosen example, many lines if it has them."""

    def __init__(self, theme: Theme, document: PackDocument) -> None:
        self.edit = QPlainTextEdit()
        self.edit.setTabChangesFocus(True)
        super().__init__(theme, document, "", ("input",), "&Input", self.edit)
        self._filling = False
        UndoKeys(self.edit, document)
        self.edit.textChanged.connect(self._typed)
        theme.changed.connect(self._size)
        self._size()

    def show_file(self, file: str) -> None:
        self.file = file
        self.refresh()

    def refresh(self) -> None:
        text = as_text(self.value())
        if text != self.edit.toPlainText():
            self._filling = True
            self.edit.setPlainText(text)
            self._filling = False

    def owns(self, problem: Problem) -> bool:
        return problem.file == self.file and problem.path[:1] != ("expected",)

    def reveal(self, problem: Problem) -> QWidget:
        self.edit.setFocus()
        self.edit.selectAll()
        return self.edit

    @Slot()
    def _typed(self) -> None:
        if self._filling:
            return
        text = self.edit.toPlainText()
        try:
            tree = self.document.content.tree(self.file)
        except Unreadable:
            tree = None
        if isinstance(tree, dict) and STAND_IN in tree:
            # With an input of its own it is no stand-in any more.
            real = {key: value for key, value in tree.items() if key != STAND_IN}
            self.path = ()
            self.send({**real, "input": text})
            self.path = ("input",)
        else:
            self.send(text)

    @Slot()
    def _size(self) -> None:
        self.edit.setFont(self._theme.font(Type.MONO))
        self.edit.setMinimumHeight(self.edit.fontMetrics().height() * 4)


class ExamplesTable(Table):
    """Delete takes the chosen rows away, Ctrl+V adds those of a spreadsheet."""

    delete_asked = Signal()
    paste_asked = Signal()

    def paste(self) -> None:
        self.paste_asked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_asked.emit()
        else:
            super().keyPressEvent(event)


class ExamplesSection(Section):
    selected = Signal(str)
    """File of the example that is shown now; '' for none."""

    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(theme, document, "Examples")
        self._problems: dict[str, Problem] = {}
        self._all: list[Problem] = []
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
        for widget in (
            self.count,
            self.search,
            self.add_button,
            self.copy_button,
            self.delete_button,
            self.paste_button,
        ):
            self.heading.addWidget(widget)
        self.rows = RowsModel[ExampleRow](self._columns(), self)
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self.rows)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._shown.setFilterKeyColumn(-1)
        self.table = ExamplesTable(theme, "Examples")
        self.table.setModel(self._shown)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.set_widths((9, None, 26, 14))
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
        self.search.textChanged.connect(self._shown.setFilterFixedString)
        self.name_line.editingFinished.connect(self._rename)
        self.add_button.clicked.connect(self.add)
        self.copy_button.clicked.connect(self.duplicate)
        self.delete_button.clicked.connect(self.delete)
        self.paste_button.clicked.connect(self._paste)
        self.table.delete_asked.connect(self.delete)
        self.table.paste_asked.connect(self._paste)
        self.refresh()

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
        except Unreadable:
            return False
        return isinstance(tree, dict) and problem.path[:1] in (("input",), ("expected",), ("replace_me",))

    def owns_file(self, file: str) -> bool:
        folder = self.document.content.examples_folder
        return file.startswith(f"{folder}/" if folder else "") and file.lower().endswith(".json")

    # What is shown

    def refresh(self) -> None:
        """Everything anew: after opening, undo, or what touched many files."""
        content = self.document.content
        review = review_of(content)
        self.rows.set_rows([row_of(content, file, review) for file in content.example_files()])
        self._after_rows()
        self.select(self._file if self._file in content.files else "")

    def refresh_files(self, files: frozenset[str]) -> None:
        """Only these files changed: their rows, and the fields if one of them is shown."""
        content = self.document.content
        known = {row.file: place for place, row in enumerate(self.rows.rows)}
        wanted = content.example_files()
        if len(wanted) != len(known) or any(file not in known for file in wanted):
            self.refresh()
            return
        review = review_of(content) if len(files) < 50 else None
        touched = {known[file]: row_of(content, file, review) for file in files if file in known}
        self.rows.change(touched)
        for field in self.fields:
            field.refresh()

    def select(self, file: str) -> None:
        """Show this example; the first when there is no such file."""
        rows = self.rows.rows
        place = next((at for at, row in enumerate(rows) if row.file == file), 0 if rows else -1)
        index = self._shown.mapFromSource(self.rows.index(place, 0)) if place >= 0 else QModelIndex()
        if place >= 0 and not index.isValid():
            self.search.clear()
            index = self._shown.mapFromSource(self.rows.index(place, 0))
        if index.isValid():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, flags)
            self.table.scrollTo(index)
        self._show(rows[place].file if place >= 0 else "")

    def show_problems(self, problems: Sequence[Problem]) -> None:
        before = self._problems
        self._problems = {}
        for problem in problems:
            known = self._problems.get(problem.file)
            if known is None or (known.severity is not Severity.ERROR and problem.severity is Severity.ERROR):
                self._problems[problem.file] = problem
        changed = {file for file in {*before, *self._problems} if before.get(file) != self._problems.get(file)}
        places = {row.file: at for at, row in enumerate(self.rows.rows)}
        self.rows.change({places[file]: self.rows.row(places[file]) for file in changed if file in places})
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
                return row.state or "–"
            return "problem" if problem.severity is Severity.ERROR else "hint"

        def why(row: ExampleRow) -> str:
            problem = self._problems.get(row.file)
            return problem.message if problem is not None else row.state

        return [
            Column("No.", lambda row: row.id),
            Column("Input", lambda row: one_line(row.input), tooltip=lambda row: row.input),
            Column("Expected", lambda row: one_line(row.expected), tooltip=lambda row: row.expected),
            Column("State", trouble, tooltip=why),
        ]

    def _after_rows(self) -> None:
        count = self.rows.rowCount()
        self.count.setText(f"{count:,} example{'' if count == 1 else 's'}")
        for button in (self.copy_button, self.delete_button):
            button.setEnabled(count > 0)
        self._detail.setEnabled(count > 0)

    @Slot(QModelIndex, QModelIndex)
    def _row_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self._show(self.rows.row(self._shown.mapToSource(current).row()).file)

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
        content = example_text(NewExample("", self._usual_expected())).encode()
        self._push({file: content}, f"add example {_stem(file)}")
        self.select(file)
        self.input_field.edit.setFocus()

    @Slot()
    def duplicate(self) -> None:
        data = self.document.content.files.get(self._file)
        if data is None:
            return
        file = next_example_file(self.document.content)
        self._push({file: data}, f"duplicate example {_stem(self._file)}")
        self.select(file)

    @Slot()
    def delete(self) -> None:
        """All chosen rows, as one step."""
        chosen = sorted(
            {self._shown.mapToSource(index).row() for index in self.table.selectionModel().selectedRows()}
        )
        files = [self.rows.row(place).file for place in chosen]
        if not files:
            return
        rows = self.rows.rows
        after = next(
            (row.file for row in rows[chosen[-1] + 1 :]), rows[chosen[0] - 1].file if chosen[0] else ""
        )
        words = f"delete example {_stem(files[0])}" if len(files) == 1 else f"delete {len(files)} examples"
        self._push(dict.fromkeys(files), words)
        self.select(after)

    @Slot()
    def _paste(self) -> None:
        self.paste(QGuiApplication.clipboard().text())

    def paste(self, text: str) -> int:
        """Rows of a spreadsheet: first column the input, second the expected answer. Returns how many."""
        rows = [
            row for row in csv.reader(io.StringIO(text), delimiter="\t") if any(cell.strip() for cell in row)
        ]
        content = self.document.content
        folder = content.examples_folder
        files: dict[str, bytes | None] = {}
        first = next_example_file(content)
        width, number = len(_stem(first)), int(_stem(first))
        for row in rows[:_MOST_PASTED]:
            expected = self._read_expected(row[1].strip()) if len(row) > 1 else self._usual_expected()
            name = f"{folder}/{number:0{width}d}.json" if folder else f"{number:0{width}d}.json"
            files[name] = example_text(NewExample(row[0], expected)).encode()
            number += 1
        if files:
            self._push(files, f"paste {len(files)} example{'' if len(files) == 1 else 's'}")
            self.select(first)
        return len(files)

    @Slot()
    def _rename(self) -> None:
        name = self.name_line.text()
        if not self._file or name == _stem(self._file):
            return
        trouble = name_trouble(name)
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
        self._push({old: None, target: data}, f"rename example {_stem(old)} to {name}")
        self.select(target)

    def _push(self, files: dict[str, bytes | None], label: str) -> None:
        try:
            self.document.push(self.document.content.put_files(files, label))
        except AppError as error:
            self.name_field.show_problem(error.message, error.fix)

    def _scorer(self) -> tuple[str, dict[str, object]]:
        try:
            manifest = self.document.content.manifest()
        except Unreadable:
            return "", {}
        params = manifest.get("scorer_params")
        return str(manifest.get("scorer", "")), params if isinstance(params, dict) else {}

    def _usual_expected(self) -> object:
        scorer, params = self._scorer()
        if scorer == "field-f1":
            keys = params.get("key_fields")
            return {str(key): None for key in keys} if isinstance(keys, list) else {}
        return 0 if scorer == "numeric-tolerance" else ""

    def _read_expected(self, text: str) -> object:
        from desktop.gui.editor.fields import as_number
        from packs.task.strict_json import JsonFault, parse

        scorer, _ = self._scorer()
        if scorer == "numeric-tolerance":
            return as_number(text)
        if text[:1] in ("{", "["):
            try:
                return parse(text)
            except JsonFault:
                return text
        return text


def _stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].removesuffix(".json")
