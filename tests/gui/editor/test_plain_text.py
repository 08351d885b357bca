"""Fields of many lines give back every character that nobody edited, whatever Qt makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.theme import Scheme
from desktop.gui.widgets.plain_text import shown, text_of, typed_into
from packs.task.content import read_content

ODD = "Bonjour\u00a0!\r\nL\u2028igne\rfin\u2029."
EXAMPLE = "examples/001.json"


@pytest.fixture
def editor(services: WindowServices, qtbot: QtBot, pack_folder: Path) -> Iterator[EditorPage]:
    """A pack of odd characters: in the prompt, in an input, in a schema that is a file of its own."""
    manifest = (pack_folder / "task.yaml").read_text("utf-8")
    manifest = manifest.replace("exact-label", "json-schema").replace(
        "labels: [billing, returns]", "schema: s.json"
    )
    (pack_folder / "task.yaml").write_text(manifest, "utf-8")
    (pack_folder / "s.json").write_text('{"type":"object","title":"a\u00a0b"}', "utf-8")
    (pack_folder / "prompt.md").write_bytes(f"Was\u00a0ist {ODD}\n{{{{input}}}}\n".encode())
    (pack_folder / EXAMPLE).write_text(json.dumps({"input": ODD, "expected": {"a": "x\u00a0y"}}), "utf-8")
    document = PackDocument(pack_folder, read_content(pack_folder))
    page = EditorPage(services, document)
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    qtbot.waitUntil(lambda: page.checker.is_current, timeout=20_000)
    yield page
    page.document.undo.setClean()
    page.close_document()


def type_at_end(edit: QPlainTextEdit, qtbot: QtBot, text: str) -> None:
    edit.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(edit, text)


def test_that_a_letter_in_a_prompt_changes_only_itself(editor: EditorPage, qtbot: QtBot) -> None:
    editor.select(1)
    before = editor.document.content.files["prompt.md"]
    type_at_end(editor.prompt.prompt.edit, qtbot, "x")
    assert editor.document.content.files["prompt.md"] == before + b"x"


def test_that_a_letter_in_an_input_changes_only_itself(editor: EditorPage, qtbot: QtBot) -> None:
    editor.select(5)
    editor.examples.select(EXAMPLE)
    edit = editor.examples.input_field.edit
    type_at_end(edit, qtbot, "x")
    edit.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.keyClicks(edit, "y")
    assert editor.document.content.value(EXAMPLE, ("input",)) == f"y{ODD}x"


def test_that_a_letter_in_a_file_as_text_changes_only_itself(editor: EditorPage, qtbot: QtBot) -> None:
    editor.select(7)
    editor.text.box.setCurrentText("s.json")
    editor.text.refresh()
    before = editor.document.content.files["s.json"]
    type_at_end(editor.text.edit, qtbot, " ")
    assert editor.document.content.files["s.json"] == before + b" "


def test_that_colours_and_sizes_change_no_odd_character(editor: EditorPage) -> None:
    for place in range(len(editor.sections)):
        editor.select(place)
        for scheme, zoom in ((Scheme.DARK, 150), (Scheme.LIGHT, 100)):
            editor._services.theme.use(scheme=scheme, zoom=zoom)
            QApplication.processEvents()
    assert editor.document.undo.count() == 0


def test_that_a_place_in_the_text_is_kept_while_others_change(editor: EditorPage, qtbot: QtBot) -> None:
    editor.select(1)
    edit = editor.prompt.prompt.edit
    edit.selectAll()
    editor.document.push(editor.document.content.put("task.yaml", ("name",), "another"))
    assert edit.textCursor().hasSelection()


def test_that_true_is_not_shown_as_the_one_before_it(editor: EditorPage) -> None:
    content = editor.document.content
    editor.document.push(content.put_files({EXAMPLE: b'{"input": "a", "expected": 1}'}, "one"))
    editor.document.push(content.put_files({"examples/002.json": b'{"input": "b", "expected": true}'}, "true"))
    field = editor.examples.expected_field
    field.show_file(EXAMPLE)
    assert text_of(field.json_edit) == "1"
    field.show_file("examples/002.json")
    assert text_of(field.json_edit) == "true"
    field.show_file("")
    assert text_of(field.json_edit) == ""


ANY = st.text(st.sampled_from("ab \n\r\u00a0\u2028\u2029\ufdd0\u05d0語"), max_size=12)


@given(ANY, ANY, ANY)
def test_that_what_is_typed_into_any_text_leaves_the_rest(
    qapp: QApplication, before: str, typed: str, after: str
) -> None:
    edit = QPlainTextEdit()
    edit.setPlainText(before + after)
    assert text_of(edit) == shown(before + after)
    assert typed_into(edit, before + after) == before + after
    cursor = edit.textCursor()
    cursor.setPosition(len(shown(before)))
    cursor.insertText(typed)
    edit.setTextCursor(cursor)
    found = typed_into(edit, before + after)
    assert shown(found) == text_of(edit)
