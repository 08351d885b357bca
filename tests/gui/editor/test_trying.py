"""Try it: one example on one model, all without an answer, and a second opinion; once with the real engine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.application.services import Services
from desktop.application.try_examples import OnAnswer, TriedAnswer, TryModel, models_to_try, try_examples
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.tasks import GuiThread, Lane, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.examples.examples_section import REVIEWED
from desktop.gui.editor.examples.review_section import tells
from desktop.gui.editor.try_out.opinion_dialog import OpinionDialog
from packs.task.content import read_content
from packs.task.review import REVIEW_FILE, Review, ReviewedExample, ReviewState, review_bytes
from packs.task.trial import ExampleTrial, is_unknown, trial_of
from tests.fakes.run_service import ScriptedRunService


@pytest.fixture
def service(tmp_path: Path) -> ScriptedRunService:
    return ScriptedRunService(tmp_path)


@pytest.fixture
def editor(
    services: WindowServices, service: ScriptedRunService, qtbot: QtBot, qapp: QApplication, pack_folder: Path
) -> Iterator[EditorPage]:
    """Example 003 has no answer yet, example 004 is broken."""
    (pack_folder / "examples" / "003.json").write_text('{"input": "a new letter", "expected": ""}', "utf-8")
    (pack_folder / "examples" / "004.json").write_text("{", "utf-8")
    drafted = {
        f"{number:03}": ReviewedExample(
            ReviewState.ACCEPTED if number < 6 else ReviewState.DRAFTED, f"Letter {number}", "billing"
        )
        for number in range(1, 21)
    }
    (pack_folder / REVIEW_FILE).write_bytes(review_bytes(Review("notes.md", "abc", {}, drafted)))
    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(pack_folder, read_content(pack_folder))
    page = EditorPage(replace(services, tasks=tasks), document, service=service)
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    page.select(5)
    assert page.try_panel is not None
    qtbot.waitUntil(lambda: panel(page).box.count() == 3)
    yield page
    page.life.give_up()
    page.close_document()
    tasks.shutdown()


def panel(page: EditorPage):  # type: ignore[no-untyped-def]
    assert page.try_panel is not None
    return page.try_panel


def try_it(page: EditorPage, qtbot: QtBot, file: str) -> None:
    page.examples.select(file)
    with qtbot.waitSignal(panel(page).trying.ended):
        qtbot.mouseClick(panel(page).button, Qt.MouseButton.LeftButton)


def test_that_an_example_is_tried_although_another_is_broken(editor: EditorPage, qtbot: QtBot) -> None:
    try_it(editor, qtbot, "examples/001.json")
    assert panel(editor).message.text().startswith("Correct · score 1.")
    assert "42 prompt tokens" in panel(editor).state.text()
    try_it(editor, qtbot, "examples/002.json")
    assert panel(editor).message.text().startswith("Wrong · score 0.")
    assert "returns" in panel(editor).answer.toPlainText(), "what was expected is shown beside it"


def test_that_an_answer_from_before_a_change_is_called_so(editor: EditorPage, qtbot: QtBot) -> None:
    try_it(editor, qtbot, "examples/001.json")
    qtbot.keyClicks(editor.examples.input_field.edit, "x")
    assert panel(editor).state.text().startswith("Before your change.")


def test_that_an_unknown_answer_can_be_used_and_taken_back(editor: EditorPage, qtbot: QtBot) -> None:
    try_it(editor, qtbot, "examples/003.json")
    assert "no score" in panel(editor).message.text()
    qtbot.mouseClick(panel(editor).use_button, Qt.MouseButton.LeftButton)
    assert editor.document.content.value("examples/003.json", ("expected",)) == "billing"
    assert editor.document.undo.undoText() == "Use the answer of a model"
    editor.document.undo.undo()
    assert is_unknown(editor.document.content, "examples/003.json")


def test_that_a_broken_example_says_why_it_cannot_be_tried(editor: EditorPage, qtbot: QtBot) -> None:
    editor.examples.select("examples/004.json")
    with qtbot.waitSignal(panel(editor).trying.ended):
        panel(editor).button.click()
    assert "cannot be tried yet" in panel(editor).state.text()


def ask(editor: EditorPage, qtbot: QtBot, open_it: Callable[[], None]) -> OpinionDialog:
    open_it()
    dialog = editor.window().findChild(OpinionDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.box.count() == 3)
    with qtbot.waitSignal(dialog.trying.ended):
        qtbot.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
    return dialog


def test_that_all_without_an_answer_are_asked(editor: EditorPage, qtbot: QtBot) -> None:
    editor.examples.select("examples/003.json")
    dialog = ask(editor, qtbot, panel(editor).all_button.click)
    assert [(row.id, row.verdict) for row in dialog.rows.rows] == [("003", "unknown")]
    dialog.table.selectAll()
    dialog.use_button.click()
    assert editor.document.content.value("examples/003.json", ("expected",)) == "billing"
    dialog.reject()


def test_that_a_second_opinion_has_the_differences_first_and_leads_to_them(
    editor: EditorPage, qtbot: QtBot
) -> None:
    editor.document.push(editor.document.content.put_files({"examples/004.json": None}, "delete"))
    editor.select(6)
    dialog = ask(editor, qtbot, editor.review.opinion_button.click)
    verdicts = [row.verdict for row in dialog.rows.rows]
    assert verdicts == ["differs"] * 9 + ["unknown"] + ["same"] * 9
    assert dialog.rows.row(0).id == "002"
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert editor.stack_section() is editor.review
    assert editor.review.example_id == "002"
    dialog.reject()


def test_that_the_review_says_what_the_decisions_tell(editor: EditorPage) -> None:
    editor.select(6)
    assert editor.review.tells.text() == (
        "0 of 5 were not right as drafted. If these were picked by chance, at most 8 of the 15 others are not "
        "right either (95 % sure)."
    )
    review = editor.document.review()
    assert review is not None
    for name in review.undecided:
        review = review.decided(name, ReviewState.ACCEPTED)
    assert tells(review) == ""


@pytest.mark.engine
def test_that_the_starter_model_answers_one_example(
    starter_model: Path, pack_folder: Path, own_home: Path
) -> None:
    from desktop.foundation.paths import user_paths

    paths = user_paths()
    paths.models.mkdir(parents=True, exist_ok=True)
    (paths.models / starter_model.name).symlink_to(starter_model)
    (pack_folder / "examples" / "005.json").write_text(
        json.dumps({"input": "Where is my refund?", "expected": ""}), "utf-8"
    )
    services = Services(paths, {"PACKBENCH_HOME": str(own_home)})
    (model,) = models_to_try(services)
    trial = trial_of(read_content(pack_folder), ["examples/001.json", "examples/005.json"], pack_folder)
    answers: list[TriedAnswer] = []
    assert try_examples(trial, model, services, answers.append, CancelToken()) == 2
    assert answers[0].outcome is not None
    assert answers[1].outcome is None
    assert all(answer.text and answer.prompt_tokens for answer in answers)


def test_that_a_question_ends_with_the_pack_and_nothing_comes_after_it(
    services: WindowServices, qtbot: QtBot, qapp: QApplication, pack_folder: Path, tmp_path: Path
) -> None:
    """The model answers only when it is told to stop; the editor is closed meanwhile."""
    from threading import Event

    begun = Event()

    class Waiting(ScriptedRunService):
        def try_examples(
            self, trial: ExampleTrial, model: TryModel, on_answer: OnAnswer, cancel: CancelToken
        ) -> int:
            stopped = Event()
            cancel.on_cancel(stopped.set)
            begun.set()
            assert stopped.wait(10)
            cancel.raise_if_cancelled()
            return 0

    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(pack_folder, read_content(pack_folder))
    page = EditorPage(replace(services, tasks=tasks), document, service=Waiting(tmp_path))
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    qtbot.waitUntil(lambda: panel(page).box.count() == 3)
    page.select(5)
    panel(page).button.click()
    qtbot.waitUntil(begun.is_set)
    assert panel(page).button.text() == "Stop"
    page.close_document()
    qtbot.waitUntil(lambda: not tasks.busy)
    qtbot.waitUntil(lambda: not panel(page).trying.busy)
    tasks.shutdown()


def test_that_a_question_waits_for_a_run_and_says_so(editor: EditorPage, qtbot: QtBot) -> None:
    over = threading.Event()
    editor.services.tasks.start(lambda _cancel: over.wait(30), _nothing, _raise, lane=Lane.RUN)
    editor.examples.select("examples/001.json")
    panel(editor).button.click()
    assert panel(editor).state.text().startswith("Waiting: a run is going on.")
    assert panel(editor).button.text() == "Stop"
    editor.examples.select("examples/002.json")
    assert panel(editor).state.text().startswith("Waiting"), "also while another example is looked at"
    editor.examples.select("examples/001.json")
    with qtbot.waitSignals([panel(editor).trying.began, panel(editor).trying.ended]):
        over.set()
    assert panel(editor).message.text().startswith("Correct")
    assert "Waiting" not in panel(editor).state.text()


def test_that_a_waiting_question_is_given_up_at_once_and_another_can_follow(
    editor: EditorPage, qtbot: QtBot
) -> None:
    over = threading.Event()
    editor.services.tasks.start(lambda _cancel: over.wait(30), _nothing, _raise, lane=Lane.RUN)
    editor.examples.select("examples/001.json")
    panel(editor).button.click()
    panel(editor).button.click()
    assert panel(editor).state.text() == "Stopped by you."
    assert not panel(editor).trying.busy
    editor.examples.select("examples/002.json")
    panel(editor).button.click()
    with qtbot.waitSignal(panel(editor).trying.ended):
        over.set()
    assert set(panel(editor).tried) == {"examples/002.json"}
    editor.examples.select("examples/001.json")
    assert not panel(editor).message.isVisible()


def test_that_nothing_is_said_about_waiting_when_the_way_is_free(editor: EditorPage, qtbot: QtBot) -> None:
    editor.examples.select("examples/001.json")
    panel(editor).button.click()
    assert panel(editor).state.text().endswith("is asked …")
    qtbot.waitUntil(lambda: not panel(editor).trying.busy)


def _nothing(_result: object) -> None:
    return None


def _raise(error: Exception) -> None:
    raise error


def test_that_the_table_of_a_drafted_pack_tells_problems_and_decisions_apart(editor: EditorPage) -> None:
    table, rows = editor.examples.table, editor.examples.rows
    assert not table.isColumnHidden(REVIEWED)
    texts = [[rows.index(row, column).data() for column in (0, 3, REVIEWED)] for row in (0, 3, 9)]
    assert texts == [["001", "–", "accepted"], ["004", "problem", "accepted"], ["010", "–", "not yet"]]
    editor.document.push(editor.document.content.put_files({REVIEW_FILE: None}, "no review"))
    assert table.isColumnHidden(REVIEWED)


def test_that_examples_are_sorted_by_keys(editor: EditorPage, qtbot: QtBot) -> None:
    table, rows = editor.examples.table, editor.examples.rows
    table.setFocus()
    seen = []
    for _ in range(3):
        qtbot.keyClick(table, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
        seen.append(rows.row(0).id)
    letters = sorted(rows.all_rows, key=lambda row: row.input)
    assert seen == [letters[0].id, letters[-1].id, "001"]
    qtbot.keyClick(table, Qt.Key.Key_9, Qt.KeyboardModifier.AltModifier)
    assert rows.row(0).id == "001", "there is no such column"
