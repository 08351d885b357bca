"""Small dialogs on a small screen: within it at every zoom, nothing squeezed, every button in sight."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QLabel
from pytestqt.qtbot import QtBot

from desktop.gui.editor.document.place_dialog import PlaceDialog
from desktop.gui.editor.new_pack_dialog import NewPackDialog
from desktop.gui.models.correct_dialog import CorrectDialog
from desktop.gui.theme import Theme
from desktop.gui.widgets.button import Button
from desktop.inference.machine.corrections import Corrections
from tests.fakes.model_service import FakeModelService, found_models

MAKE: dict[str, Callable[[Theme, Path], QDialog]] = {
    "new pack": NewPackDialog,
    "place": lambda theme, folder: PlaceDialog(
        theme, "Save as", "Where is it to be saved?", folder / "my-task", "&Save it there"
    ),
    "correct": lambda theme, _folder: CorrectDialog(
        theme, FakeModelService(found_models(1)).machine, Corrections(None, None, None)
    ),
}


@pytest.mark.parametrize("zoom", [100, 150, 200])
@pytest.mark.parametrize("kind", MAKE)
def test_that_a_small_dialog_stays_on_a_small_screen_and_squeezes_nothing(
    theme: Theme, qtbot: QtBot, tmp_path: Path, kind: str, zoom: int
) -> None:
    theme.use(zoom=zoom)
    dialog = MAKE[kind](theme, tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    screen = dialog.screen().availableGeometry()
    assert dialog.width() <= screen.width() and dialog.height() <= screen.height()
    for button in dialog.findChildren(Button):
        assert button.width() >= button.sizeHint().width(), button.text()
    for label in dialog.findChildren(QLabel):
        if label.isVisible() and label.text():
            needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
            assert label.height() >= needed - 1, label.text()


def test_that_a_problem_makes_the_dialog_of_a_new_pack_higher(
    theme: Theme, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = NewPackDialog(theme, tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    before = dialog.height()
    dialog.name.clear()
    dialog.make_button.click()
    qtbot.waitUntil(lambda: dialog.height() > before)
    assert dialog.height() <= dialog.screen().availableGeometry().height()
    assert dialog.rect().contains(dialog.make_button.geometry())
