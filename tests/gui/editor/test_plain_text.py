"""Fields of many lines give back every character that nobody edited, whatever Qt makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.runs.live.being_written import GrowingText
from desktop.gui.theme import Scheme, Theme
from desktop.gui.widgets.difference_view import DifferenceView
from desktop.gui.widgets.plain_text import MAX_LINE, cut_lines, cut_note, fill, shown, text_of, typed_into
from desktop.gui.widgets.text_runs import Mark, Run, Runs
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
    qtbot.waitUntil(lambda: page.checker.is_current)
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
            editor.services.theme.use(scheme=scheme, zoom=zoom)
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


LONG = 1 << 20
LAID_OUT = MAX_LINE + 100
"""Characters of one line that a view may lay out: a mebibyte took Qt more than half a minute."""


def longest_line(edit: QPlainTextEdit | QTextEdit) -> int:
    return max(map(len, shown(edit.document().toRawText()).split("\n")))


def test_that_a_long_line_is_cut_with_its_length_and_short_ones_stay() -> None:
    text = f"first\r\n{'x' * LONG}\u2029last"
    assert cut_lines(text) == f"first\r\n{'x' * MAX_LINE}{cut_note(LONG)}\u2029last"
    assert "1,048,576 characters" in cut_note(LONG)
    assert cut_lines("x" * MAX_LINE) == "x" * MAX_LINE
    many = "short line\n" * 100_000
    assert cut_lines(many) == many


def test_that_a_field_with_a_cut_line_cannot_be_edited_and_loses_nothing(qapp: QApplication) -> None:
    edit = QPlainTextEdit()
    whole = "a" * LONG
    fill(edit, whole)
    assert edit.isReadOnly()
    assert longest_line(edit) < LAID_OUT
    assert typed_into(edit, whole) == whole
    edit.insertPlainText("never")
    assert typed_into(edit, whole) == whole
    fill(edit, "short")
    assert not edit.isReadOnly()
    assert typed_into(edit, "short") == "short"


@pytest.mark.parametrize("page", range(8))
def test_that_no_page_of_the_editor_lays_out_a_line_of_a_mebibyte(
    services: WindowServices, qtbot: QtBot, pack_folder: Path, page: int
) -> None:
    long = "x" * LONG
    task = pack_folder / "task.yaml"
    task.write_text(f"{task.read_text('utf-8')}note: {long}\n", "utf-8")
    (pack_folder / "prompt.md").write_text(f"{{{{input}}}} {long}\n", "utf-8")
    (pack_folder / EXAMPLE).write_text(json.dumps({"input": long, "expected": {"a": long}}), "utf-8")
    before = read_content(pack_folder)
    document = PackDocument(pack_folder, before)
    editor = EditorPage(services, document)
    document.setParent(editor)
    qtbot.addWidget(editor)
    editor.select(page)
    editor.show()
    QApplication.processEvents()
    views = [*editor.findChildren(QPlainTextEdit), *editor.findChildren(QTextEdit)]
    assert {type(view).__name__: longest_line(view) for view in views if longest_line(view) > LAID_OUT} == {}
    assert dict(document.content.files) == dict(before.files)
    assert not document.modified
    editor.close_document()


def test_that_views_of_answers_and_differences_cut_long_lines(theme: Theme, qtbot: QtBot) -> None:
    view, growing = DifferenceView(theme, "Answer"), GrowingText(theme)
    qtbot.addWidget(view)
    qtbot.addWidget(growing)
    half = "y" * (LONG // 2)
    view.show_runs(Runs((Run("short\n"), Run(half), Run(half, mark=Mark.ADDED), Run("\nlast"))))
    assert longest_line(view) < LAID_OUT
    text = view.toPlainText()
    assert text.startswith("short\ny") and text.endswith(f"{cut_note(LONG)}\nlast")
    assert len(view.runs.plain) > LONG
    for size in (100, MAX_LINE, MAX_LINE + 1, LONG):
        growing.show_text("z" * size, writing=True)
        assert longest_line(growing) < LAID_OUT
    assert growing.toPlainText().endswith(cut_note(LONG))
    growing.show_text(f"{'z' * LONG}\nlast", writing=False)
    assert growing.toPlainText().endswith("\nlast")


def test_that_texts_from_files_and_models_reach_a_view_only_where_lines_are_cut() -> None:
    root = Path(__file__).parents[3] / "desktop" / "gui"
    cutting = {"widgets/plain_text.py", "runs/live/being_written.py"}
    direct = {
        str(file.relative_to(root).as_posix())
        for file in root.rglob("*.py")
        if re.search(r"setPlainText\(|Q(Plain)?TextEdit\([^)]*(text|answer|details)", file.read_text("utf-8"))
    }
    assert direct <= cutting
