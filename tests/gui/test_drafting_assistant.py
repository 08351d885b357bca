"""The drafting assistant over a scripted model: reading, choosing, drafting, stopping, faults."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.ingest.drafting_assistant import DraftingAssistant, coming
from desktop.gui.theme import Theme
from desktop.ingest.drafting.model import AnswerComes
from packs.task.loader import load_pack
from packs.task.review import REVIEW_FILE
from tests.fakes.draft_service import ScriptedDraftService
from tests.fakes.drafting import willing
from tests.fakes.fake_backend import Answer

NOTES = "- one: a\n- two: b\n- three: c\n\nBroken lamps go to one, whatever else the message says."


@pytest.fixture
def tasks(qapp: QApplication) -> TaskRunner:
    runner = TaskRunner(GuiThread(qapp))
    yield runner  # type: ignore[misc]
    runner.shutdown()


def opened(
    qtbot: QtBot,
    theme: Theme,
    tasks: TaskRunner,
    service: ScriptedDraftService,
    folder: Path,
    text: str = NOTES,
) -> DraftingAssistant:
    file = folder / "notes.md"
    file.write_text(text, encoding="utf-8")
    assistant = DraftingAssistant(theme, tasks, service, file, folder / "documents")
    assistant.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(assistant)
    assistant.show()
    qtbot.waitUntil(lambda: assistant.model_box.count() == 2 and assistant.read_message.text() != "Reading …")
    return assistant


def test_that_notes_become_a_pack_to_review(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    assistant = opened(qtbot, theme, tasks, ScriptedDraftService(willing()), tmp_path)
    assert "characters read" in assistant.read_message.text()
    assert assistant.model_box.currentText() == "large"
    assert "largest model here that fits" in assistant.reason.text()
    with qtbot.waitSignal(assistant.made) as made:
        qtbot.mouseClick(assistant.start_button, Qt.MouseButton.LeftButton)
    folder = made.args[0]
    assert load_pack(folder).pack is not None
    assert (folder / REVIEW_FILE).is_file()
    assert assistant.rows.rowCount() == 24


def test_that_stop_keeps_what_is_there(qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path) -> None:
    good, asked = willing(), threading.Semaphore(0)
    count = 0

    def answer(prompt: str, nth: int) -> Answer | str:
        nonlocal count
        count += 1
        if count == 4:
            asked.release()
            return Answer("x", stall="before")
        return good(prompt, nth)

    assistant = opened(qtbot, theme, tasks, ScriptedDraftService(answer), tmp_path)
    assistant.begin()
    qtbot.waitUntil(lambda: asked.acquire(blocking=False))
    with qtbot.waitSignal(assistant.made) as made:
        qtbot.mouseClick(assistant.stop_button, Qt.MouseButton.LeftButton)
    assert len(list((made.args[0] / "examples").iterdir())) == 8


def test_that_the_answer_being_written_is_seen(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    good, count = willing(), 0

    def answer(prompt: str, nth: int) -> Answer | str:
        nonlocal count
        count += 1
        return Answer('{"examples": [{"input": "The lamp', stall="within") if count == 4 else good(prompt, nth)

    assistant = opened(qtbot, theme, tasks, ScriptedDraftService(answer), tmp_path)
    assistant.begin()
    qtbot.waitUntil(lambda: assistant.writing.text().startswith("Writing: "))
    with qtbot.waitSignal(assistant.made):
        qtbot.mouseClick(assistant.stop_button, Qt.MouseButton.LeftButton)


def test_that_the_line_tells_what_is_read_and_the_end_of_what_is_written() -> None:
    assert coming(AnswerComes(256, 1024)) == "Reading: 256 of 1,024 tokens"
    assert coming(AnswerComes(256, None)) == "Reading …"
    assert coming(AnswerComes(None, None, 7, "two\nlin")) == "Writing: two lin"
    assert coming(AnswerComes(None, None, 500, "the end")) == "Writing: … the end"


def test_that_an_answer_that_is_no_pack_is_said_with_where_it_is_kept(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    assistant = opened(qtbot, theme, tasks, ScriptedDraftService(lambda prompt, nth: "I like lamps."), tmp_path)
    assistant.begin()
    qtbot.waitUntil(lambda: "No pack could be made" in assistant.message.text())
    assert "notes-draft-response.txt" in assistant.message.text()
    assert assistant.start_button.isEnabled()


def test_that_a_document_without_text_is_a_sentence(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    assistant = opened(qtbot, theme, tasks, ScriptedDraftService(willing()), tmp_path, "  \n ")
    assert "holds no text" in assistant.message.text()
    assert not assistant.start_button.isEnabled()


def test_that_closing_while_drafting_stops_first(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    good, asked = willing(), threading.Semaphore(0)
    count = 0

    def answer(prompt: str, nth: int) -> Answer | str:
        nonlocal count
        count += 1
        if count == 3:
            asked.release()
            return Answer("x", stall="before")
        return good(prompt, nth)

    assistant = opened(qtbot, theme, tasks, ScriptedDraftService(answer), tmp_path)
    assistant.begin()
    qtbot.waitUntil(lambda: asked.acquire(blocking=False))
    assistant.close()
    qtbot.waitUntil(lambda: not assistant.isVisible())
    qtbot.waitUntil(lambda: not tasks.busy)


def test_that_the_seconds_count_while_an_answer_takes_long(
    qtbot: QtBot, theme: Theme, tasks: TaskRunner, tmp_path: Path
) -> None:
    assistant = opened(
        qtbot, theme, tasks, ScriptedDraftService(lambda prompt, nth: Answer("x", stall="before")), tmp_path
    )
    assistant.begin()
    qtbot.waitUntil(lambda: "1 s so far" in assistant.progress.accessibleDescription())
    assistant.stop()
    qtbot.waitUntil(lambda: assistant.start_button.isVisible() or not assistant.isVisible())
    assert not assistant.seconds.isActive()
