"""A drop never takes the file away: a file manager that moves would delete it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.gui.theme import Theme
from desktop.gui.widgets.drop_area import DropArea, accept_as_copy

GUI = Path(__file__).parents[3] / "desktop" / "gui"
COPY, MOVE, LINK = Qt.DropAction.CopyAction, Qt.DropAction.MoveAction, Qt.DropAction.LinkAction
LEFT, SHIFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier


@pytest.mark.parametrize("keys", [NONE, SHIFT], ids=["no key", "shift"])
@pytest.mark.parametrize("offered", [COPY, MOVE, COPY | MOVE, COPY | MOVE | LINK, LINK], ids=str)
def test_that_no_drop_area_ever_says_that_it_moved(
    qtbot: QtBot, theme: Theme, offered: Qt.DropAction, keys: Qt.KeyboardModifier
) -> None:
    area = DropArea(theme, "Drop here", "files")
    qtbot.addWidget(area)
    dropped: list[list[str]] = []
    area.dropped.connect(dropped.append)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/somewhere/table.csv")])
    events: list[QDropEvent] = [
        QDragEnterEvent(QPoint(5, 5), offered, mime, LEFT, keys),
        QDragMoveEvent(QPoint(5, 5), offered, mime, LEFT, keys),
        QDropEvent(QPointF(5, 5), offered, mime, LEFT, keys),
    ]
    for event in events:
        event.setDropAction(MOVE)
        QApplication.sendEvent(area, event)
        assert event.isAccepted()
        assert event.dropAction() in (COPY, Qt.DropAction.IgnoreAction)
        if offered & COPY:
            assert event.dropAction() == COPY
    assert dropped == [["/somewhere/table.csv"]]


def test_that_every_place_takes_files_through_the_one_way() -> None:
    """What is proposed is the other program's choice, and may be to move."""
    for file in GUI.rglob("*.py"):
        assert "acceptProposedAction" not in file.read_text("utf-8"), file
    assert accept_as_copy.__doc__
