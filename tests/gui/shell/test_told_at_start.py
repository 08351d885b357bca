"""What the window says first: a crash of the last time, a folder that cannot be written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.application.run_service import RunService
from desktop.application.services import Services
from desktop.foundation.paths import Paths
from desktop.gui.core.errors import CrashDialog
from desktop.gui.core.place import PlaceName
from desktop.gui.core.window_services import WindowServices
from desktop.gui.runs.place import RunsPlace
from desktop.gui.shell.start_window import make_window, show_at_start
from desktop.reports.renderers import standard_renderers

GONE = 2**22 + 1


def test_that_a_crash_of_the_last_time_is_told_with_its_details(services: WindowServices, qtbot: QtBot) -> None:
    logs = services.paths.logs
    logs.mkdir(parents=True)
    (logs / f"crash-{GONE}.txt").write_text("Fatal Python error: Segmentation fault\ntoken=abcdefgh12345678\n")
    window = make_window(services)
    qtbot.addWidget(window)
    window.show()
    show_at_start(window, services)
    qtbot.waitUntil(lambda: bool(window.findChildren(CrashDialog)))
    dialog = window.findChildren(CrashDialog)[0]
    assert dialog.heading.text() == "Packbench crashed the last time"
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert "Segmentation fault" in copied and "abcdefgh" not in copied
    dialog.reject()
    show_at_start(window, services)
    qtbot.waitUntil(lambda: not services.tasks.busy)
    QGuiApplication.processEvents()
    assert not any(shown.isVisible() for shown in window.findChildren(CrashDialog))
    window.close()


def test_that_the_window_opens_and_says_what_is_not_kept(
    services: WindowServices, qtbot: QtBot, tmp_path: Path, pack_folder: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    paths = Paths(*(blocked / name for name in ("data", "config", "cache", "logs", "documents")))
    blocked_services = replace(services, paths=paths)
    window = make_window(blocked_services)
    qtbot.addWidget(window)
    window.show()
    show_at_start(window, blocked_services)
    qtbot.waitUntil(lambda: "cannot write" in window.notice.message.text())
    assert "runs and copies of unsaved work" in window.notice.message.text()
    with qtbot.waitSignal(window.opener.pack_opened):
        window.open_paths([str(pack_folder)])
    window.close()


def test_that_a_damaged_journal_is_told_in_runs_and_start_goes_on(
    services: WindowServices, qtbot: QtBot, pack_folder: Path
) -> None:
    journal = services.paths.journal
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b"SQLite format 3\x00" + b"\xff" * 8000)
    services.settings.change(recent=(str(pack_folder),))
    service = RunService(Services(services.paths, {}), standard_renderers, services.now)
    window = make_window(services, service)
    qtbot.addWidget(window)
    window.show()
    window.runs.offer_resume()
    qtbot.waitUntil(lambda: window.start.recent.things.rowCount() == 1)
    runs = window.runs
    assert isinstance(runs, RunsPlace)
    window.show_place(PlaceName.RUNS)
    runs.show_history()

    def said() -> str:
        return " ".join(label.text() for label in window.findChildren(QLabel) if label.isVisible())

    qtbot.waitUntil(lambda: "journal of runs is damaged" in said())
    assert "kept aside" in said()
    window.close()
