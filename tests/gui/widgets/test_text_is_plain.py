"""Text from packs, files and servers is shown as text wherever Qt would take it for HTML."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QMessageBox, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from desktop.gui.theme import Theme

CANARY = '<img src="file:///nowhere/canary.png">billing <b>bold</b>'
GUI = Path(__file__).parents[3] / "desktop" / "gui"
RICH = {
    "setHtml",
    "setMarkdown",
    "QMessageBox",
    "QErrorMessage",
    "QWhatsThis",
    "setWhatsThis",
    "RichText",
    "AutoText",
}
MAY_BE_RICH = {
    "shell/help_window.py": {"setMarkdown"},  # our own pages
    "printing/pdf.py": {"setHtml"},  # a report whose texts are escaped, on paper
    "theme/style.py": {"AutoText"},  # what makes labels plain
}


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_that_a_tool_tip_shows_its_text_as_it_is(qtbot: QtBot, theme: Theme) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    QToolTip.showText(QPoint(5, 5), CANARY, widget)
    tips = [one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel")]
    assert tips
    for tip in tips:
        assert isinstance(tip, QLabel)
        assert (tip.text(), tip.textFormat()) == (CANARY, Qt.TextFormat.PlainText)
        tip.deleteLater()
    QToolTip.hideText()


def _input_dialog() -> QWidget:
    dialog = QInputDialog()
    dialog.setLabelText(CANARY)
    return dialog


def _message_box() -> QWidget:
    return QMessageBox(QMessageBox.Icon.Information, "title", CANARY)


@pytest.mark.parametrize(
    "make", [lambda: QLabel(CANARY), _input_dialog, _message_box], ids=["label", "input", "box"]
)
def test_that_every_label_that_is_shown_is_plain(
    qtbot: QtBot, theme: Theme, make: Callable[[], QWidget]
) -> None:
    widget = make()
    qtbot.addWidget(widget)
    widget.show()
    labels = [widget] if isinstance(widget, QLabel) else widget.findChildren(QLabel)
    assert any(isinstance(label, QLabel) and label.text() == CANARY for label in labels)
    for label in labels:
        assert isinstance(label, QLabel)
        assert label.textFormat() is Qt.TextFormat.PlainText


def names_in(source: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return found


def test_that_nothing_of_the_window_is_rich_but_what_is_meant_to_be() -> None:
    assert names_in("a.setHtml(b)") >= {"setHtml"}
    found = {
        file.relative_to(GUI).as_posix(): rich
        for file in GUI.rglob("*.py")
        if (rich := names_in(file.read_text("utf-8")) & RICH)
    }
    assert found == MAY_BE_RICH


def test_that_labels_get_no_text_before_they_are_plain() -> None:
    """`QLabel(text)` reads the text before any format can be set."""
    for file in GUI.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QLabel":
                outside = [one for one in node.args if not isinstance(one, ast.Constant | ast.Name)]
                assert not outside, (file, node.lineno)
