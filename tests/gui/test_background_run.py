"""The window goes, the run goes on, and the program ends with it: a process of its own, as a person has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from desktop.runs.journal.reader import JournalReader

CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from desktop.gui.shell import start_window
from desktop.gui.core.place import PlaceName
from desktop.gui.widgets.questions import Question
from desktop.application.run_requests import RunSelection
from desktop.gui.core.tasks import TaskRunner
from desktop.foundation.paths import user_paths
from desktop.foundation.settings import SettingsFile
from tests.fakes.run_service import Script, ScriptedRunService

service = ScriptedRunService(Path(sys.argv[1]), Script(hold_at=(0, "002")))
paths = user_paths()
settings = SettingsFile(paths.config)
app, gui = start_window.application()
tasks = TaskRunner(gui)
app.aboutToQuit.connect(tasks.shutdown)
theme = start_window.theme_from_settings(app, settings)
window = start_window.make_window(start_window.make_services(paths, settings, theme, tasks), service)
window.show()
window.show_place(PlaceName.RUNS)
window.runs.controller.start(RunSelection(Path("/packs/p"), "p", tuple(service.models[:1])))

def when(holds, act):
    timer = QTimer(app)
    def look():
        if holds():
            timer.stop()
            act()
    timer.timeout.connect(look)
    timer.start(20)

def questions():
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, Question) and w.isVisible()]

def answer():
    questions()[0].buttons[int(sys.argv[2])].click()
    if sys.argv[2] == "0":
        QTimer.singleShot(200, service.controls[0].release)

def held():
    return service.controls and service.controls[0].held.is_set() and window.runs.live.live.writing

when(held, window.close)
when(lambda: bool(questions()), answer)
sys.exit(app.exec())
"""


def _run(folder: Path, answer: int) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(answer)],
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


def test_that_the_program_ends_by_itself_after_a_run_in_the_background(tmp_path: Path) -> None:
    code, message = _run(tmp_path, 0)
    assert code == 0, message
    with JournalReader(tmp_path / "runs.db") as reader:
        assert reader.summary("run-1").completed == 6


def test_that_stop_and_keep_ends_the_program_with_what_is_finished(tmp_path: Path) -> None:
    code, message = _run(tmp_path, 1)
    assert code == 0, message
    with JournalReader(tmp_path / "runs.db") as reader:
        assert reader.summary("run-1").completed == 1
        assert reader.summary("run-1").resumable
