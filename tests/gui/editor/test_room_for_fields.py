"""No part of a field lies over another, however large the letters are and whatever script they are in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.form.two_level_field import TwoLevelField
from desktop.gui.widgets.field_frame import FieldFrame
from packs.task.content import read_content

LABELS = "[Rückerstattungsangelegenheiten und Gutschriften, فواتير, 配送の遅延, returns]"


@pytest.fixture(params=[100, 200])
def page(
    services: WindowServices, qtbot: QtBot, pack_folder: Path, request: pytest.FixtureRequest
) -> Iterator[EditorPage]:
    manifest = (pack_folder / "task.yaml").read_text("utf-8").replace("[billing, returns]", LABELS)
    (pack_folder / "task.yaml").write_text(manifest, "utf-8")
    services.theme.use(zoom=request.param)
    document = PackDocument(pack_folder, read_content(pack_folder))
    made = EditorPage(services, document)
    document.setParent(made)
    qtbot.addWidget(made)
    made.resize(19 * request.param // 2, 1100)
    made.show()
    qtbot.waitUntil(lambda: made.checker.is_current)
    yield made
    made.close_document()


def shown_parts(frame: FieldFrame) -> list[QWidget]:
    layout = frame.layout()
    assert layout is not None
    widgets = [layout.itemAt(place).widget() for place in range(layout.count())]
    return [widget for widget in widgets if widget is not None and widget.isVisible()]


def test_that_no_part_of_a_field_lies_over_another(page: EditorPage) -> None:
    for place, section in enumerate(page.sections):
        page.select(place)
        for _ in range(3):
            QApplication.processEvents()
        for frame in section.findChildren(FieldFrame):
            parts = shown_parts(frame)
            for above, below in pairwise(parts):
                assert above.geometry().bottom() < below.geometry().top(), (section.title, frame.label.text())


def test_that_a_short_list_is_seen_whole(page: EditorPage) -> None:
    page.select(2)
    for _ in range(3):
        QApplication.processEvents()
    labels = next(field for field in page.scorer.findChildren(TwoLevelField) if field.rows.shown_count() == 4)
    assert labels.rows.verticalScrollBar().maximum() == 0
    last = labels.rows.visualItemRect(labels.rows.topLevelItem(3))
    assert last.bottom() <= labels.rows.viewport().height()
