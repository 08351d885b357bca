"""Every problem leads to its field: page, focused widget, selection, and the words for those who listen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QTableWidget,
    QTreeWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from packs.task.codes import CODES
from packs.task.content import PackContent, read_content
from tests.fakes.faults import FAULTS, Fault, pack_files


@pytest.fixture
def pages(services: WindowServices, qtbot: QtBot) -> Iterator[list[EditorPage]]:
    """Filled by `open_editor`; closed at the end."""
    made: list[EditorPage] = []
    yield made
    for page in made:
        page.document.undo.setClean()
        page.close_document()


def open_editor(
    files: dict[str, bytes], folder: Path, services: WindowServices, qtbot: QtBot, pages: list[EditorPage]
) -> EditorPage:
    for name, content in files.items():
        target = Path(os.fsdecode(folder / name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    content = read_content(folder) if "task.yaml" in files else PackContent(files)
    document = PackDocument(folder, content)
    page = EditorPage(services, document)
    document.setParent(page)
    pages.append(page)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(lambda: page.checker.is_current)
    return page


def selected_text(widget: QWidget) -> str | None:
    if isinstance(widget, QComboBox) and widget.lineEdit() is not None:
        return widget.lineEdit().selectedText()
    if isinstance(widget, QLineEdit):
        return widget.selectedText()
    if isinstance(widget, QPlainTextEdit):
        return widget.textCursor().selectedText()
    if isinstance(widget, QListWidget):
        return widget.currentItem().text()
    if isinstance(widget, QTreeWidget):
        item = widget.currentItem()
        above = item.parent()
        return item.text(0) if above is None else f"{item.text(0)}: counts as {above.text(0)}"
    if isinstance(widget, QTableWidget):
        return widget.currentItem().text()
    return None


def spoken_name(widget: QWidget) -> str:
    """Its own, or that of the box that it is the line of."""
    parent = widget.parentWidget()
    if not widget.accessibleName() and isinstance(parent, QComboBox):
        return parent.accessibleName()
    if widget.accessibleName():
        return widget.accessibleName()
    text = getattr(widget, "text", None)
    return str(text()).replace("&", "") if callable(text) else ""


def test_that_there_is_a_fault_for_every_code() -> None:
    assert set(FAULTS) == set(CODES)


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_that_a_problem_leads_to_its_place(
    code: str, services: WindowServices, qtbot: QtBot, tmp_path: Path, pages: list[EditorPage]
) -> None:
    fault: Fault = FAULTS[code]
    page = open_editor(pack_files(fault), tmp_path / "pack", services, qtbot, pages)
    rows = [row for row, problem in enumerate(page.problems.problems) if problem.code == code]
    assert rows, {problem.code for problem in page.problems.problems}
    page.problems.table.setFocus()
    page.problems.table.selectRow(rows[0])
    qtbot.keyClick(page.problems.table, Qt.Key.Key_Return)
    QApplication.processEvents()
    focused = QApplication.focusWidget()
    assert focused is not None
    shown = page.sections[page.stack.currentIndex()].title
    assert (shown, spoken_name(focused)) == (fault.lead.page, fault.lead.name)
    assert focused.isVisible()
    if fault.lead.selected is not None:
        assert selected_text(focused) == fault.lead.selected
    message = page.problems.problems[rows[0]].message
    assert message in focused.accessibleDescription()
    assert page.outline.entries[page.stack.currentIndex()].isChecked()


def test_that_letters_of_a_page_do_not_clash_with_each_other_nor_with_the_menu_bar(
    services: WindowServices, qtbot: QtBot, tmp_path: Path, pages: list[EditorPage]
) -> None:
    page = open_editor(pack_files(FAULTS["not_reviewed"]), tmp_path / "pack", services, qtbot, pages)
    for place, section in enumerate(page.sections):
        page.select(place)
        letters: dict[str, str] = dict.fromkeys("fevprwh", "the menu bar")
        for widget in [*page.findChildren(QAbstractButton), *page.findChildren(QLabel)]:
            text = widget.text()
            if not widget.isVisible() or "&" not in text.replace("&&", ""):
                continue
            letter = text[text.index("&") + 1].lower()
            assert letter not in letters, f"{section.title}: “{text}” and {letters[letter]}"
            letters[letter] = text


def test_that_one_remedy_and_all_of_a_kind_are_one_step_each(
    services: WindowServices, qtbot: QtBot, tmp_path: Path, pages: list[EditorPage]
) -> None:
    files = pack_files(FAULTS["expected_unfit"])
    files["examples/006.json"] = files["examples/007.json"] = b'{"input": "b", "expected": "deliver"}'
    files["examples/007.json"] = b'{"input": "c", "expected": "deliver"}'
    page = open_editor(files, tmp_path / "pack", services, qtbot, pages)
    start = dict(page.document.content.files)
    page.problems.table.selectRow(0)
    page.problems.fix_button.click()
    assert page.document.undo.count() == 1
    qtbot.waitUntil(lambda: page.checker.is_current)
    page.problems.table.selectRow(0)
    page.problems.kind_button.click()
    assert page.document.undo.count() == 2
    qtbot.waitUntil(lambda: page.checker.is_current)
    assert page.checker.errors == 0
    page.document.undo.undo()
    page.document.undo.undo()
    assert dict(page.document.content.files) == start


def test_that_a_remedy_keeps_what_was_typed_since_the_last_check(
    services: WindowServices, qtbot: QtBot, tmp_path: Path, pages: list[EditorPage]
) -> None:
    page = open_editor(pack_files(FAULTS["no_placeholder"]), tmp_path / "pack", services, qtbot, pages)
    start = dict(page.document.content.files)
    page.problems.table.selectRow(0)
    page.select(1)
    qtbot.keyClicks(page.prompt.prompt.edit, "new ")
    assert not page.checker.is_current
    qtbot.mouseClick(page.problems.fix_button, Qt.MouseButton.LeftButton)
    assert page.document.content.text("prompt.md") == "new billing, delivery or returns?\n{{input}}\n"
    page.document.undo.undo()
    assert page.document.content.text("prompt.md") == "new billing, delivery or returns?\n{{ Input }}\n"
    page.document.undo.undo()
    assert dict(page.document.content.files) == start


def test_that_f8_goes_on_and_round_and_shift_f8_back(
    services: WindowServices, qtbot: QtBot, tmp_path: Path, pages: list[EditorPage]
) -> None:
    files = pack_files(FAULTS["no_placeholder"])
    files["examples/005.json"] = b'{"input": "a"}'
    page = open_editor(files, tmp_path / "pack", services, qtbot, pages)
    count = len(page.problems.problems)
    seen = []
    for _ in range(count + 1):
        page.next_problem()
        seen.append(page.problems.table.currentIndex().row())
    assert seen == [*range(count), 0]
    page.previous_problem()
    assert page.problems.table.currentIndex().row() == count - 1
