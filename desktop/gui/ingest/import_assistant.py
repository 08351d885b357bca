"""From a table to a pack: what was read, how, what it would become; each choice can be changed at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from desktop.cancel import CancelToken
from desktop.gui.errors import sentence_for
from desktop.gui.runs.rows_model import Column, RowsModel
from desktop.gui.tasks import TaskRunner
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.flow import FlowLayout
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import one_line
from desktop.ingest.encoding import ENCODINGS
from desktop.ingest.pack_folder import check_target, write_new_pack
from desktop.ingest.table_import import TableImport, imported_files, look_at_table
from desktop.ingest.tables.delimited import DELIMITER_NAMES
from desktop.ingest.tables.model import Row, TableFormat
from packs.errors import AppError
from packs.task.new_pack import kebab
from packs.task.scorers import SCORERS

PREVIEW_ROWS = 200
REJECTED_SHOWN = 30


class ImportAssistant(QDialog):
    """Nothing is written before the button is pressed; the table itself is never changed."""

    made = Signal(object)
    """Path of the new pack's folder."""

    def __init__(
        self, theme: Theme, tasks: TaskRunner, file: Path, documents: Path, parent: QWidget | None = None
    ) -> None:
        """documents: where new packs are put unless the person says otherwise."""
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._file = file
        self._found: TableImport | None = None
        self._asked: CancelToken | None = None
        self._filling = False
        self._columns: tuple[str, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Make a pack from {file.name}")
        self._build(documents)
        self._connect()
        self.resize(theme.px(980), theme.px(680))
        self.look()

    def _build(self, documents: Path) -> None:
        theme, px = self._theme, self._theme.px
        self.heading = TextLabel(theme, self._file.name, kind=Type.SECTION, elide=True)
        self.status = TextLabel(theme, "Reading …", tone=Tone.MUTED, wrap=True)
        self.encoding = _box("Encoding", [("", "found by itself"), *((name, name) for name in ENCODINGS)])
        self.delimiter = _box("Between columns", [("", "found by itself"), *DELIMITER_NAMES.items()])
        self.header = _box("First row", [("", "found by itself"), ("yes", "names"), ("no", "content")])
        self.decimal = _box("Decimal sign", [("", "found by itself"), (".", "point"), (",", "comma")])
        self.sheet = _box("Sheet", [])
        self._format = FlowLayout()
        self._format_parts: dict[QComboBox, QWidget] = {}
        for box in (self.encoding, self.delimiter, self.header, self.decimal, self.sheet):
            part = QWidget()
            column = QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            label = TextLabel(theme, box.accessibleName(), kind=Type.SMALL, tone=Tone.MUTED)
            label.setBuddy(box)
            column.addWidget(label)
            column.addWidget(box)
            self._format_parts[box] = part
            self._format.addWidget(part)
        self.rows = RowsModel[Row]([], self)
        self.preview = Table(theme, "Rows of the table")
        self.preview.setModel(self.rows)
        self.input_box = _box("Input is the column", [])
        self.scorer_box = _box("Judged by", [("", "found by itself"), *((s.name, s.title) for s in SCORERS)])
        self.expected_boxes: list[QCheckBox] = []
        self._expected = QVBoxLayout()
        self.reasons = TextLabel(theme, "", tone=Tone.MUTED, wrap=True)
        self.summary = TextLabel(theme, "", bold=True, wrap=True)
        self.rejected_rows = TextLabel(theme, "", tone=Tone.WARN, wrap=True, selectable=True)
        self.name_line = QLineEdit(kebab(self._file.stem) or "imported")
        self.name_line.setAccessibleName("Name of the pack")
        self.folder_line = QLineEdit(str(documents / self.name_line.text()))
        self.folder_line.setAccessibleName("Folder of the pack")
        self.browse_button = Button(theme, "&Browse…", icon="folder")
        self.message = TextLabel(theme, "", tone=Tone.BAD, wrap=True)
        self.cancel_button = Button(theme, "&Cancel")
        self.make_button = Button(theme, "&Make the pack", icon="plus", primary=True)
        self.make_button.setDefault(True)

        choices = QWidget()
        form = QVBoxLayout(choices)
        form.setContentsMargins(px(12), 0, px(4), 0)
        form.setSpacing(px(8))
        for text, box in (("&Input is the column", self.input_box), ("&Judged by", self.scorer_box)):
            words = TextLabel(theme, text)
            words.setBuddy(box)
            if box is self.scorer_box:
                form.addWidget(TextLabel(theme, "The expected answer is"))
                form.addLayout(self._expected)
            form.addWidget(words)
            form.addWidget(box)
        for label in (self.reasons, self.summary, self.rejected_rows):
            form.addWidget(label)
        form.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(choices)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.preview)
        split.addWidget(scroll)
        split.setSizes([px(600), px(340)])
        target = QGridLayout()
        for row, (text, line) in enumerate((("&Name", self.name_line), ("&Folder", self.folder_line))):
            words = TextLabel(theme, text)
            words.setBuddy(line)
            target.addWidget(words, row, 0)
            target.addWidget(line, row, 1)
        target.addWidget(self.browse_button, 1, 2)
        buttons = QHBoxLayout()
        buttons.addWidget(self.message, 1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.make_button)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(16), px(16), px(16), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(self.heading)
        outer.addWidget(self.status)
        outer.addLayout(self._format)
        outer.addWidget(split, 1)
        outer.addLayout(target)
        outer.addLayout(buttons)

    def _connect(self) -> None:
        for box in (self.encoding, self.delimiter, self.header, self.decimal, self.sheet):
            box.activated.connect(self._format_chosen)
        self.input_box.activated.connect(self.look)
        self.scorer_box.activated.connect(self.look)
        self.browse_button.clicked.connect(self._browse)
        self.name_line.textEdited.connect(self._name_edited)
        self.cancel_button.clicked.connect(self.reject)
        self.make_button.clicked.connect(self.make)

    # Looking

    @Slot()
    def _format_chosen(self) -> None:
        """Another way of reading: the columns may be others, so the mapping is found anew."""
        self._columns = ()
        self.look()

    @Slot()
    def look(self) -> None:
        """Read the table as the choices say, off the GUI thread; only the newest answer counts."""
        if self._filling:
            return
        if self._asked is not None:
            self._asked.cancel()
        wanted = TableFormat(
            encoding=self.encoding.currentData() or None,
            delimiter=self.delimiter.currentData() or None,
            has_header={"yes": True, "no": False}.get(self.header.currentData()),
            decimal=self.decimal.currentData() or None,
            sheet=self.sheet.currentData() if self.sheet.count() > 1 else None,
        )
        chosen = bool(self._columns)
        read = partial(
            look_at_table,
            self._file,
            wanted,
            input_column=self.input_box.currentData() if chosen else None,
            expected_columns=self._expected_chosen() if chosen else None,
            scorer=self.scorer_box.currentData() or None,
        )

        def job(_cancel: CancelToken) -> TableImport:
            return read()

        self.make_button.setEnabled(False)
        token = self._tasks.start(job, self._show, self._failed)
        self._asked = token

    def _expected_chosen(self) -> list[str] | None:
        chosen = [str(box.property("column")) for box in self.expected_boxes if box.isChecked()]
        return chosen or None

    def _show(self, found: TableImport) -> None:
        self._asked = None
        self._found = found
        self._filling = True
        table = found.table
        self.status.setText(" ".join(table.notes))
        self.status.set_tone(Tone.MUTED)
        if table.sheets and self.sheet.count() != len(table.sheets):
            self.sheet.clear()
            for sheet in table.sheets:
                self.sheet.addItem(sheet, sheet)
            self.sheet.setCurrentIndex(max(self.sheet.findData(table.format.sheet), 0))
        is_text = table.format.delimiter is not None
        self._format_parts[self.encoding].setVisible(table.format.encoding is not None)
        self._format_parts[self.delimiter].setVisible(is_text)
        self._format_parts[self.sheet].setVisible(len(table.sheets) > 1)
        self._show_rows(found)
        if table.columns != self._columns:
            self._columns = table.columns
            self._make_columns(found)
        self._filling = False
        self.reasons.setText("\n".join(found.reasons))
        self._show_summary(found)

    def _show_rows(self, found: TableImport) -> None:
        def column(place: int, name: str) -> Column[Row]:
            def text(row: Row) -> str:
                cell = row.cells[place]
                return "" if cell is None else one_line(str(cell)[:300])

            return Column(name, text, tooltip=text)

        columns: list[Column[Row]] = [Column("Row", lambda row: str(row.number), right=True)]
        columns += [column(place, name) for place, name in enumerate(found.table.columns)]
        self.rows.set_columns(columns, found.table.rows[:PREVIEW_ROWS])
        self.preview.set_widths((6, *[24.0] * (len(columns) - 2), None))

    def _make_columns(self, found: TableImport) -> None:
        mapping = found.mapping
        self.input_box.clear()
        for name in found.table.columns:
            self.input_box.addItem(name, name)
        if mapping is not None:
            self.input_box.setCurrentIndex(self.input_box.findData(mapping.input))
        for box in self.expected_boxes:
            self._expected.removeWidget(box)
            box.deleteLater()
        self.expected_boxes = []
        for name in found.table.columns:
            box = QCheckBox(name.replace("&", "&&"))
            box.setAccessibleName(f"Expected: {name}")
            box.setProperty("column", name)
            box.setChecked(mapping is not None and name in mapping.expected)
            box.toggled.connect(self.look)
            self._expected.addWidget(box)
            self.expected_boxes.append(box)

    def _show_summary(self, found: TableImport) -> None:
        examples = found.examples
        if examples is None:
            self.summary.setText("Choose the column with the input and those with the expected answer.")
            self.rejected_rows.setText("")
            self.make_button.setEnabled(False)
            return
        self.summary.setText(examples.summary())
        rows = [*examples.rejected, *examples.repeated]
        lines = [f"Row {row.number}: {row.reason}" for row in rows[:REJECTED_SHOWN]]
        if len(rows) > REJECTED_SHOWN:
            lines.append(f"… and {len(rows) - REJECTED_SHOWN} more.")
        self.rejected_rows.setText("\n".join(lines))
        self.make_button.setEnabled(bool(examples.examples))

    def _failed(self, error: Exception) -> None:
        self._asked = None
        said = sentence_for(error)
        self.status.setText(f"{said.message} {said.fix}".strip())
        self.status.set_tone(Tone.BAD)
        self.make_button.setEnabled(False)

    # Making

    @Slot(str)
    def _name_edited(self, name: str) -> None:
        folder = Path(self.folder_line.text())
        self.folder_line.setText(str(folder.with_name(kebab(name) or "imported")))

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self, "Where the pack is to be", str(Path(self.folder_line.text()).parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._folder_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def _folder_chosen(self, folder: str) -> None:
        self.folder_line.setText(str(Path(folder) / (kebab(self.name_line.text()) or "imported")))

    @Slot()
    def make(self) -> None:
        """Write the pack off the GUI thread; the dialog stays open when that does not work."""
        found = self._found
        if found is None or not self.make_button.isEnabled():
            return
        target, name = Path(self.folder_line.text()).expanduser(), self.name_line.text().strip()

        def job(_cancel: CancelToken) -> Path:
            check_target(target)
            write_new_pack(target, imported_files(found, name or target.name))
            return target

        self.make_button.setEnabled(False)
        self._tasks.start(job, self._made, self._not_made)

    def _made(self, folder: Path) -> None:
        self.made.emit(folder)
        self.accept()

    def _not_made(self, error: Exception) -> None:
        said = sentence_for(error)
        self.message.setText(f"{said.message} {said.fix}".strip())
        self.make_button.setEnabled(True)
        if isinstance(error, AppError) and error.code == "target_not_empty":
            self.folder_line.setFocus()
            self.folder_line.selectAll()


def _box(name: str, entries: list[tuple[str, str]]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for value, words in entries:
        box.addItem(words, value)
    return box
