"""Ten thousand examples: typing, adding and finding never hold up the window; the table stays sound."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.application.example_rows import ExampleRow
from desktop.application.opened_pack import read_pack
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.example_edits import pasted_files
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.examples.example_list import ExampleList
from desktop.gui.editor.examples.expected_field import ExpectedField
from desktop.gui.widgets.rows_model import Column
from packs.task.content import PackContent
from tests.fakes.faults import FIELDS, MANIFEST, PROMPT, Fault, Lead, example, pack_files
from tests.fakes.work_count import TurnProbe

MANY = 10_000


@pytest.fixture
def editor(services: WindowServices, qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[EditorPage]:
    from dataclasses import replace

    folder = tmp_path / "big"
    (folder / "examples").mkdir(parents=True)
    (folder / "task.yaml").write_text(MANIFEST, "utf-8")
    (folder / "prompt.md").write_text(PROMPT, "utf-8")
    for number in range(1, MANY + 1):
        label = ("billing", "delivery", "returns")[number % 3]
        (folder / "examples" / f"{number:05}.json").write_text(example(f"message {number}", label), "utf-8")
    opened = read_pack(folder)
    assert opened.content is not None
    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(folder, opened.content)
    page = EditorPage(
        replace(services, tasks=tasks), document, problems=opened.problems, rows=opened.example_rows
    )
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    qtbot.waitExposed(page)
    yield page
    page.life.give_up()
    page.close_document()
    tasks.shutdown()


def most_calls(act: Callable[[], None]) -> int:
    """In one turn of the event loop."""
    probe = TurnProbe()
    probe.start()
    act()
    return probe.stop()


def test_that_typing_in_ten_thousand_examples_never_blocks(editor: EditorPage, qtbot: QtBot) -> None:
    for page, edit in ((5, editor.examples.input_field.edit), (1, editor.prompt.prompt.edit)):
        editor.select(page)
        edit.setFocus()
        QApplication.processEvents()

        def type_and_be_checked(edit: object = edit) -> None:
            for letter in "letters":
                qtbot.keyClick(edit, letter)
                QApplication.processEvents()
            before = editor.checker.version
            qtbot.waitUntil(lambda: editor.checker.is_current)
            assert editor.checker.version == before

        type_and_be_checked()
        assert most_calls(type_and_be_checked) < MANY, "typing looks at no other example"


def test_that_adding_deleting_finding_and_undoing_never_block(editor: EditorPage, qtbot: QtBot) -> None:
    editor.select(5)
    examples = editor.examples

    def work() -> None:
        for step in (
            examples.add,
            examples.duplicate,
            examples.delete,
            editor.document.undo.undo,
            editor.document.undo.undo,
            editor.document.undo.undo,
            lambda: examples.search.setText("message 77"),
            lambda: examples.search.setText(""),
            lambda: examples.select("examples/09000.json"),
        ):
            step()
            QApplication.processEvents()

    work()
    assert most_calls(work) < 12 * MANY
    assert examples.rows.rowCount() == MANY
    assert not editor.document.modified


def row(number: int, text: str = "") -> ExampleRow:
    return ExampleRow(f"examples/{number:03}.json", f"{number:03}", text or f"text {number}", "a")


def test_that_the_table_stays_sound_while_rows_come_and_go(qtmodeltester: object, qtbot: QtBot) -> None:
    model = ExampleList([Column("No.", lambda entry: entry.id), Column("Input", lambda entry: entry.input)])
    qtmodeltester.check(model)  # type: ignore[attr-defined]
    model.set_all([row(number) for number in range(0, 40, 2)])
    model.put(row(7))
    model.put(row(8, "another"))
    model.take("examples/000.json")
    assert [entry.id for entry in model.rows] == [f"{n:03}" for n in sorted([7, *range(2, 40, 2)])]
    model.set_filter("text 1")
    model.put(row(11))
    model.put(row(21))
    assert [entry.id for entry in model.rows] == ["010", "011", "012", "014", "016", "018"]
    model.set_filter("")
    model.sort(1, Qt.SortOrder.DescendingOrder)
    model.take("examples/010.json")
    assert model.rows[0].input == "text 8" or model.rows[0].input == "text 7"
    model.sort(-1)
    assert [entry.id for entry in model.rows] == sorted(entry.id for entry in model.rows)
    assert len(model.all_rows) == len(model.rows)


def content(manifest: str) -> PackContent:
    return PackContent(pack_files(Fault(Lead("", ""), {}, manifest)))


def values(files: dict[str, bytes | None]) -> list[dict[str, object]]:
    return [json.loads(data) for data in files.values() if data is not None]


def test_that_rows_of_a_spreadsheet_become_examples() -> None:
    files = pasted_files(content(MANIFEST), 'Text\tLabel\n"two\nlines"\tbilling\n\t\nplain\n')
    assert list(files) == ["examples/022.json", "examples/023.json"]
    assert values(files) == [
        {"input": "two\nlines", "expected": "billing"},
        {"input": "plain", "expected": ""},
    ]


def test_that_columns_become_the_key_fields() -> None:
    files = pasted_files(content(FIELDS), 'input\ta\tb\nfirst\t12.5\tword\nsecond\t\nthird\t{"a": 1}\n')
    assert values(files) == [
        {"input": "first", "expected": {"a": 12.5, "b": "word"}},
        {"input": "second", "expected": {"a": None, "b": None}},
        {"input": "third", "expected": {"a": 1}},
    ]


def test_that_codes_of_digits_stay_as_they_are_written() -> None:
    files = pasted_files(content(FIELDS), "first\t00731\t+4989123\nsecond\t0.50\t1_000\nthird\t-3\t１２\n")
    assert [entry["expected"] for entry in values(files)] == [
        {"a": "00731", "b": "+4989123"},
        {"a": 0.5, "b": "1_000"},
        {"a": -3, "b": "１２"},
    ]


def test_that_a_code_that_is_typed_into_a_field_stays_as_it_is_written(
    services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> None:
    document = PackDocument(tmp_path, content(FIELDS))
    document.push(
        document.content.put_files({"examples/001.json": b'{"input": "x", "expected": {"a": null}}'}, "new")
    )
    field = ExpectedField(services.theme, document)
    qtbot.addWidget(field)
    document.changed.connect(field.refresh)
    field.show_file("examples/001.json")
    line = next(line for line in field.findChildren(QLineEdit) if line.accessibleName() == "Expected a")
    qtbot.keyClicks(line, "00731")
    assert document.content.value("examples/001.json", ("expected", "a")) == "00731"
    assert line.text() == "00731"


@pytest.mark.parametrize("text", ["", "\n\n", "\t\t\n", "\x00", 'open "quote\tx', '"never closed\tx'])
def test_that_odd_pastes_do_no_harm(text: str) -> None:
    for data in values(pasted_files(content(MANIFEST), text)):
        assert isinstance(data["input"], str)
