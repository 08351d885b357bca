"""Trying on models of other servers, by real keys and clicks: chosen, allowed, told, used for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.application.try_examples import TryModel
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.try_out.model_box import ModelBox
from desktop.gui.editor.try_out.opinion_dialog import OpinionDialog
from desktop.gui.editor.try_out.other_models_dialog import OtherModelsDialog
from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.source import ModelSource
from packs.task.content import read_content
from tests.fakes.run_service import ScriptedRunService

OLLAMA = TryModel(ModelRef("ollama", "qwen3:4b"), ModelSource("ollama", "http://127.0.0.1:11434"), "Ollama")


@pytest.fixture
def service(tmp_path: Path) -> ScriptedRunService:
    service = ScriptedRunService(tmp_path)
    service.served = [OLLAMA]
    return service


@pytest.fixture
def editor(
    services: WindowServices, service: ScriptedRunService, qtbot: QtBot, qapp: QApplication, pack_folder: Path
) -> Iterator[EditorPage]:
    (pack_folder / "examples" / "003.json").write_text('{"input": "a new letter", "expected": ""}', "utf-8")
    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(pack_folder, read_content(pack_folder))
    page = EditorPage(replace(services, tasks=tasks), document, service=service)
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    page.select(5)
    qtbot.waitUntil(lambda: models(page).box.count() == 4)
    yield page
    page.life.give_up()
    page.close_document()
    tasks.shutdown()


def models(page: EditorPage) -> ModelBox:
    assert page.try_panel is not None
    return page.try_panel.models


def open_dialog(page: EditorPage, qtbot: QtBot) -> OtherModelsDialog:
    qtbot.mouseClick(models(page).other_button, Qt.MouseButton.LeftButton)
    dialog = page.window().findChild(OtherModelsDialog)
    assert dialog is not None
    return dialog


def test_that_models_of_a_server_here_stand_after_those_of_the_engine_and_answer(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    box = models(editor).box
    assert [box.itemText(place) for place in range(4)] == [
        "SmolLM2-135M",
        "gemma-3-270m",
        "SmolLM2-360M",
        "qwen3:4b · Ollama",
    ]
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_End)
    assert not models(editor).note.isVisible(), "nothing leaves this computer"
    assert editor.try_panel is not None
    with qtbot.waitSignal(editor.try_panel.trying.ended):
        qtbot.mouseClick(editor.try_panel.button, Qt.MouseButton.LeftButton)
    assert service.tried == [OLLAMA]
    assert editor.try_panel.message.text().startswith("Correct")


def test_that_another_computer_is_asked_only_once_the_person_has_allowed_it(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    dialog = open_dialog(editor, qtbot)
    qtbot.keyClick(dialog.fields.engine, Qt.Key.Key_Down)
    dialog.fields.address.setFocus()
    qtbot.keyClicks(dialog.fields.address, "http://192.0.2.7:8080")
    qtbot.keyClick(dialog.fields.address, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "is not this computer" in dialog.message.text())
    qtbot.keyClick(dialog.fields.remote, Qt.Key.Key_Space)
    assert dialog.message.text() == "Examples that you try are sent to 192.0.2.7."
    with qtbot.waitSignal(dialog.found):
        qtbot.mouseClick(dialog.find_button, Qt.MouseButton.LeftButton)
    box = models(editor)
    assert box.box.currentText() == "far-model · 192.0.2.7:8080"
    assert box.note.text() == "Examples that you try are sent to 192.0.2.7."
    assert box.note.isVisible()
    assert editor.try_panel is not None
    hosts: list[str] = []
    editor.sent_to.connect(hosts.append)
    with qtbot.waitSignal(editor.try_panel.trying.ended):
        qtbot.mouseClick(editor.try_panel.button, Qt.MouseButton.LeftButton)
    assert hosts == ["192.0.2.7"], "the status line says so"
    assert service.tried[-1].source.remote_allowed


def test_that_a_server_that_does_not_answer_is_told_in_the_dialog_and_can_be_corrected(
    editor: EditorPage, qtbot: QtBot
) -> None:
    dialog = open_dialog(editor, qtbot)
    qtbot.keyClick(dialog.fields.engine, Qt.Key.Key_Down)
    qtbot.keyClicks(dialog.fields.address, "http://127.0.0.1:9")
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Nothing answers at" in dialog.message.text())
    assert dialog.find_button.isEnabled()
    dialog.fields.address.selectAll()
    qtbot.keyClicks(dialog.fields.address, "http://127.0.0.1:8080")
    with qtbot.waitSignal(dialog.found):
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert models(editor).box.currentText() == "far-model · 127.0.0.1:8080"
    assert not models(editor).note.isVisible()


def test_that_all_without_an_answer_can_be_asked_on_the_server_that_was_found(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    dialog = open_dialog(editor, qtbot)
    with qtbot.waitSignal(dialog.found):
        qtbot.mouseClick(dialog.find_button, Qt.MouseButton.LeftButton)
    editor.examples.select("examples/003.json")
    assert editor.try_panel is not None
    qtbot.mouseClick(editor.try_panel.all_button, Qt.MouseButton.LeftButton)
    opinion = editor.window().findChild(OpinionDialog)
    assert opinion is not None
    qtbot.waitUntil(lambda: opinion.box.count() == 5)
    opinion.box.setFocus()
    qtbot.keyClicks(opinion.box, "far")
    with qtbot.waitSignal(opinion.trying.ended):
        qtbot.mouseClick(opinion.start_button, Qt.MouseButton.LeftButton)
    assert service.tried[-1].message == "far-model · Ollama"
    assert [row.id for row in opinion.rows.rows] == ["003"]
    opinion.reject()


def test_that_esc_leaves_everything_as_it_was(editor: EditorPage, qtbot: QtBot) -> None:
    dialog = open_dialog(editor, qtbot)
    with qtbot.waitSignal(dialog.finished):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert models(editor).box.count() == 4
    assert models(editor).box.currentIndex() == 0
