"""All places with content at every size: nothing cut, everything named, everything reachable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.gui.core.place import PlaceName
from desktop.gui.core.window_services import WindowServices
from desktop.gui.runs.place import RunsPlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.start_window import make_window
from desktop.gui.theme import Scheme, Theme
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.scroll_page import ScrollPage
from tests.fakes.model_service import FakeModelService, found_models
from tests.fakes.run_service import ScriptedRunService


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot, tmp_path: Path, pack_folder: Path) -> Iterator[MainWindow]:
    """A pack is open, a run is finished."""
    service = ScriptedRunService(tmp_path)
    models = FakeModelService(found_models(8))
    made = make_window(services, service, models)
    qtbot.addWidget(made)
    made.show()
    with qtbot.waitSignal(made.opener.pack_opened):
        made.open_paths([str(pack_folder)])
    yield made
    made.close()


def pages(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """Each place and each page of it, one after the other."""
    for place in PlaceName:
        window.show_place(place)
        settle()
        yield place.value
        editor = window.pack.editor
        if place is PlaceName.PACK and editor is not None:
            for number, entry in enumerate(editor.outline.entries):
                if entry.isVisible():
                    editor.select(number)
                    settle()
                    yield f"pack, {entry.text()}"
            editor.select(0)
    window.plan_run()
    runs = window.runs
    assert isinstance(runs, RunsPlace)
    qtbot.waitUntil(lambda: runs.plan.pack is not None)
    settle()
    yield "plan"
    with qtbot.waitSignal(runs.controller.ended):
        runs.plan.start.click()
    settle()
    yield "result"
    runs.show_history()
    settle()
    yield "history"


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def shown(window: MainWindow, kind: type[QWidget]) -> Iterator[QWidget]:
    for widget in window.findChildren(kind):
        if widget.isVisible():
            yield widget


def result_shown(window: MainWindow, qtbot: QtBot) -> tuple[RunsPlace, ScriptedRunService]:
    window.plan_run()
    runs = window.runs
    assert isinstance(runs, RunsPlace)
    qtbot.waitUntil(lambda: runs.plan.pack is not None)
    with qtbot.waitSignal(runs.controller.ended):
        runs.plan.start.click()
    qtbot.waitUntil(lambda: runs.result.ready and not runs.result.looks_soon)
    service = runs.result.service
    assert isinstance(service, ScriptedRunService)
    return runs, service


@pytest.mark.parametrize("way", ["saved here", "written by another program"])
def test_that_a_pack_saved_while_the_result_is_shown_re_scores_it(
    window: MainWindow, qtbot: QtBot, way: str
) -> None:
    runs, service = result_shown(window, qtbot)
    assert runs.result.strip.isHidden()
    service.corrected = {"001": "another"}
    if way == "saved here":
        editor = window.pack.editor
        assert editor is not None
        assert editor.life.save()
    else:
        QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))
    qtbot.waitUntil(runs.result.strip.isVisible)
    assert "Re-scored with today's pack" in runs.result.strip.message.text()


def may_be_cut(label: QLabel) -> bool:
    """Paths, names and notes; the tooltip has the whole."""
    return isinstance(label, TextLabel) and label.may_be_cut


@pytest.mark.parametrize("zoom", [100, 150, 200])
def test_that_no_words_are_cut_on_any_page(window: MainWindow, qtbot: QtBot, theme: Theme, zoom: int) -> None:
    theme.use(zoom=zoom)
    window.resize(1280, 800)
    faults = []
    for page in pages(window, qtbot):
        for label in shown(window, QLabel):
            assert isinstance(label, QLabel)
            if not label.text() or may_be_cut(label):
                continue
            flags = Qt.TextFlag.TextWordWrap if label.wordWrap() else Qt.TextFlag.TextSingleLine
            flags |= Qt.TextFlag.TextShowMnemonic
            room = label.contentsRect()
            needed = label.fontMetrics().boundingRect(0, 0, room.width(), 10_000, flags, label.text())
            if needed.height() > room.height() + 1 or needed.width() > room.width() + 1:
                faults.append(f"{page}: “{label.text()[:60]}” needs {needed.size()} and has {room.size()}")
        for button in shown(window, QAbstractButton):
            assert isinstance(button, QAbstractButton)
            if button.text() and button.width() < button.fontMetrics().horizontalAdvance(button.text()):
                faults.append(f"{page}: the button “{button.text()}” is too narrow")
        for box in shown(window, QComboBox):
            assert isinstance(box, QComboBox)
            if box.width() < box.fontMetrics().horizontalAdvance(box.currentText()) + theme.px(30):
                faults.append(f"{page}: the choice “{box.currentText()}” is too narrow")
    assert not faults, "\n".join(faults)


def test_that_everything_on_every_page_has_a_name(window: MainWindow, qtbot: QtBot) -> None:
    nameless = []
    for page in pages(window, qtbot):
        for widget in shown(window, QWidget):
            if widget.focusPolicy() == Qt.FocusPolicy.NoFocus:
                continue
            if isinstance(widget.parentWidget(), QAbstractSpinBox):
                # The spin box itself is what has the name.
                widget = widget.parentWidget()
            interface = QAccessible.queryAccessibleInterface(widget)
            name = widget.accessibleName() or (interface.text(QAccessible.Text.Name) if interface else "")
            if not name:
                nameless.append(f"{page}: {type(widget).__name__}")
    assert not nameless, "\n".join(sorted(set(nameless)))


def test_that_every_page_paints_in_both_schemes(window: MainWindow, qtbot: QtBot, theme: Theme) -> None:
    for page in pages(window, qtbot):
        grounds = []
        for scheme in (Scheme.LIGHT, Scheme.DARK):
            theme.use(scheme=scheme)
            settle()
            picture = window.grab().toImage()
            grounds.append(sum(picture.pixelColor(x, 40).lightness() for x in range(100, 900, 20)))
        assert grounds[0] > grounds[1] * 2, page
        theme.use(scheme=Scheme.LIGHT)


def test_that_f6_comes_round_on_every_page(window: MainWindow, qtbot: QtBot) -> None:
    for page in pages(window, qtbot):
        seen: list[QWidget] = []
        for _ in range(12):
            window.menus.next_pane.trigger()
            focused = QApplication.focusWidget()
            assert focused is not None, page
            seen.append(focused)
        assert any(widget in window.rail.buttons.values() for widget in seen), page
        if page != "evidence":
            # There is nothing to be done in a place that is not built yet.
            assert len(set(seen)) > 1, page


def test_that_a_page_scrolls_only_when_it_must(qtbot: QtBot, theme: Theme) -> None:
    page = QWidget()
    page.setMinimumSize(0, 0)
    area = ScrollPage(page)
    qtbot.addWidget(area)
    area.resize(400, 300)
    area.show()
    settle()
    assert page.size() == area.viewport().size()
    assert not area.verticalScrollBar().isVisible()

    class Tall(QWidget):
        def minimumSizeHint(self):  # type: ignore[no-untyped-def]
            from PySide6.QtCore import QSize

            return QSize(100, 500)

    tall = ScrollPage(Tall())
    qtbot.addWidget(tall)
    tall.resize(400, 300)
    tall.show()
    settle()
    assert tall.widget().height() == 500
    assert tall.verticalScrollBar().isVisible()
    assert not tall.horizontalScrollBar().isVisible()
