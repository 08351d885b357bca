"""The import assistant with real files: what it shows, what can be changed, what it makes."""

from __future__ import annotations

import gc
from pathlib import Path

import openpyxl
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.ingest.import_assistant import ImportAssistant
from desktop.gui.ingest.table_preview import PREVIEW_ROWS
from desktop.gui.theme import Theme
from packs.task.loader import load_pack
from tests.fakes.work_count import TurnProbe

MAXIMUM_CALLS = 40_000
"""In one turn of the event loop: less than one for each of the 100,000 rows."""

GERMAN = "\ufeffText;Betrag\r\n" + "".join(
    f"Rechnung Nr. {number} über {number},50 Euro;{number},50\r\n" for number in range(1, 25)
)


@pytest.fixture
def tasks(qapp: QApplication) -> TaskRunner:
    runner = TaskRunner(GuiThread(qapp))
    yield runner  # type: ignore[misc]
    runner.shutdown()


def opened(qtbot: QtBot, theme: Theme, tasks: TaskRunner, file: Path, documents: Path) -> ImportAssistant:
    assistant = ImportAssistant(theme, tasks, file, documents)
    assistant.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(assistant)
    assistant.show()
    qtbot.waitUntil(lambda: assistant.status.text() != "Reading …")
    return assistant


def test_that_a_csv_becomes_a_pack_by_one_press(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    (tmp_path / "rechnungen.csv").write_bytes(GERMAN.encode())
    assistant = opened(qtbot, theme, tasks, tmp_path / "rechnungen.csv", tmp_path / "documents")
    assert "semicolon" in assistant.status.text()
    assert assistant.summary.text() == "24 rows used."
    assert assistant.input_box.currentText() == "Text"
    with qtbot.waitSignal(assistant.made) as made:
        qtbot.mouseClick(assistant.make_button, Qt.MouseButton.LeftButton)
    pack = load_pack(made.args[0]).pack
    assert made.args[0] == tmp_path / "documents" / "rechnungen"
    assert pack is not None
    assert pack.scorer == "numeric-tolerance"
    assert pack.examples[0].expected == 1.5


def test_that_the_preview_follows_another_way_of_reading(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("first one;a\nsecond one;b\nthird one;a\n", encoding="utf-8")
    assistant = opened(qtbot, theme, tasks, tmp_path / "t.csv", tmp_path)
    assert assistant.rows.rowCount() == 3
    assistant.format.header.setCurrentIndex(assistant.format.header.findData("yes"))
    assistant.format.header.activated.emit(assistant.format.header.currentIndex())
    qtbot.waitUntil(lambda: assistant.rows.rowCount() == 2)
    assert [assistant.input_box.itemText(at) for at in range(2)] == ["first one", "a"]
    assistant.format.delimiter.setCurrentIndex(assistant.format.delimiter.findData(","))
    assistant.format.delimiter.activated.emit(assistant.format.delimiter.currentIndex())
    qtbot.waitUntil(lambda: assistant.input_box.count() == 1)
    assert not assistant.make_button.isEnabled()


def test_that_every_rejected_row_is_named(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("text,label\nfirst message,a\n,b\nfirst message,b\n", encoding="utf-8")
    assistant = opened(qtbot, theme, tasks, tmp_path / "t.csv", tmp_path)
    assert "2 rejected" in assistant.summary.text()
    assert "Row 3: The column 'text' is empty" in assistant.rejected_rows.text()


def test_that_several_expected_columns_can_be_ticked(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["message", "label", "total"])
    for number in range(3):
        book.active.append([f"message number {number}", "a", number])
    book.save(tmp_path / "t.xlsx")
    assistant = opened(qtbot, theme, tasks, tmp_path / "t.xlsx", tmp_path)
    assert [box.isChecked() for box in assistant.expected_boxes] == [False, True, False]
    box = assistant.expected_boxes[2]
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    qtbot.waitUntil(lambda: "field by field" in assistant.reasons.text())
    with qtbot.waitSignal(assistant.made) as made:
        assistant.make()
    pack = load_pack(made.args[0]).pack
    assert pack is not None
    assert pack.examples[0].expected == {"label": "a", "total": 0}


def test_that_an_occupied_folder_is_said_and_nothing_is_touched(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("text,label\nfirst message,a\nsecond message,b\n", encoding="utf-8")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "mine.txt").write_text("x", encoding="utf-8")
    assistant = opened(qtbot, theme, tasks, tmp_path / "t.csv", tmp_path)
    assistant.make()
    qtbot.waitUntil(lambda: "not empty" in assistant.message.text())
    assert [file.name for file in (tmp_path / "t").iterdir()] == ["mine.txt"]
    assert assistant.make_button.isEnabled()


def test_that_a_file_that_is_no_table_is_a_sentence(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(bytes(range(256)) * 20)
    assistant = opened(qtbot, theme, tasks, tmp_path / "t.csv", tmp_path)
    assert "is not a text file" in assistant.status.text()
    assert not assistant.make_button.isEnabled()


def test_that_every_control_has_a_name(qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text,label\nfirst message,a\nsecond message,b\n", encoding="utf-8")
    assistant = opened(qtbot, theme, tasks, tmp_path / "t.csv", tmp_path)
    boxes = [
        assistant.format.encoding,
        assistant.input_box,
        assistant.name_line,
        assistant.folder_line,
        assistant.preview,
    ]
    assert all(widget.accessibleName() for widget in [*boxes, *assistant.expected_boxes])


def test_that_the_preview_says_which_column_is_what_and_which_rows_are_left_out(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("text,label\nfirst message,a\n,b\nsecond message,b\n", encoding="utf-8")
    assistant = opened(qtbot, theme, tasks, tmp_path / "t.csv", tmp_path)
    headers = [assistant.rows.headerData(column, Qt.Orientation.Horizontal) for column in range(3)]
    assert headers == ["Row", "text → input", "label → expected"]
    spoken = assistant.rows.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "not used: The column 'text' is empty" in spoken
    assert assistant.format.encoding.currentText() == "found: utf-8"
    assert assistant.format.header.currentText() == "found: names"
    assert not assistant.expected_boxes[0].isEnabled()


def test_that_the_preview_follows_the_chosen_columns_without_reading_again(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("text,label,note\none message,a,x\nsecond message,b,y\n", encoding="utf-8")
    assistant = opened(qtbot, theme, tasks, file, tmp_path)
    file.unlink()
    place = assistant.input_box.findData("note")
    assistant.input_box.setCurrentIndex(place)
    assistant.input_box.activated.emit(place)
    qtbot.waitUntil(lambda: assistant.rows.headerData(3, Qt.Orientation.Horizontal) == "note → input")


@pytest.mark.parametrize("more_columns", [0, 10])
def test_that_a_hundred_thousand_rows_do_not_stall_the_window(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path, more_columns: int
) -> None:
    """Read, shown, read anew for another column, and let go."""
    file = tmp_path / "long.csv"
    names = "".join(f",more {place}" for place in range(more_columns))
    rows = (
        f"message number {number} of a long list,label {number % 7}"
        + "".join(f",{place} of {number}" for place in range(more_columns))
        for number in range(99_999)
    )
    file.write_text("\n".join([f"text,label{names}", *rows, ""]), encoding="utf-8")
    short = tmp_path / "short.csv"
    short.write_text("text,label\none,a\ntwo,b\n", encoding="utf-8")
    # What Qt makes once for the first dialog is not what is measured.
    opened(qtbot, theme, tasks, short, tmp_path).close()
    calls = most_calls_of_an_import(qtbot, theme, tasks, file)
    assert calls <= MAXIMUM_CALLS
    assert gc.get_freeze_count() == 0


def most_calls_of_an_import(qtbot: QtBot, theme: Theme, tasks: TaskRunner, file: Path) -> int:
    """In one turn of the event loop."""
    assistant = ImportAssistant(theme, tasks, file, file.parent)
    assistant.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(assistant)
    assistant.show()
    QApplication.processEvents()
    probe = TurnProbe()
    probe.start()
    qtbot.waitUntil(assistant.make_button.isEnabled)
    assert "99999 rows used" in assistant.summary.text().replace(",", "")
    assert assistant.rows.rowCount() == PREVIEW_ROWS
    box = assistant.expected_boxes[1]
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    qtbot.waitUntil(lambda: not tasks.busy)
    assistant.close()
    qtbot.waitUntil(lambda: not tasks.busy)
    return probe.stop()
