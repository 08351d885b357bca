"""Makes the application object, the theme, the services and the window, and runs until it is closed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler, qVersion
from PySide6.QtWidgets import QApplication

from desktop.foundation.cancel import CancelToken
from desktop.foundation.crash_reports import CrashTrace, take_traces
from desktop.foundation.error_messages import Sentence
from desktop.foundation.paths import APP_NAME, Paths
from desktop.foundation.resource_files import sample_packs
from desktop.foundation.settings import SettingsFile
from desktop.foundation.writability import what_is_not_kept
from desktop.gui.core.errors import CrashWindow, ErrorHooks
from desktop.gui.core.place import Place, PlaceName, RunsPlaceBase
from desktop.gui.core.tasks import GuiThread, TaskRunner, prefer_the_window
from desktop.gui.core.window_services import WindowServices
from desktop.gui.evidence.place import EvidencePlace
from desktop.gui.models.place import ModelsPlace
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.runs.place import RunsPlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.plain_imports import import_plainly
from desktop.gui.shell.qt_log import log_qt_message
from desktop.gui.shell.single_instance import FirstWindow, hand_over
from desktop.gui.shell.system_signals import SystemSignals
from desktop.gui.start.start_place import StartPlace
from desktop.gui.theme import Scheme, Theme
from desktop.inference.machine.probe_memory import read_memory
from desktop.inference.machine.probe_processor import read_processor
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.application.draft_service import DraftService
    from desktop.application.model_service import ModelService
    from desktop.application.run_service import RunService


def run_window(
    opened: Sequence[str],
    paths: Paths,
    settings: SettingsFile,
    *,
    log_file: Path | None = None,
    runs: RunService | None = None,
    models: ModelService | None = None,
    drafting: DraftService | None = None,
) -> int:
    """Show the window until it is closed. Returns the exit code.

    opened: paths to open at once; where a window with this data folder is open already, they go there.
    Blocks; to be called on the main thread, and only where there is a display.
    """
    app, gui = application()
    if hand_over(paths.data, opened):
        return 0
    first = FirstWindow(paths.data, app)
    tasks = TaskRunner(gui)
    theme = theme_from_settings(app, settings)
    services = make_services(paths, settings, theme, tasks, log_file)
    window = make_window(services, runs, models, drafting)
    crash = CrashWindow(window, log_file)
    hooks = ErrorHooks(gui, crash.show, window.notify)
    hooks.install()
    app.aboutToQuit.connect(tasks.shutdown)
    signals = SystemSignals(window.close, app)
    first.asked.connect(window.come_forward)
    window.show()
    if opened:
        window.open_paths(list(opened))
    window.runs.offer_resume()
    show_at_start(window, services)
    try:
        return app.exec()
    finally:
        first.close()
        signals.remove()
        hooks.remove()


def show_at_start(window: MainWindow, services: WindowServices) -> None:
    """What a person has to know first: that nothing can be kept here, or that there was a crash."""

    def look(_cancel: CancelToken) -> tuple[Sentence | None, list[CrashTrace]]:
        return what_is_not_kept(services.paths), take_traces(services.paths.logs)

    def notify(found: tuple[Sentence | None, list[CrashTrace]]) -> None:
        not_kept, traces = found
        if traces:
            window.report_of_crash(traces[0])
        if not_kept is not None:
            # Last, so that it is what stands there: it is about the work that is to come.
            window.notify(not_kept)

    def failed(error: Exception) -> None:
        raise error

    services.tasks.start(look, notify, failed)


def theme_from_settings(app: QApplication, settings: SettingsFile) -> Theme:
    current = settings.current
    known = {scheme.value for scheme in Scheme}
    scheme = Scheme(current.theme) if current.theme in known else Scheme.SYSTEM
    return Theme(app, scheme=scheme, zoom=current.zoom_percent, roomy=current.roomy)


def make_services(
    paths: Paths, settings: SettingsFile, theme: Theme, tasks: TaskRunner, log_file: Path | None = None
) -> WindowServices:
    return WindowServices(
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


def make_window(
    services: WindowServices,
    runs: RunService | None = None,
    models: ModelService | None = None,
    drafting: DraftService | None = None,
) -> MainWindow:
    """All places and the window around them, not shown yet; a place whose service is left out stays empty."""
    theme = services.theme
    place = RunsPlaceBase() if runs is None else RunsPlace(theme, runs, services.tasks, now=services.now)
    others = {
        PlaceName.MODELS: Place() if models is None else ModelsPlace(theme, models, services.tasks),
        PlaceName.EVIDENCE: EvidencePlace(services),
    }
    return MainWindow(
        services, StartPlace(services), PackPlace(services, service=runs), place, others, drafting=drafting
    )


def check_window(
    paths: Paths, settings: SettingsFile, runs: RunService | None = None, models: ModelService | None = None
) -> str:
    """Make the whole window, paint every place once where nobody sees it, close it. Returns what was seen.

    Sets the offscreen platform unless the process has an application object already.
    """
    if QApplication.instance() is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app, gui = application()
    tasks = TaskRunner(gui)
    theme = theme_from_settings(app, settings)
    window = make_window(make_services(paths, settings, theme, tasks), runs, models)
    window.show()
    try:
        for place in PlaceName:
            window.show_place(place)
            app.processEvents()
            if window.grab().isNull():
                raise AppError(f"The place {place.value} could not be painted.", code="window")
        return f"window with {len(PlaceName)} places, Qt {qVersion()}"
    finally:
        window.close()
        tasks.shutdown()


def paint_window_once(
    paths: Paths, settings: SettingsFile, runs: RunService | None = None, models: ModelService | None = None
) -> None:
    """What a start does until the first picture is there, and nothing after it. Says so in one line then."""
    app, gui = application()
    tasks = TaskRunner(gui)
    theme = theme_from_settings(app, settings)
    window = make_window(make_services(paths, settings, theme, tasks), runs, models)
    try:
        window.show()
        app.processEvents()
        sys.stdout.write("painted\n")
        sys.stdout.flush()
    finally:
        window.close()
        tasks.shutdown()


def application() -> tuple[QApplication, GuiThread]:
    import_plainly()
    prefer_the_window()
    qInstallMessageHandler(_handle)
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName(APP_NAME)
    app.setApplicationDisplayName(APP_NAME)
    app.setDesktopFileName("packbench")
    return app, GuiThread(app)


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


def _handle(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    log_qt_message(kind, message)
