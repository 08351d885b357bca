"""Starting the window as the program does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QtMsgType
from pytestqt.qtbot import QtBot

from desktop.gui.core.place import PlaceName
from desktop.gui.core.window_services import WindowServices
from desktop.gui.runs.place import RunsPlace
from desktop.gui.shell.qt_log import log_qt_message
from desktop.gui.shell.start_window import make_window
from tests.fakes.run_service import ScriptedRunService


def test_that_the_check_paints_every_place(tmp_path: Path) -> None:
    code = (
        "from desktop.gui.shell.start_window import check_window\n"
        "from desktop.foundation.paths import user_paths\n"
        "from desktop.foundation.settings import SettingsFile\n"
        "paths = user_paths()\n"
        "print(check_window(paths, SettingsFile(paths.config)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr
    assert "window with 5 places" in done.stdout
    assert "Traceback" not in done.stderr


def test_that_a_line_that_means_nothing_is_dropped_and_others_are_logged(
    caplog: pytest.LogCaptureFixture, qtbot: QtBot
) -> None:
    log_qt_message(QtMsgType.QtWarningMsg, "This plugin does not support propagateSizeHints()")
    log_qt_message(QtMsgType.QtWarningMsg, "QPainter::begin: something")
    assert [record.message for record in caplog.records] == ["QPainter::begin: something"]


def test_that_a_window_with_a_desk_can_plan_a_run(
    services: WindowServices, qtbot: QtBot, tmp_path: Path, pack_folder: Path
) -> None:
    window = make_window(services, ScriptedRunService(tmp_path))
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.opener.pack_opened):
        window.open_paths([str(pack_folder)])
    window.menus.plan_run.trigger()
    assert window.shown_place is PlaceName.RUNS
    assert isinstance(window.runs, RunsPlace)
    plan = window.runs.plan
    qtbot.waitUntil(lambda: plan.pack is not None)
    window.close()


def test_that_no_import_asks_a_module_for_what_it_does_not_have(tmp_path: Path) -> None:
    curious = "asked = []\n\ndef __getattr__(name):\n    asked.append(name)\n    raise AttributeError(name)\n"
    (tmp_path / "curious.py").write_text(curious, "utf-8")
    code = (
        "import sys\n"
        "from desktop.gui.shell import start_window\n"
        "start_window.application()\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import curious\n"
        "assert '__wrapped__' not in curious.asked, curious.asked\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr
