"""From a table to a pack: what was read, how, what it would become; each choice can be changed at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
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

from desktop.foundation.cancel import CancelToken
from desktop.foundation.cycle_search import CycleSearch
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.ingest.format_boxes import FOUND, FormatBoxes, named_box
from desktop.gui.ingest.free_in_pieces import free_by_pieces
from desktop.gui.ingest.table_preview import TablePreview, shown_columns
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.dialog_size import open_as_large_as, scrolled
from desktop.gui.widgets.label import TextLabel
from desktop.ingest.pack_folder import check_target, write_new_pack
from desktop.ingest.table_import import TableImport, imported_files, look_at_table
from desktop.ingest.tables.model import TableFormat
from packs.errors import AppError
from packs.task.new_pack import kebab
from packs.task.scorers import SCORERS

REJECTED_SHOWN = 30
_NAME_CHARACTERS = 26


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
        self._shown_once = False
        self._read_as: TableFormat | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Make a pack from {file.name}")
        self._build(documents)
        self._connect()
        open_as_large_as(self, theme, 980, 680)
        self.look()

    def _build(self, documents: Path) -> None:
        theme, px = self._theme, self._theme.px
        self.heading = TextLabel(theme, self._file.name, kind=Type.SECTION, elide=True)
        self.status = TextLabel(theme, "Reading …", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.format = FormatBoxes(theme)
        self.preview = TablePreview(theme)
        self.rows = self.preview.rows
        self.input_box = named_box("Input is the column", [], narrow=True)
        self.scorer_box = named_box(
            "Judged by", [("", FOUND), *((s.name, s.title) for s in SCORERS)], narrow=True
        )
        self.expected_boxes: list[QCheckBox] = []
        self._expected = QVBoxLayout()
        self.reasons = TextLabel(theme, "", tone=Tone.MUTED, wrap=True, firm=True)
        self.summary = TextLabel(theme, "", bold=True, wrap=True)
        self.rejected_rows = TextLabel(theme, "", tone=Tone.WARN, wrap=True, firm=True, selectable=True)
        self.name_line = QLineEdit(kebab(self._file.stem) or "imported")
        self.name_line.setAccessibleName("Name of the pack")
        self.folder_line = QLineEdit(str(documents / self.name_line.text()))
        self.folder_line.setAccessibleName("Folder of the pack")
        self.browse_button = Button(theme, "&Browse…", icon="folder")
        self.message = TextLabel(theme, "", tone=Tone.BAD, wrap=True)
        self.message.hide()
        self.cancel_button = Button(theme, "&Cancel")
        self.make_button = Button(theme, "&Make the pack", icon="plus", primary=True)
        self.make_button.setDefault(True)

        choices = QWidget()
        form = QVBoxLayout(choices)
        form.setContentsMargins(px(12), 0, px(4), 0)
        form.setSpacing(px(8))
        for text, box in (("&Input is the column", self.input_box), ("&Judged by", self.scorer_box)):
            message = TextLabel(theme, text)
            message.setBuddy(box)
            if box is self.scorer_box:
                form.addWidget(TextLabel(theme, "The expected answer is"))
                form.addLayout(self._expected)
            form.addWidget(message)
            form.addWidget(box)
        for label in (self.reasons, self.rejected_rows):
            form.addWidget(label)
        form.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(choices)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setMinimumWidth(theme.chars(38))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.preview)
        split.addWidget(scroll)
        split.setSizes([px(600), px(340)])
        target = QGridLayout()
        for row, (text, line) in enumerate((("&Name", self.name_line), ("&Folder", self.folder_line))):
            message = TextLabel(theme, text)
            message.setBuddy(line)
            target.addWidget(message, row, 0)
            target.addWidget(line, row, 1)
        target.addWidget(self.browse_button, 1, 2)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.make_button)
        # The rows keep a height that shows something; on a small screen the body scrolls instead.
        self._split = split
        split.setMinimumHeight(theme.row_height() * 7)
        content = QWidget()
        body = QVBoxLayout(content)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(px(12))
        body.addWidget(self.heading)
        body.addWidget(self.status)
        body.addLayout(self.format)
        body.addWidget(split, 1)
        body.addWidget(self.summary)
        body.addLayout(target)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(16), px(16), px(16), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(scrolled(content), 1)
        outer.addWidget(self.message)
        outer.addLayout(buttons)

    def _connect(self) -> None:
        self.format.chosen.connect(self._format_chosen)
        self.input_box.activated.connect(self.look)
        self.scorer_box.activated.connect(self.look)
        self.browse_button.clicked.connect(self._browse)
        self.name_line.textEdited.connect(self._name_edited)
        self.cancel_button.clicked.connect(self.reject)
        self.make_button.clicked.connect(self.make)
        self.finished.connect(self._end)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self._theme.chars(100)
        turned = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._split.orientation() is not turned:
            self._split.setOrientation(turned)
            self._split.setMinimumHeight(self._theme.row_height() * (7 if wide else 14))

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
        wanted = self.format.wanted
        chosen = bool(self._columns)
        # Another column needs no other reading, and reading is what takes time.
        known = self._found.table if self._found is not None and wanted == self._read_as else None
        read = partial(
            look_at_table,
            self._file,
            wanted,
            table=known,
            input_column=self.input_box.currentData() if chosen else None,
            expected_columns=self._expected_chosen() if chosen else None,
            scorer=self.scorer_box.currentData() or None,
        )

        def job(cancel: CancelToken) -> tuple[TableFormat, TableImport]:
            try:
                # A full search over the rows, which hold no cycles, would let the window stand still.
                with CycleSearch.paused(keep=True):
                    return wanted, read()
            finally:
                if cancel.cancelled:
                    CycleSearch.release()

        self.make_button.setEnabled(False)
        token = self._tasks.start(job, self._show, self._failed)
        self._asked = token

    def _expected_chosen(self) -> list[str] | None:
        chosen = [str(box.property("column")) for box in self.expected_boxes if box.isChecked()]
        return chosen or None

    def _show(self, answer: tuple[TableFormat, TableImport]) -> None:
        self._asked = None
        self._read_as, found = answer
        self._let_go()
        self._found = found
        self._filling = True
        table = found.table
        self.status.setText(" ".join(table.notes))
        self.status.set_tone(Tone.MUTED)
        self.format.say(table)
        self.preview.show_table(found)
        if table.columns != self._columns:
            self._columns = table.columns
            self._make_columns(found)
        for box in self.expected_boxes:
            # What is sent to the model cannot be what is expected of it.
            is_input = box.property("column") == self.input_box.currentData()
            box.setEnabled(not is_input)
            if is_input:
                box.setChecked(False)
        self._filling = False
        self._focus_once()
        self.reasons.setText("\n".join(found.reasons))
        self._show_summary(found)

    def _focus_once(self) -> None:
        """At the first result: to the first choice that matters, unless the person is elsewhere already."""
        if not self._shown_once:
            self._shown_once = True
            self.input_box.setFocus()

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
        names = found.table.columns
        for name, shown in zip(names, shown_columns(names, _NAME_CHARACTERS), strict=True):
            box = QCheckBox(shown.replace("&", "&&"))
            box.setToolTip(name if shown != name else "")
            # Else the longest name decides how wide all choices are.
            box.setMinimumWidth(1)
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
        self._let_go()
        self.preview.clear()
        self.summary.setText("")
        self.make_button.setEnabled(False)

    @Slot()
    def _end(self) -> None:
        """The table is let go, and Python may look for cycles everywhere again."""
        if self._asked is not None:
            self._asked.cancel()
        self._let_go()
        CycleSearch.release()

    def _let_go(self) -> None:
        """The table that was read before is of no use any more; freeing it takes its time elsewhere."""
        if self._found is not None:
            holder, self._found = [self._found], None
            self._tasks.start(partial(free_by_pieces, holder), _nothing, _raise)

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

    def _complain(self, message: str) -> None:
        self.message.setText(message)
        self.message.setVisible(bool(message))

    def _not_made(self, error: Exception) -> None:
        said = sentence_for(error)
        self._complain(f"{said.message} {said.fix}".strip())
        self.make_button.setEnabled(True)
        if isinstance(error, AppError) and error.code == "target_not_empty":
            self.folder_line.setFocus()
            self.folder_line.selectAll()


def _nothing(_result: None) -> None:
    return None


def _raise(error: Exception) -> None:
    raise error
