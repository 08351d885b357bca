"""Opening a pack never holds up the window: pages are made when they are needed, the others one by one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.application.opened_pack import read_pack
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.editor_pages import TITLES
from tests.fakes.faults import FAULTS, MANIFEST, PROMPT, example, pack_files
from tests.fakes.work_count import TurnProbe

MAXIMUM_CALLS = {"few": 60_000, "many": 100_000}
"""In one turn of the event loop: a page, and no more than a look at each of ten thousand rows."""
MANY = 10_000
Open = Callable[..., EditorPage]


@pytest.fixture
def open_page(services: WindowServices, qtbot: QtBot) -> Iterator[Open]:
    made: list[EditorPage] = []

    def make(folder: Path, probe: TurnProbe | None = None) -> EditorPage:
        """probe: started once the pack is read, which happens on another thread in the program."""
        opened = read_pack(folder)
        assert opened.content is not None
        if probe is not None:
            probe.start()
        document = PackDocument(folder, opened.content)
        page = EditorPage(services, document, problems=opened.problems, rows=opened.example_rows)
        document.setParent(page)
        qtbot.addWidget(page)
        page.resize(1200, 800)
        made.append(page)
        return page

    yield make
    for page in made:
        page.life.give_up()
        page.close_document()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "pack", pack_files(FAULTS["expected_unfit"]))


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def many(folder: Path) -> Path:
    labels = ("billing", "delivery", "returns")
    files = {
        f"examples/{number:05}.json": example(f"message {number}", labels[number % 3]).encode()
        for number in range(1, MANY + 1)
    }
    return write(folder, {**files, "task.yaml": MANIFEST.encode(), "prompt.md": PROMPT.encode()})


def all_made(page: EditorPage) -> bool:
    return page.pages.complete


@pytest.mark.parametrize("size", ["few", "many"])
def test_that_a_pack_is_opened_without_holding_up_the_window(
    size: str, open_page: Open, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    if size == "many":
        folder = many(tmp_path / "many")
    open_page(folder).hide()  # what is made once: fonts, icons, modules
    probe = TurnProbe()
    page = open_page(folder, probe)
    page.show()
    qtbot.waitUntil(lambda: all_made(page))
    QApplication.processEvents()
    calls = probe.stop()
    assert calls <= MAXIMUM_CALLS[size]


def test_that_only_the_first_page_is_made_at_once(open_page: Open, folder: Path) -> None:
    page = open_page(folder)
    assert [section.title for section in page.pages.made] == ["Task"]
    assert page.problems.problems, "the problem list is there from the start"
    assert page.preview.text.toPlainText()


def test_that_a_page_is_made_when_it_is_shown(open_page: Open, folder: Path) -> None:
    page = open_page(folder)
    page.select(4)
    assert [section.title for section in page.pages.made] == ["Task", "Generation"]
    assert page.stack_section() is page.pages.at(4)


def test_that_a_problem_leads_to_a_page_that_was_not_there_yet(open_page: Open, folder: Path) -> None:
    page = open_page(folder)
    page.show()
    widget = page.reveal(page.problems.problems[0])
    assert widget is not None
    assert page.stack_section() is page.examples
    assert page.examples.file == "examples/005.json"


def test_that_the_outline_counts_once_all_are_there(open_page: Open, folder: Path, qtbot: QtBot) -> None:
    page = open_page(folder)
    page.show()
    qtbot.waitUntil(lambda: all_made(page))
    assert [section.title for section in page.sections] == list(TITLES)
    assert [entry.problems for entry in page.outline.entries[:8]] == [0, 0, 0, 0, 0, 1, 0, 0]
    assert page.stack.currentIndex() == 0


def test_that_a_change_before_all_are_there_reaches_the_later_pages(open_page: Open, folder: Path) -> None:
    page = open_page(folder)
    content = page.document.content
    page.document.push(
        content.put_files({"examples/031.json": b'{"input": "n", "expected": "returns"}'}, "add")
    )
    page.document.push(content.put("task.yaml", ("generation", "seed"), 99))
    assert len(page.examples.rows.all_rows) == 22
    page.select(4)
    seed = next(field for field in page.sections[4].fields if field.path[-1] == "seed")
    assert seed.field.property("text") == "99"


def test_that_a_closed_pack_makes_no_more_pages(open_page: Open, folder: Path) -> None:
    page = open_page(folder)
    page.close_document()
    QApplication.processEvents()
    assert len(page.pages.made) == 1


def test_that_reading_a_pack_off_the_gui_thread_brings_the_editor_along(folder: Path) -> None:
    """In a process of its own, where no editor was loaded before."""
    message = (
        "import sys; from pathlib import Path; from desktop.foundation.cancel import CancelToken\n"
        "from desktop.gui.shell.opening import _read_folder\n"
        "assert 'desktop.gui.editor.editor_page' not in sys.modules\n"
        f"_read_folder(Path({str(folder)!r}), None, CancelToken())\n"
        "assert 'desktop.gui.editor.editor_page' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", message], check=True, timeout=60)
