"""In the Scorer page: what a tolerance lets pass, and an answer judged against the chosen example."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.form.tolerance_field import ToleranceField
from packs.task.content import read_content
from packs.task.scorers.numeric_tolerance import NumericTolerance
from tests.fakes.faults import FIELDS, Fault, Lead, example, grid, pack_files, scorer

NUMBER = scorer("numeric-tolerance", "  tolerance: 0.5")
Open = Callable[[str, dict[str, bytes | str | None]], EditorPage]


@pytest.fixture
def open_page(services: WindowServices, qtbot: QtBot, tmp_path: Path) -> Iterator[Open]:
    made: list[EditorPage] = []

    def make(manifest: str, files: dict[str, bytes | str | None]) -> EditorPage:
        folder = tmp_path / "pack"
        for name, content in pack_files(Fault(Lead("", ""), files, manifest)).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        document = PackDocument(folder, read_content(folder))
        page = EditorPage(services, document)
        document.setParent(page)
        qtbot.addWidget(page)
        page.show()
        page.select(2)
        made.append(page)
        return page

    yield make
    for page in made:
        page.life.give_up()
        page.close_document()


def numbers() -> dict[str, bytes | str | None]:
    return {f"examples/{number:03d}.json": example(f"message {number}", 40 + number) for number in range(1, 22)}


def tolerance(page: EditorPage) -> ToleranceField:
    return next(field for field in page.scorer.fields if isinstance(field, ToleranceField))


@pytest.mark.parametrize(
    ("params", "expected", "message"),
    [
        ({"tolerance": 0.5}, 42, "With 0.5: 41.5 to 42.5 pass for 42."),
        ({"tolerance": 0}, 42, "With 0: only 42 passes for 42."),
        ({"tolerance": 0.5, "mode": "relative"}, -10, "With 0.5: -15 to -5 pass for -10."),
        ({"tolerance": 0.1, "mode": "relative"}, 42, "With 0.1: numbers between 37.8 and 46.2 pass for 42."),
        ({"tolerance": 1e308}, 1.7e308, ""),
    ],
)
def test_that_the_example_of_a_tolerance_is_what_the_scorer_lets_pass(
    params: dict[str, object], expected: float, message: str
) -> None:
    assert NumericTolerance(params).passing(expected) == message


def test_that_what_passes_follows_the_typing_and_the_example(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(NUMBER, numbers())
    field = tolerance(page)
    page.examples.select("examples/002.json")
    assert field.example.text() == "With 0.5: 41.5 to 42.5 pass for 42."
    assert field.example.isVisible()
    assert "41.5 to 42.5" in field.line.accessibleDescription()
    field.line.selectAll()
    qtbot.keyClicks(field.line, "2")
    assert field.example.text() == "With 2: 40 to 44 pass for 42."
    qtbot.keyClicks(field.line, "x")
    assert not field.example.isVisible()
    page.document.undo.undo()
    page.examples.select("examples/010.json")
    assert field.example.text() == "With 0.5: 49.5 to 50.5 pass for 50."


def test_that_a_number_is_judged_against_the_chosen_example(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(NUMBER, numbers())
    page.examples.select("examples/002.json")
    tester = page.scorer.tester
    qtbot.keyClicks(tester.line, "about 41.8 I think")
    assert tester.result.text() == "This passes: it is read as 41.8. Example 002 expects 42."
    page.examples.select("examples/003.json")
    assert tester.result.text() == "This does not pass: it is read as 41.8. Example 003 expects 43."
    page.document.push(page.document.content.put("examples/003.json", ("expected",), 41.5))
    assert tester.result.text().startswith("This passes")
    tester.line.setText("no idea")
    assert tester.result.text().startswith("This does not pass: there is no number in it.")


def test_that_fields_are_judged_one_by_one(open_page: Open) -> None:
    page = open_page(FIELDS, grid())
    page.examples.select("examples/001.json")
    tester = page.scorer.tester
    for answer, message in (
        ({"a": 1, "b": 2}, "This passes: all 2 fields are right."),
        ({"a": 2}, "This does not pass: 0 of 2 fields are right; a is wrong, b is missing."),
        ([1], "This does not pass: its JSON is not an object."),
    ):
        tester.line.setText(json.dumps(answer))
        assert tester.result.text().startswith(message)
    tester.line.setText("nothing")
    assert tester.result.text().startswith("This does not pass: there is no JSON in it.")


def test_that_an_example_without_a_fitting_value_is_said_to_be_none(open_page: Open) -> None:
    page = open_page(NUMBER, {**numbers(), "examples/001.json": example("x", "many"), "examples/002.json": "{"})
    tester = page.scorer.tester
    tester.line.setText("41")
    page.examples.select("examples/001.json")
    assert tester.result.text().startswith("Example 001 cannot be compared with")
    page.examples.select("examples/002.json")
    assert "choose an example" in tester.result.text()
