"""Saving and copying many files: written beside the window; nothing that is edited meanwhile is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from packs.documents import writer
from packs.task.content import read_content

ROWS = "\n".join(f"pasted {number}\tbilling" for number in range(40))


class Gate:
    """Writing waits here until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.reached = threading.Event()
        self.threads: set[threading.Thread] = set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    made, real = Gate(), writer.write_atomically

    def write(target: Path, content: bytes) -> None:
        made.threads.add(threading.current_thread())
        if threading.current_thread() is not threading.main_thread():
            made.reached.set()
            assert made.open.wait(20)
        real(target, content)

    monkeypatch.setattr(writer, "write_atomically", write)
    return made


@pytest.fixture
def page(
    services: WindowServices, qtbot: QtBot, qapp: QApplication, pack_folder: Path, gate: Gate
) -> Iterator[EditorPage]:
    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(pack_folder, read_content(pack_folder))
    made = EditorPage(replace(services, tasks=tasks), document)
    document.setParent(made)
    qtbot.addWidget(made)
    made.show()
    yield made
    gate.open.set()
    made.life.give_up()
    made.close_document()
    tasks.shutdown()


def on_disk(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def rename(page: EditorPage, name: str) -> None:
    page.document.push(page.document.content.put("task.yaml", ("name",), name))


def test_that_many_files_are_saved_beside_the_window(page: EditorPage, qtbot: QtBot, gate: Gate) -> None:
    page.examples.paste(ROWS)
    assert not page.life.save()
    assert "Saving 40 files" in page.notice.message.text()
    rename(page, "edited meanwhile")
    assert not page.life.save(), "one at a time"
    gate.open.set()
    qtbot.waitUntil(lambda: not page.notice.isVisible())
    assert page.document.unsaved() == {"task.yaml": page.document.content.files["task.yaml"]}
    assert page.life.save()
    assert on_disk(page.document.folder) == dict(page.document.content.files)
    assert threading.main_thread() in gate.threads, "one file is written at once"


def test_that_a_run_waits_until_everything_is_on_disk(page: EditorPage, qtbot: QtBot, gate: Gate) -> None:
    asked: list[bool] = []
    page.run_asked.connect(lambda: asked.append(page.document.modified))
    page.examples.paste(ROWS)
    page.life.save()
    page.run()
    assert gate.reached.wait(10)
    rename(page, "edited meanwhile")
    assert asked == []
    gate.open.set()
    qtbot.waitUntil(lambda: asked == [False])


def test_that_a_decision_made_meanwhile_is_saved_as_well(page: EditorPage, qtbot: QtBot, gate: Gate) -> None:
    page.examples.paste(ROWS)
    page.life.save()
    change = page.document.content.put("examples/001.json", ("input",), "decided")
    page.document.push(change, {"examples/001.json"})
    gate.open.set()
    qtbot.waitUntil(lambda: not page.document.modified)
    assert b"decided" in (page.document.folder / "examples" / "001.json").read_bytes()


def test_that_what_is_being_saved_is_not_taken_for_that_of_others(
    page: EditorPage, qtbot: QtBot, gate: Gate
) -> None:
    page.examples.paste(ROWS)
    page.life.disk.look()
    page.life.save()
    page.life.disk.look()
    gate.open.set()
    qtbot.waitUntil(lambda: not page.document.modified and not page.life.disk.is_looking)
    page.life.disk.look()
    qtbot.waitUntil(lambda: not page.life.disk.is_looking)
    assert not page.notice.isVisible()
    assert page.document.undo.count() == 1


def test_that_save_as_keeps_what_was_edited_meanwhile(
    page: EditorPage, qtbot: QtBot, gate: Gate, tmp_path: Path
) -> None:
    page.life.copies.save_as(tmp_path / "there")
    rename(page, "edited meanwhile")
    with qtbot.waitSignal(page.life.copies.saved_as):
        gate.open.set()
    assert page.document.folder == tmp_path / "there"
    assert list(page.document.unsaved()) == ["task.yaml"]
    assert b"post-room" in (tmp_path / "there" / "task.yaml").read_bytes()


def test_that_a_pack_that_is_closed_meanwhile_is_written_to_the_end(
    page: EditorPage, qtbot: QtBot, gate: Gate, tmp_path: Path
) -> None:
    page.life.copies.duplicate(tmp_path / "copy")
    assert gate.reached.wait(10)
    page.close_document()
    gate.open.set()
    qtbot.waitUntil(lambda: not page.services.tasks.busy)
    assert on_disk(tmp_path / "copy") == on_disk(page.document.folder)
