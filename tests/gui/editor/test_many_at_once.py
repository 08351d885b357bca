"""Steps over ten thousand examples: pasted, deleted, taken back and done again, and the window never stalls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.application.example_rows import rows_of
from desktop.application.opened_pack import read_pack
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from tests.fakes.faults import MANIFEST, PROMPT, example
from tests.fakes.work_count import TurnProbe

MAXIMUM_CALLS = 25
"""For an example, in one turn of the event loop: a step looks at each row but reads and checks none."""
MANY = 10_000
FEW = 30
TEXT = "\n".join(f"pasted {number}\tbilling" for number in range(MANY))
SOME = "\n".join(f"pasted {number}\tbilling" for number in range(600))


def write_pack(folder: Path, count: int) -> Path:
    (folder / "examples").mkdir(parents=True)
    (folder / "task.yaml").write_text(MANIFEST, "utf-8")
    (folder / "prompt.md").write_text(PROMPT, "utf-8")
    for number in range(1, count + 1):
        label = ("billing", "delivery", "returns")[number % 3]
        (folder / "examples" / f"{number:05}.json").write_text(example(f"message {number}", label), "utf-8")
    return folder


@pytest.fixture
def editor(
    services: WindowServices, qtbot: QtBot, qapp: QApplication, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[EditorPage]:
    """With as many examples as the parameter says."""
    opened = read_pack(write_pack(tmp_path / "pack", getattr(request, "param", FEW)))
    assert opened.content is not None
    tasks = TaskRunner(GuiThread(qapp))
    document = PackDocument(opened.folder, opened.content)
    page = EditorPage(
        replace(services, tasks=tasks), document, problems=opened.problems, rows=opened.example_rows
    )
    document.setParent(page)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    qtbot.waitExposed(page)
    page.select(5)
    yield page
    page.life.give_up()
    page.close_document()
    tasks.shutdown()


def count_of(editor: EditorPage) -> int:
    return len(editor.examples.rows.all_rows)


@pytest.mark.parametrize("editor", [MANY], indirect=True)
def test_that_ten_thousand_are_pasted_deleted_and_taken_back_without_a_stall(
    editor: EditorPage, qtbot: QtBot
) -> None:
    undo, examples = editor.document.undo, editor.examples
    start = dict(editor.document.content.files)
    steps: list[tuple[str, Callable[[], object], int]] = [
        ("paste", lambda: examples.paste(TEXT), 2 * MANY),
        ("undo paste", undo.undo, MANY),
        ("redo paste", undo.redo, 2 * MANY),
        ("undo paste again", undo.undo, MANY),
        ("delete all", examples.delete, 0),
        ("undo delete", undo.undo, MANY),
        ("redo delete", undo.redo, 0),
        ("undo delete again", undo.undo, MANY),
    ]
    calls: dict[str, int] = {}
    probe = TurnProbe()
    for name, step, count in steps:
        if name == "delete all":
            examples.table.selectAll()
        QApplication.processEvents()
        probe.start()
        step()
        qtbot.waitUntil(lambda count=count: count_of(editor) == count)
        turns = probe.turns
        qtbot.waitUntil(lambda turns=turns: probe.turns > turns + 1)
        calls[name] = probe.stop()
        qtbot.waitUntil(lambda: editor.checker.is_current)
    assert dict(editor.document.content.files) == start
    assert {name: most for name, most in calls.items() if most > MAXIMUM_CALLS * MANY} == {}
    assert [undo.text(number) for number in range(undo.count())] == ["Delete 10000 examples"]


def test_that_rows_that_are_kept_are_those_that_would_be_read(editor: EditorPage, qtbot: QtBot) -> None:
    undo, examples, content = editor.document.undo, editor.examples, editor.document.content
    start = dict(content.files)

    def is_true() -> bool:
        return list(examples.rows.all_rows) == rows_of(content, None)

    examples.paste(SOME)
    qtbot.waitUntil(lambda: count_of(editor) == FEW + 600)
    assert undo.text(0) == "Paste 600 examples"
    assert is_true()
    editor.document.push(content.put("examples/00031.json", ("input",), "another"))
    assert is_true()
    examples.table.selectAll()
    examples.delete()
    assert count_of(editor) == 0
    examples.paste("new\treturns")
    assert is_true()
    assert next(iter(examples.rows.all_rows)).input == "new"
    seen = [undo.text(number) for number in range(undo.count())]
    assert seen == [
        "Paste 600 examples",
        "Change input in 00031.json",
        "Delete 630 examples",
        "Paste 1 example",
    ]
    while undo.canUndo():
        undo.undo()
        assert is_true()
    assert dict(content.files) == start
    assert not editor.document.modified
    while undo.canRedo():
        undo.redo()
        assert is_true()


def test_that_an_example_that_is_added_while_rows_are_read_keeps_its_name(
    editor: EditorPage, qtbot: QtBot
) -> None:
    editor.examples.paste(SOME)
    assert editor.examples.pasting.is_running
    editor.examples.add()
    added = editor.examples.file
    data = editor.document.content.files[added]
    qtbot.waitUntil(lambda: count_of(editor) == FEW + 601)
    assert editor.document.content.files[added] == data
    assert list(editor.examples.rows.all_rows) == rows_of(editor.document.content, None)
    assert editor.document.undo.undoText() == "Paste 600 examples"


def test_that_undo_while_rows_are_read_drops_them_and_can_be_done_again(
    editor: EditorPage, qtbot: QtBot
) -> None:
    editor.examples.add()
    editor.examples.paste(SOME)
    with qtbot.waitSignal(editor.examples.pasting.ended):
        editor.document.undo.undo()
    assert not editor.examples.pasting.is_running
    assert count_of(editor) == FEW
    assert editor.examples.count.text() == "30 examples"
    assert editor.document.undo.canRedo()


def test_that_a_second_paste_comes_after_the_first(editor: EditorPage, qtbot: QtBot) -> None:
    editor.examples.paste(SOME)
    editor.examples.paste("second\treturns")
    undo = editor.document.undo
    assert [undo.text(number) for number in range(undo.count())] == ["Paste 600 examples", "Paste 1 example"]
    assert editor.examples.rows.all_rows[-1].input == "second"


def test_that_nothing_is_pasted_into_a_document_that_was_closed(editor: EditorPage) -> None:
    editor.examples.paste(SOME)
    editor.close_document()
    assert not editor.examples.pasting.is_running
    assert not editor.document.modified
