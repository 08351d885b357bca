"""The preview's length: exact with a model file that is here, else an estimate that says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.application.run_service import RunService
from desktop.application.services import Services
from desktop.application.try_examples import TryModel
from desktop.foundation.cancel import CancelToken
from desktop.foundation.paths import user_paths
from desktop.gui.core.tasks import GuiThread, Lane, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.source import ModelSource
from desktop.reports.renderers import standard_renderers
from packs.task.content import read_content
from tests.fakes.run_service import ScriptedRunService


@pytest.fixture
def service(tmp_path: Path) -> ScriptedRunService:
    return ScriptedRunService(tmp_path)


@pytest.fixture
def editor(
    services: WindowServices, service: ScriptedRunService, qtbot: QtBot, qapp: QApplication, pack_folder: Path
) -> Iterator[EditorPage]:
    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(pack_folder, read_content(pack_folder))
    page = EditorPage(replace(services, tasks=tasks), document, service=service)
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    yield page
    page.life.give_up()
    page.close_document()
    tasks.shutdown()


def is_counted(page: EditorPage) -> bool:
    return page.preview.how.text().startswith("Counted")


def test_that_the_length_is_estimated_first_and_then_counted_by_the_chosen_model(
    editor: EditorPage, qtbot: QtBot
) -> None:
    assert editor.preview.length.text().startswith("About ")
    assert editor.preview.how.text().startswith("Estimated")
    qtbot.waitUntil(lambda: is_counted(editor))
    message = len(editor.preview.text.toPlainText().split())
    assert editor.preview.length.text() == f"{message} tokens + 16 for the answer, of 2,048"
    assert "SmolLM2-135M, its chat template included" in editor.preview.how.text()


def test_that_typing_is_counted_once_it_rests_and_a_known_text_at_once(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: is_counted(editor))
    before, length = len(service.counted), editor.preview.length.text()
    editor.select(5)
    editor.examples.input_field.edit.setFocus()
    qtbot.keyClicks(editor.examples.input_field.edit, " and one more")
    assert editor.preview.length.text().startswith("About ")
    qtbot.waitUntil(lambda: is_counted(editor))
    assert len(service.counted) == before + 1, "twelve keys are one question"
    while editor.document.undo.canUndo():
        editor.document.undo.undo()
    assert editor.preview.length.text() == length
    assert len(service.counted) == before + 1


def test_that_another_model_counts_anew_and_a_server_leaves_an_estimate(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: is_counted(editor))
    assert editor.try_panel is not None
    box = editor.try_panel.models.box
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert editor.preview.how.text().startswith("Estimated")
    qtbot.waitUntil(lambda: is_counted(editor))
    assert service.counted[-1][0] == "gemma-3-270m"
    editor.try_panel.models.add([TryModel(ModelRef("ollama", "qwen3:4b"), ModelSource("ollama"), "Ollama")])
    qtbot.keyClick(box, Qt.Key.Key_End)
    assert editor.preview.how.text().startswith("Estimated")


def test_that_a_model_that_cannot_tell_leaves_an_estimate_with_the_reason(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    service.uncountable.add("SmolLM2-135M")
    qtbot.waitUntil(lambda: "cannot be read" in editor.preview.how.text())
    assert editor.preview.length.text().startswith("About ")
    asked = len(service.counted)
    assert editor.counting is not None
    assert editor.try_panel is not None
    assert editor.counting.of(editor.try_panel.models.model, "another text") is not None
    assert len(service.counted) == asked, "it is not asked for every text"


def test_that_nothing_is_counted_beside_a_run(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: is_counted(editor))
    service.counted.clear()
    tasks = editor.services.tasks
    held = tasks.start(_until_cancelled, _nothing, _raise, lane=Lane.RUN)
    assert editor.counting is not None
    assert editor.try_panel is not None
    editor.counting.of(editor.try_panel.models.model, "a new text")
    editor.counting.ask()
    assert service.counted == []
    held.cancel()
    qtbot.waitUntil(lambda: not tasks.taken(Lane.RUN))
    editor.counting.ask()
    qtbot.waitUntil(lambda: service.counted == [("SmolLM2-135M", "a new text")])


def test_that_what_was_kept_ready_is_freed_when_idle_and_when_the_pack_is_closed(
    editor: EditorPage, service: ScriptedRunService, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: is_counted(editor))
    assert editor.counting is not None
    assert editor.counting.idle.isActive()
    editor.counting.idle.timeout.emit()
    qtbot.waitUntil(lambda: service.counting_ended == 1)
    editor.counting.stop()
    assert service.counting_ended == 1, "nothing is left to free"
    assert editor.try_panel is not None
    editor.counting.of(editor.try_panel.models.model, "once more")
    qtbot.waitUntil(lambda: service.counted[-1][1] == "once more")
    editor.close_document()
    qtbot.waitUntil(lambda: service.counting_ended == 2)


def _until_cancelled(cancel: CancelToken) -> None:
    from threading import Event

    over = Event()
    cancel.on_cancel(over.set)
    over.wait(20)


def _nothing(_result: object) -> None:
    return None


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.engine
def test_that_the_preview_shows_the_length_that_the_starter_model_is_then_sent(
    services: WindowServices,
    qtbot: QtBot,
    qapp: QApplication,
    pack_folder: Path,
    starter_model: Path,
    own_home: Path,
) -> None:
    """With the program's own desk: counted by the vocabulary, then tried; closing leaves no process."""
    paths = user_paths()
    paths.models.mkdir(parents=True, exist_ok=True)
    (paths.models / starter_model.name).symlink_to(starter_model)
    service = RunService(
        Services(paths, {"PACKBENCH_HOME": str(own_home)}),
        standard_renderers,
        lambda: datetime(2026, 11, 30, tzinfo=UTC),
    )
    # Servers that this computer may have are of no concern here.
    service.servers_to_try = lambda folder: []  # type: ignore[method-assign]
    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(pack_folder, read_content(pack_folder))
    page = EditorPage(replace(services, tasks=tasks), document, service=service)
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    qtbot.waitUntil(lambda: is_counted(page))
    length = page.preview.length.text()
    assert psutil.Process().children(), "the vocabulary is kept ready"
    assert page.try_panel is not None
    with qtbot.waitSignal(page.try_panel.trying.ended):
        qtbot.mouseClick(page.try_panel.button, Qt.MouseButton.LeftButton)
    tried, _ = page.try_panel.tried["examples/001.json"]
    assert length == f"{tried.prompt_tokens:,} tokens + 16 for the answer, of 2,048"
    page.close_document()
    qtbot.waitUntil(lambda: not tasks.busy)
    assert not psutil.Process().children(recursive=True)
    tasks.shutdown()
