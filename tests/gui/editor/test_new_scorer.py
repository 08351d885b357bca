"""A scorer that is one file and one entry of the table has its forms in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.examples.expected_field import ExpectedField
from desktop.gui.editor.form.fields import TextField
from desktop.gui.editor.form.scorer_sections import ScorerSection
from desktop.gui.editor.new_pack_dialog import NewPackDialog
from packs.task.content import read_content
from packs.task.scorers import SCORERS
from tests.fakes.toy_scorer import ToyScorer


@pytest.fixture
def document(
    services: WindowServices, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PackDocument]:
    """Of a new pack, made in the window."""
    monkeypatch.setitem(SCORERS.entries, ToyScorer.name, ToyScorer)
    dialog = NewPackDialog(services.theme, tmp_path)
    qtbot.addWidget(dialog)
    dialog.kind.setCurrentIndex(dialog.kind.findData(ToyScorer.name))
    assert dialog.kind.currentText() == ToyScorer.scaffold.title
    assert dialog.explained.text() == ToyScorer.scaffold.explanation
    with qtbot.waitSignal(dialog.made) as made:
        dialog.make_button.click()
    folder = Path(made.args[0])
    document = PackDocument(folder, read_content(folder))
    yield document
    document.deleteLater()


def test_that_a_scorer_of_one_file_has_a_form_and_an_answer_to_try(
    services: WindowServices, document: PackDocument, qtbot: QtBot
) -> None:
    section = ScorerSection(services.theme, document)
    qtbot.addWidget(section)
    assert section.form.summary.text() == ToyScorer.summary
    (field,) = section.form.params
    assert isinstance(field, TextField)
    assert field.line.text() == "!"
    section.show_example("examples/001-replace-me.json")
    for said, verdict in (("replace me!", "This passes."), ("replace me", "This does not pass.")):
        section.tester.line.setText(said)
        assert section.tester.result.text().startswith(verdict)


def test_that_its_expected_answer_can_be_written(
    services: WindowServices, document: PackDocument, qtbot: QtBot
) -> None:
    field = ExpectedField(services.theme, document)
    qtbot.addWidget(field)
    field.show_file("examples/001-replace-me.json")
    field.json_edit.setPlainText('"left"')
    assert document.content.value("examples/001-replace-me.json", ("expected",)) == "left"
