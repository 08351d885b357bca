"""Help pages, About and its licences, and signals of the system."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication
from pytestqt.qtbot import QtBot

from build_scripts.collect_licences import locked
from desktop.application.help_pages import page_names, page_text, picture
from desktop.foundation.resource_files import resource
from desktop.gui.shell.about import AboutDialog, components, licence_text
from desktop.gui.shell.help_window import PAGE_OF_PLACE, HelpWindow
from desktop.gui.shell.system_signals import SystemSignals
from desktop.gui.theme import Scheme, Theme
from packs.task.codes import CODES

PAGES = page_names()


def test_that_every_locked_distribution_has_its_licence_text() -> None:
    listed = {(part.name, part.version) for part in components()}
    assert set(locked()) <= listed
    for part in components():
        assert len(licence_text(part)) > 200, part.name
        assert part.licence


def test_that_the_libraries_under_the_lgpl_come_with_its_text() -> None:
    under = [part for part in components() if part.licence.startswith("LGPL")]
    assert {"pyside6-essentials", "shiboken6", "GLib"} <= {part.name for part in under}
    for part in under:
        assert "GNU LESSER GENERAL PUBLIC LICENSE" in licence_text(part), part.name


def test_that_about_shows_versions_and_licences(theme: Theme, qtbot: QtBot) -> None:
    dialog = AboutDialog(theme)
    qtbot.addWidget(dialog)
    dialog.show()
    assert "Packbench" in dialog.heading.text()
    assert dialog.text.toPlainText()
    first = dialog.text.toPlainText()
    dialog.table.selectRow(3)
    assert dialog.text.toPlainText() != first
    dialog.copy_button.click()
    assert "Qt 6." in QGuiApplication.clipboard().text()


@pytest.mark.parametrize("page", PAGES)
def test_that_links_between_help_pages_lead_somewhere(page: str) -> None:
    text = page_text(page)
    for picture_name in re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", text):
        assert picture(picture_name), f"{page} shows {picture_name}"
    text = re.sub(r"!\[[^\]]+\]\([^)]+\)", "", text)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert target in PAGES, f"{page} leads to {target}"
    assert "!" not in re.sub(r"`[^`]*`", "", text)


def test_that_every_place_has_its_page(theme: Theme, qtbot: QtBot) -> None:
    window = HelpWindow(theme)
    qtbot.addWidget(window)
    for page in PAGE_OF_PLACE.values():
        window.show_page(page)
        assert window.page == page
        assert window.pages.toPlainText().strip()


def test_that_help_follows_its_own_links_and_no_others(theme: Theme, qtbot: QtBot) -> None:
    window = HelpWindow(theme)
    qtbot.addWidget(window)
    window.pages.anchorClicked.emit(QUrl("results.md"))
    assert window.page == "results.md"
    window.pages.anchorClicked.emit(QUrl("https://example.org/results.md"))
    window.pages.anchorClicked.emit(QUrl("../../LICENSE"))
    assert window.page == "index.md"
    window.back.click()
    assert window.page == "results.md"
    for name in ("file:///etc/passwd", "pictures/../index.md", "pictures/none.png", "start.png"):
        assert window.pages.loadResource(2, QUrl(name)) is None
    assert window.pages.loadResource(2, QUrl("pictures/start.png")) is not None


def test_that_words_are_found_on_a_help_page(theme: Theme, qtbot: QtBot) -> None:
    window = HelpWindow(theme)
    qtbot.addWidget(window)
    window.show_page("results.md")
    window.search.setText("near misses")
    window.search.returnPressed.emit()
    assert window.pages.textCursor().selectedText().lower() == "near misses"
    window.search.setText("zebra")
    window.search.returnPressed.emit()
    assert window.found.text() == "found nowhere"
    assert not window.results.isVisibleTo(window)


def test_that_words_are_found_on_other_pages(theme: Theme, qtbot: QtBot) -> None:
    window = HelpWindow(theme)
    qtbot.addWidget(window)
    window.show()
    window.search.setFocus()
    qtbot.keyClicks(window.search, "starter model")
    qtbot.keyClick(window.search, Qt.Key.Key_Return)
    assert window.results.count() > 1
    pages = [window.results.item(row).data(Qt.ItemDataRole.UserRole) for row in range(window.results.count())]
    assert "models.md" in pages
    window.results.setCurrentRow(pages.index("models.md"))
    assert window.page == "models.md"
    assert window.pages.textCursor().selectedText().lower() == "starter model"
    window.search.setText("unknown_scorer")
    window.search.returnPressed.emit()
    assert window.page == "problems.md"
    assert window.pages.textCursor().selectedText() == "unknown_scorer"


@pytest.mark.parametrize("zoom", [100, 200])
def test_that_help_follows_theme_and_zoom(theme: Theme, qtbot: QtBot, zoom: int) -> None:
    window = HelpWindow(theme)
    qtbot.addWidget(window)
    theme.use(scheme=Scheme.DARK, zoom=zoom)
    assert window.pages.document().defaultFont().pointSizeF() == theme.font().pointSizeF()


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_that_the_lines_of_a_table_are_seen(theme: Theme, qtbot: QtBot, scheme: Scheme) -> None:
    theme.use(scheme=scheme, zoom=100)
    window = HelpWindow(theme)
    qtbot.addWidget(window)
    window.show_page("keys.md")
    window.show()
    picture = window.pages.viewport().grab().toImage()
    line = QColor(theme.tokens.border)
    middle = picture.width() // 2
    drawn = sum(picture.pixelColor(middle, row) == line for row in range(picture.height()))
    assert drawn > 5, "one below each row"


def test_that_a_polite_kill_closes_the_window(qtbot: QtBot, tmp_path: Path) -> None:
    closed: list[int] = []
    owner = QObject()
    before = signal.getsignal(signal.SIGTERM)
    signals = SystemSignals(lambda: closed.append(1), owner)
    os.kill(os.getpid(), signal.SIGTERM)
    qtbot.waitUntil(lambda: closed == [1])
    signals.remove()
    assert signal.getsignal(signal.SIGTERM) is before


def test_that_every_problem_has_its_line_in_the_help() -> None:
    text = resource("help", "problems.md").read_text("utf-8")
    for code, meaning in CODES.items():
        row = next((line for line in text.splitlines() if f"`{code}`" in line), "")
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert len(cells) == 3, code
        assert cells[0].removeprefix("| ") == meaning, code
        assert cells[1].endswith("."), code
