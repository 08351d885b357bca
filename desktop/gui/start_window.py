"""Makes the application object, the theme, the services and the window, and runs until it is closed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from desktop.assets import sample_packs
from desktop.gui.errors import CrashWindow, ErrorHooks
from desktop.gui.later_places import EVIDENCE, MODELS, LaterPlace, NoRunsPlace
from desktop.gui.main_window import MainWindow
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.place import PlaceName, RunsPlaceBase
from desktop.gui.qt_log import log_qt_message
from desktop.gui.services import Services
from desktop.gui.start.start_place import StartPlace
from desktop.gui.tasks import GuiThread, TaskRunner
from desktop.gui.theme import Scheme, Theme
from desktop.hardware.probe_memory import read_memory
from desktop.hardware.probe_processor import read_processor
from desktop.paths import APP_NAME, Paths
from desktop.settings import SettingsFile

MakeRunsPlace = Callable[[Services], RunsPlaceBase]


def run_window(
    opened: Sequence[str],
    paths: Paths,
    settings: SettingsFile,
    *,
    log_file: Path | None = None,
    make_runs: MakeRunsPlace | None = None,
) -> int:
    """Show the window until it is closed. Returns the exit code.

    opened: paths to open at once. make_runs: makes the Runs place; without it the place says so. Blocks; to be
    called on the main thread, and only where there is a display.
    """
    qInstallMessageHandler(_handle)
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName(APP_NAME)
    app.setApplicationDisplayName(APP_NAME)
    app.setDesktopFileName("packbench")
    gui = GuiThread(app)
    tasks = TaskRunner(gui)
    theme = theme_from_settings(app, settings)
    services = make_services(paths, settings, theme, tasks, log_file)
    window = make_window(services, make_runs)
    crash = CrashWindow(window, log_file)
    hooks = ErrorHooks(gui, crash.show, window.tell)
    hooks.install()
    app.aboutToQuit.connect(tasks.shutdown)
    window.show()
    if opened:
        window.open_paths(list(opened))
    try:
        return app.exec()
    finally:
        hooks.remove()


def theme_from_settings(app: QApplication, settings: SettingsFile) -> Theme:
    current = settings.current
    known = {scheme.value for scheme in Scheme}
    scheme = Scheme(current.theme) if current.theme in known else Scheme.SYSTEM
    return Theme(app, scheme=scheme, zoom=current.zoom_percent, roomy=current.roomy)


def make_services(
    paths: Paths, settings: SettingsFile, theme: Theme, tasks: TaskRunner, log_file: Path | None = None
) -> Services:
    return Services(
        paths=paths,
        settings=settings,
        theme=theme,
        tasks=tasks,
        now=_now,
        samples=sample_packs,
        read_memory=read_memory,
        read_processor=read_processor,
        log_file=log_file,
    )


def make_window(services: Services, make_runs: MakeRunsPlace | None = None) -> MainWindow:
    theme = services.theme
    runs = make_runs(services) if make_runs is not None else NoRunsPlace(theme)
    others = {
        PlaceName.MODELS: LaterPlace(theme, MODELS),
        PlaceName.EVIDENCE: LaterPlace(theme, EVIDENCE),
    }
    return MainWindow(services, StartPlace(services), PackPlace(services), runs, others)


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


def _handle(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    log_qt_message(kind, message)
