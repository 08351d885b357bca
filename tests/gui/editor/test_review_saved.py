"""Decisions of a review are on disk at once, and so is taking them back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from packs.task.content import read_content
from packs.task.review import REVIEW_FILE, Review, ReviewedExample, ReviewState, SourcePassage, review_bytes
from tests.fakes.faults import FAULTS, pack_files

REVIEW = Review(
    "a.md",
    "abc",
    {"1": SourcePassage("All about messages.", "page 1")},
    {
        name: ReviewedExample(ReviewState.DRAFTED, f"message {int(name)}", expected, ("1",))
        for name, expected in (("001", "delivery"), ("002", "returns"))
    },
)


@pytest.fixture
def page(services: WindowServices, qtbot: QtBot, tmp_path: Path) -> Iterator[EditorPage]:
    folder = tmp_path / "drafted"
    for name, content in {**pack_files(FAULTS["not_reviewed"]), REVIEW_FILE: review_bytes(REVIEW)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    document = PackDocument(folder, read_content(folder))
    made = EditorPage(services, document)
    document.setParent(made)
    qtbot.addWidget(made)
    made.show()
    made.show_review()
    qtbot.waitUntil(lambda: made.checker.is_current)
    yield made
    made.close_document()


def states(page: EditorPage) -> list[str]:
    """On disk."""
    entries = json.loads((page.document.folder / REVIEW_FILE).read_text("utf-8"))["examples"]
    return [entry["state"] for entry in entries.values()]


def reviewed(page: EditorPage) -> object:
    return yaml.safe_load((page.document.folder / "task.yaml").read_text("utf-8"))["provenance"]["reviewed"]


def test_that_every_decision_is_on_disk_at_once(page: EditorPage) -> None:
    page.review.accept_button.click()
    assert states(page) == ["accepted", "drafted"]
    assert not page.document.modified
    page.review.reject_button.click()
    assert states(page) == ["accepted", "rejected"]
    assert not (page.document.folder / "examples" / "002.json").exists()
    assert reviewed(page) is True
    assert not page.document.modified
    assert not page.bar.save_button.isEnabled()


def test_that_a_decision_taken_back_is_saved_again(page: EditorPage) -> None:
    start = read_content(page.document.folder).files
    page.review.accept_button.click()
    page.review.reject_button.click()
    page.document.undo.undo()
    assert states(page) == ["accepted", "drafted"]
    assert reviewed(page) is False
    page.document.undo.undo()
    assert read_content(page.document.folder).files == start
    page.document.undo.redo()
    assert states(page) == ["accepted", "drafted"]
    assert not page.document.modified


def test_that_an_example_accepted_as_changed_is_saved_with_its_text(page: EditorPage) -> None:
    page.review.input_field.edit.setPlainText("another message")
    page.review.accept_button.click()
    assert states(page) == ["edited", "drafted"]
    assert "another message" in (page.document.folder / "examples" / "001.json").read_text("utf-8")
    assert not page.document.modified


def test_that_other_changes_wait_for_the_person_to_save(page: EditorPage) -> None:
    prompt = (page.document.folder / "prompt.md").read_bytes()
    page.document.push(page.document.content.put_files({"prompt.md": b"new {{input}}"}, "write the prompt"))
    page.review.accept_button.click()
    assert states(page) == ["accepted", "drafted"]
    assert (page.document.folder / "prompt.md").read_bytes() == prompt
    assert page.document.modified
    page.document.undo.undo()
    assert states(page) == ["drafted", "drafted"]
    assert page.life.save()
    assert (page.document.folder / "prompt.md").read_bytes() == b"new {{input}}"


def test_that_a_decision_that_cannot_be_saved_is_told_and_kept_as_unsaved(
    page: EditorPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise PermissionError(13, "Permission denied", REVIEW_FILE)

    with monkeypatch.context() as patched:
        patched.setattr("packs.documents.writer.write_atomically", refuse)
        page.review.accept_button.click()
        assert "not saved" in page.notice.message.text()
        assert page.notice.isVisible()
    assert states(page) == ["drafted", "drafted"]
    assert page.document.modified
    assert page.bar.save_button.isEnabled()
    review = page.document.review()
    assert review is not None
    assert review.undecided == ("002",)
    page.review.accept_button.click()
    assert states(page) == ["accepted", "accepted"], "the next decision brings both to disk"
    assert not page.notice.isVisible()
    assert not page.document.modified


def test_that_a_review_another_program_wrote_is_not_overwritten_unasked(page: EditorPage) -> None:
    theirs = review_bytes(REVIEW.decided("002", ReviewState.REJECTED))
    (page.document.folder / REVIEW_FILE).write_bytes(theirs)
    page.review.accept_button.click()
    assert (page.document.folder / REVIEW_FILE).read_bytes() == theirs
    assert "not saved" in page.notice.message.text()
    assert page.document.modified
