"""A wrong label is corrected by one key: 1 to 9 choose a label, decide the example and go on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from packs.task.content import read_content
from packs.task.review import REVIEW_FILE, Review, ReviewedExample, ReviewState, review_bytes

LABELS = ("billing", "returns")


def open_review(
    services: WindowServices,
    qtbot: QtBot,
    folder: Path,
    labels: tuple[str, ...] = LABELS,
    scorer: str = "exact-label",
) -> EditorPage:
    """Three drafted examples: billing, returns, billing."""
    manifest = (folder / "task.yaml").read_text("utf-8")
    manifest = manifest.replace("[billing, returns]", json.dumps(list(labels), ensure_ascii=False))
    if scorer == "pattern":
        manifest = manifest.replace("exact-label", "pattern").replace("labels: ", "pattern: x # ")
    manifest += 'provenance: {drafted_by: {model: m, backend: b, date: "2026-11-30"}, reviewed: false}\n'
    (folder / "task.yaml").write_text(manifest, "utf-8")
    drafted: dict[str, ReviewedExample] = {}
    for number in range(1, 4):
        tree = json.loads((folder / "examples" / f"{number:03}.json").read_text("utf-8"))
        drafted[f"{number:03}"] = ReviewedExample(ReviewState.DRAFTED, tree["input"], tree["expected"])
    (folder / REVIEW_FILE).write_bytes(review_bytes(Review("notes.md", "abc", {}, drafted)))
    document = PackDocument(folder, read_content(folder))
    page = EditorPage(services, document)
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    page.show_review()
    return page


@pytest.fixture
def page(services: WindowServices, qtbot: QtBot, pack_folder: Path) -> Iterator[EditorPage]:
    made = open_review(services, qtbot, pack_folder)
    yield made
    made.close_document()


def on_disk(page: EditorPage) -> list[tuple[str, object]]:
    """(state, expected value) of every drafted example; None for one that is not in the pack."""
    folder = page.document.folder
    entries = json.loads((folder / REVIEW_FILE).read_text("utf-8"))["examples"]
    files = {name: folder / "examples" / f"{name}.json" for name in entries}
    return [
        (
            entry["state"],
            json.loads(files[name].read_text("utf-8"))["expected"] if files[name].exists() else None,
        )
        for name, entry in entries.items()
    ]


def press(page: EditorPage, qtbot: QtBot, key: Qt.Key) -> None:
    focus = page.focusWidget()
    assert focus is not None
    qtbot.keyClick(focus, key)


def test_that_a_wrong_label_is_corrected_saved_and_passed_by_one_key(page: EditorPage, qtbot: QtBot) -> None:
    press(page, qtbot, Qt.Key.Key_2)
    assert on_disk(page) == [("edited", "returns"), ("drafted", "returns"), ("drafted", "billing")]
    assert not page.document.modified, "saved at once"
    assert page.review.example_id == "002"
    press(page, qtbot, Qt.Key.Key_2)
    assert on_disk(page)[1] == ("accepted", "returns"), "the drafted label was right"
    press(page, qtbot, Qt.Key.Key_1)
    assert [state for state, _ in on_disk(page)] == ["edited", "accepted", "accepted"]
    assert page.document.content.value("task.yaml", ("provenance", "reviewed")) is True


def test_that_a_chosen_label_is_one_step_that_can_be_taken_back(page: EditorPage, qtbot: QtBot) -> None:
    before = on_disk(page)
    press(page, qtbot, Qt.Key.Key_2)
    assert page.document.undo.undoText() == "Choose returns for example 001"
    page.document.undo.undo()
    assert on_disk(page) == before
    assert not page.document.undo.canUndo()


def test_that_the_labels_stand_there_with_their_numbers_and_the_present_one_ticked(
    page: EditorPage, qtbot: QtBot
) -> None:
    buttons = page.review.labels.buttons
    assert [(button.text(), button.shortcut().toString()) for button in buttons] == [
        ("billing", "1"),
        ("returns", "2"),
    ]
    assert [button.isChecked() for button in buttons] == [True, False]
    assert buttons[1].accessibleName() == "returns is right"
    qtbot.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    assert on_disk(page)[0] == ("edited", "returns"), "the same by mouse"
    assert [button.isChecked() for button in buttons] == [False, True]


def test_that_a_rejected_example_comes_back_with_the_label_that_is_chosen(
    page: EditorPage, qtbot: QtBot
) -> None:
    press(page, qtbot, Qt.Key.Key_R)
    assert on_disk(page)[0] == ("rejected", None)
    press(page, qtbot, Qt.Key.Key_B)
    press(page, qtbot, Qt.Key.Key_2)
    assert on_disk(page)[0] == ("edited", "returns")


def test_that_digits_in_a_text_are_text(page: EditorPage, qtbot: QtBot) -> None:
    press(page, qtbot, Qt.Key.Key_E)
    before = on_disk(page)
    qtbot.keyClicks(page.review.input_field.edit, "2")
    assert on_disk(page) == before
    assert "2" in page.review.input_field.edit.toPlainText()


def test_that_nine_labels_have_keys_and_the_others_are_named_as_more(
    services: WindowServices, qtbot: QtBot, pack_folder: Path
) -> None:
    labels = ("billing", "returns", *(f"desk {number}" for number in range(3, 13)))
    page = open_review(services, qtbot, pack_folder, labels)
    press(page, qtbot, Qt.Key.Key_9)
    assert on_disk(page)[0] == ("edited", "desk 9")
    assert len(page.review.labels.buttons) == 9
    assert page.review.labels.more.text() == "3 more in the list: E edits."
    page.close_document()


def test_that_a_long_label_is_cut_on_its_key_and_told_in_full(
    services: WindowServices, qtbot: QtBot, pack_folder: Path
) -> None:
    long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk & Co"
    page = open_review(services, qtbot, pack_folder, ("billing", "returns", long))
    button = page.review.labels.buttons[2]
    assert button.text() == "Donaudampfschif…triebswerk && Co", "labels that begin alike differ at their end"
    assert long in button.toolTip()
    assert long in button.accessibleName()
    press(page, qtbot, Qt.Key.Key_3)
    assert on_disk(page)[0] == ("edited", long)
    page.close_document()


def test_that_a_pack_without_labels_shows_none(
    services: WindowServices, qtbot: QtBot, pack_folder: Path
) -> None:
    page = open_review(services, qtbot, pack_folder, scorer="pattern")
    assert not page.review.labels.isVisible()
    before = on_disk(page)
    press(page, qtbot, Qt.Key.Key_1)
    assert on_disk(page) == before
    page.close_document()
