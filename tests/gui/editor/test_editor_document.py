"""The document behind the editor: undo through saves, the disk changed by others, recovery after a crash."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.application.recovery_copies import RecoveryFolder
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.pack_writing import ChangedOnDisk
from desktop.gui.editor.form.list_field import ListField
from desktop.gui.editor.form.simple_sections import GenerationSection
from desktop.gui.theme import Theme
from packs.documents.problems import Problem
from packs.errors import AppError
from packs.task.content import read_content
from packs.task.new_pack import NewExample, NewPack, pack_files

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAME = ("task.yaml", ("name",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    examples = [NewExample(f"message {number}", "a") for number in range(3)]
    pack = NewPack("desk", "label", "exact-label", {"labels": ["a", "b"]}, "a or b?\n{{input}}", examples)
    for name, content in pack_files(pack).items():
        file = tmp_path / "desk" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return tmp_path / "desk"


@pytest.fixture
def document(folder: Path, qapp: object) -> PackDocument:
    return PackDocument(folder, read_content(folder))


def on_disk(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_that_typing_a_word_is_one_named_step(document: PackDocument) -> None:
    for text in ("d", "de", "des", "desks"):
        document.push(document.content.put(*NAME, text))
    assert document.undo.count() == 1
    assert document.undo.undoText() == "Change name"
    document.undo.undo()
    assert document.content.value(*NAME) == "desk"
    assert not document.modified


def test_that_stop_words_are_listed_and_a_wrong_one_leads_to_its_entry(
    document: PackDocument, theme: Theme, qtbot: QtBot
) -> None:
    document.push(document.content.put("task.yaml", ("generation", "stop"), ["END", ""]))
    section = GenerationSection(theme, document)
    qtbot.addWidget(section)
    field = section.fields[-1]
    assert isinstance(field, ListField)
    assert [field.lines.item(row).text() for row in range(field.lines.count())] == ["END", ""]
    problem = Problem("task.yaml", ("generation", "stop", 1), "text_required", "It is empty.", "Give one.")
    assert section.owns(problem)
    assert section.field_of(problem) is field
    field.reveal(problem)
    assert field.lines.currentRow() == 1
    field.remove_current()
    assert document.content.value("task.yaml", ("generation", "stop")) == ["END"]


def test_that_a_word_typed_back_is_no_change(document: PackDocument) -> None:
    document.push(document.content.put(*NAME, "desks"))
    document.push(document.content.put(*NAME, "desk"))
    assert not document.modified
    assert document.undo.count() == 0


def test_that_undo_goes_through_saves_back_to_the_bytes_of_the_start(
    document: PackDocument, folder: Path
) -> None:
    start = on_disk(folder)
    document.push(document.content.put(*NAME, "other"))
    document.save()
    document.push(document.content.put_files({"examples/001.json": None}, "delete example 001"))
    document.save()
    assert not (folder / "examples" / "001.json").exists()
    assert not document.modified
    document.undo.setIndex(0)
    assert document.modified
    document.save()
    assert on_disk(folder) == start


def test_that_every_changed_file_is_told(document: PackDocument, qtbot: QtBot) -> None:
    with qtbot.waitSignal(document.changed) as reported:
        document.push(document.content.put_text("prompt.md", "new {{input}}"))
    assert reported.args == [frozenset({"prompt.md"})]


def test_that_what_another_program_wrote_is_not_overwritten_unasked(
    document: PackDocument, folder: Path
) -> None:
    (folder / "prompt.md").write_bytes(b"theirs {{input}}\n")
    document.push(document.content.put(*NAME, "mine"))
    document.save()
    document.push(document.content.put_text("prompt.md", "mine {{input}}"))
    with pytest.raises(ChangedOnDisk) as caught:
        document.save()
    assert caught.value.files == ("prompt.md",)
    assert (folder / "prompt.md").read_bytes() == b"theirs {{input}}\n"
    document.save(overwrite=True)
    assert (folder / "prompt.md").read_bytes() == b"mine {{input}}"


def test_that_theirs_can_be_taken_and_taken_back(document: PackDocument, folder: Path) -> None:
    mine = document.content.text("prompt.md")
    (folder / "prompt.md").write_bytes(b"theirs {{input}}\n")
    (folder / "examples" / "009.json").write_bytes(b'{"input": "new", "expected": "a"}')
    assert document.differences(read_content(folder).files) == ("examples/009.json", "prompt.md")
    document.take_from_disk()
    assert document.content.text("prompt.md") == "theirs {{input}}\n"
    assert not document.modified
    document.undo.undo()
    assert document.content.text("prompt.md") == mine
    assert document.modified


def test_that_save_as_goes_on_in_the_new_folder_and_refuses_a_full_one(
    document: PackDocument, tmp_path: Path
) -> None:
    document.push(document.content.put(*NAME, "copy"))
    copy = document.copying()
    with pytest.raises(AppError):
        copy.write(document.folder)
    document.went_to(copy.write(tmp_path / "copy"), copy)
    assert not document.modified
    assert document.folder == tmp_path / "copy"
    assert b"name: copy" in (tmp_path / "copy" / "task.yaml").read_bytes()
    assert b"name: desk" in (tmp_path / "desk" / "task.yaml").read_bytes()


def test_that_unsaved_work_is_found_again_after_a_crash(document: PackDocument, tmp_path: Path) -> None:
    recovery = RecoveryFolder(tmp_path / "recovery")
    document.push(document.content.put(*NAME, "unsaved"))
    document.push(document.content.put_files({"examples/002.json": None}, "delete"))
    assert recovery.keep(document.folder, document.unsaved(), NOON)
    (found,) = recovery.all()
    assert found.folder == document.folder
    again = PackDocument(document.folder, read_content(document.folder))
    again.push(again.content.put_files(found.unsaved, "restore unsaved work"))
    assert again.content.files == document.content.files
    recovery.drop(document.folder)
    assert recovery.all() == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 9}', '{"version": 1, "files": {"a": "!"}}'])
def test_that_a_damaged_copy_is_left_aside(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "x.recovery.json").write_text(content, encoding="utf-8")
    assert RecoveryFolder(tmp_path).all() == []
    assert "left aside" in caplog.text


def test_that_a_copy_that_cannot_be_kept_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert not RecoveryFolder(tmp_path / "file").keep(tmp_path, {}, NOON)
    assert "could not be copied" in caplog.text
