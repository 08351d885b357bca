"""The composition root: the one place where objects are made and joined.

Start-up order: paths, logging; then either a command, which imports only what it uses, or the window.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from desktop.application.services import Services
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.main import run_command_line
from desktop.cli.terminal import Terminal, standard_terminal
from desktop.foundation.cycle_search import CycleSearch
from desktop.foundation.lazy import Lazy
from desktop.foundation.logs import start_logging
from desktop.foundation.paths import Paths, user_paths
from desktop.foundation.settings import SettingsFile
from desktop.inference.backends.api_keys import KEY_VARIABLES
from desktop.inference.backends.key_guard import KeyGuard
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.application.draft_service import DraftService
    from desktop.application.model_service import ModelService
    from desktop.application.run_service import RunService
    from desktop.reports.data import ReportData
    from desktop.reports.renderers import Renderers


def run_program(arguments: Sequence[str]) -> int:
    """Window without arguments, else the command named first. Returns the exit code."""
    paths = user_paths()
    guard = KeyGuard(*(os.environ.get(name) for name in KEY_VARIABLES))
    context = command_context(standard_terminal(), paths, start_logging(paths.logs, clean=guard.text))
    if not arguments:
        return _window_or_text(context)
    if list(arguments) == ["--first-window"]:
        return _first_window(paths)
    # A command reads much and throws little away: looking for cycles every 700 objects is a fifth of a report.
    gc.set_threshold(50_000, 20, 20)
    return run_command_line(arguments, context)


def command_context(terminal: Terminal, paths: Paths, log_file: Path | None) -> Context:
    """What every command may use."""
    return Context(
        terminal=terminal,
        services=Services(paths, os.environ),
        log_file=log_file,
        now=_now,
        renderers=_renderers,
        open_window=lambda opened: _open_window(opened, paths, log_file),
        check_window=lambda: _check_window(paths),
    )


def _window_or_text(context: Context) -> int:
    try:
        return context.open_window(())
    except AppError as error:
        context.terminal.note(error.message)
        context.terminal.note(error.fix)
        return Exit.MACHINE


def _now() -> datetime:
    return datetime.now(UTC)


def _renderers() -> Renderers:
    from desktop.reports.renderers import Renderer, standard_renderers

    return standard_renderers([Renderer("pdf", ".pdf", "PDF, for paper and for sending", _pdf)])


def _pdf(data: ReportData) -> bytes:
    """Needs Qt, so it is loaded only when it is asked for."""
    from desktop.gui.printing.pdf import render_pdf

    return render_pdf(data)


def has_display() -> bool:
    """Is there a screen that Qt could open a window on? Asked before Qt, which would end the process."""
    if os.environ.get("QT_QPA_PLATFORM") or sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_window(opened: Sequence[str], paths: Paths, log_file: Path | None) -> int:
    if not has_display():
        raise AppError(
            "There is no display here, so the window cannot be opened.",
            "'packbench --help' lists what works without one.",
            code="no_display",
        )
    # What a window imports stays to the end. Looking for cycles among it was a tenth of the time of a start.
    with CycleSearch.paused(keep=True):
        from desktop.gui.shell.start_window import run_window

    services = Services(paths, os.environ)
    return run_window(
        opened,
        paths,
        services.settings(),
        log_file=log_file,
        runs=_runs(services),
        models=_models(services),
        drafting=_drafting(services),
    )


def _first_window(paths: Paths) -> int:
    """Opens the window, lets it be painted once and ends: how long that takes is measured from outside."""
    with CycleSearch.paused(keep=True):
        from desktop.gui.shell.start_window import paint_window_once

    services = Services(paths, os.environ)
    paint_window_once(paths, _untouched(paths), _runs(services), _models(services))
    return Exit.DONE


def _check_window(paths: Paths) -> str:
    with CycleSearch.paused(keep=True):
        from desktop.gui.shell.start_window import check_window

    services = Services(paths, os.environ)
    return check_window(paths, _untouched(paths), _runs(services), _models(services))


def _untouched(paths: Paths) -> SettingsFile:
    """The person's settings for a window that nobody sees: read, never written."""
    return SettingsFile(paths.config, keep=False)


def _drafting(services: Services) -> DraftService:
    def make() -> DraftService:
        from desktop.application.draft_service import DraftService

        return DraftService(services)

    return cast("DraftService", Lazy(make))


def _models(services: Services) -> ModelService:
    def make() -> ModelService:
        from desktop.application.model_service import ModelService

        return ModelService(services, _now)

    return cast("ModelService", Lazy(make))


def _runs(services: Services) -> RunService:
    def make() -> RunService:
        from desktop.application.run_service import RunService

        return RunService(services, _renderers, _now)

    return cast("RunService", Lazy(make))
