"""Figures of the window, printed. Run by hand:

    python tests/bench/bench_window.py [--model FILE.gguf]

1. From the start of a process to the first painted window, ms.
2. Longest stall of the event loop while 3,000 units come in at 200 a second, ms, and how the memory grows.
3. A result of 100,000 units: first paint, until all is there, the longest stall meanwhile and while filtering.
4. With --model: tokens a second of the embedded engine with the window open and without it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

PAINTED = """
import sys, time
began = float(sys.argv[1])
from desktop.gui.shell import start_window
from desktop.gui.core.tasks import TaskRunner
from desktop.foundation.paths import user_paths
from desktop.foundation.settings import SettingsFile
paths = user_paths()
settings = SettingsFile(paths.config)
app, gui = start_window.application()
tasks = TaskRunner(gui)
theme = start_window.theme_from_settings(app, settings)
window = start_window.make_window(start_window.make_services(paths, settings, theme, tasks))
window.show()
app.processEvents()
window.repaint()
print((time.time() - began) * 1000)
window.close()
tasks.shutdown()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path)
    wanted = parser.parse_args()
    from desktop.gui.core.tasks import prefer_the_window

    prefer_the_window()
    with tempfile.TemporaryDirectory() as home:
        os.environ["PACKBENCH_HOME"] = home
        _first_paint()
        _stalls(Path(home))
        _large_result(Path(home))
        if wanted.model is not None:
            _speed(wanted.model)


def _first_paint(times: int = 5) -> None:
    found = []
    for _ in range(times):
        done = subprocess.run(
            [sys.executable, "-c", PAINTED, str(time.time())],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(float(done.stdout.split()[0]))
    print(f"start to first painted window: median {statistics.median(found):.0f} ms, best {min(found):.0f}")


def _live_view(folder: Path):  # type: ignore[no-untyped-def]
    from PySide6.QtWidgets import QApplication

    from desktop.gui.core.tasks import GuiThread, TaskRunner
    from desktop.gui.runs.live.controller import QueuedRun, RunsController
    from desktop.gui.runs.live.live_view import LiveView
    from desktop.gui.theme import Theme
    from tests.fakes.run_service import ScriptedRunService

    app = QApplication.instance() or QApplication([])
    tasks = TaskRunner(GuiThread())
    theme = Theme(app)  # type: ignore[arg-type]
    controller = RunsController(ScriptedRunService(folder), tasks, now=lambda: datetime.now(UTC))
    view = LiveView(theme, controller, monotonic=time.monotonic)
    view.resize(1280, 800)
    view.show()
    controller.current = QueuedRun("flood", {}, request=None, resumes="")
    view.follow(controller.current)
    controller.buffer.start()
    return app, tasks, controller, view, theme


def _turn_until(holds: Callable[[], bool], seconds: float = 120) -> None:
    """Real turns of the event loop; the lock of the interpreter is free while it waits."""
    from PySide6.QtCore import QEventLoop, QTimer

    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        loop = QEventLoop()
        QTimer.singleShot(20, loop.quit)
        loop.exec()


def _resident_mib() -> float:
    import psutil

    return float(psutil.Process().memory_info().rss) / 2**20


def _stalls(folder: Path) -> None:
    from tests.bench.stall_probe import StallProbe
    from tests.fakes.event_flood import Flooder, flood

    _app, tasks, controller, view, _theme = _live_view(folder)
    for candidates, examples, repetitions in ((5, 200, 3), (20, 1000, 3)):
        flooder = Flooder(controller.buffer.push, flood(candidates, examples, repetitions), per_second=200)
        flooder.start()
        _turn_until(lambda: view.live is not None and view.live.units_done > 100)
        before = _resident_mib()
        probe = StallProbe()
        probe.start()
        goal = flooder.pushed + 2_800
        _turn_until(lambda flooder=flooder, goal=goal: flooder.pushed >= goal or not flooder.thread.is_alive())
        longest = probe.stop()
        flooder.stop()
        _turn_until(lambda goal=goal: view.live is not None and view.live.units_done >= goal)
        ordered = sorted(probe.gaps_ms)
        print(
            f"{candidates} × {examples} × {repetitions} at 200 units/s: longest stall {longest:.1f} ms, "
            f"99.9 % {ordered[int(len(ordered) * 0.999)]:.1f}, median {statistics.median(ordered):.1f}; "
            f"memory {before:.0f} to {_resident_mib():.0f} MiB over {flooder.pushed - goal + 2_800} units"
        )
    controller.buffer.stop()
    controller.current = None
    view.close()
    tasks.shutdown()


def _large_result(folder: Path) -> None:
    from PySide6.QtWidgets import QApplication

    from desktop.gui.core.tasks import GuiThread, TaskRunner
    from desktop.gui.runs.result.result_view import ResultView
    from desktop.gui.theme import Theme
    from tests.bench.stall_probe import StallProbe
    from tests.fakes.large_run import LargeDesk, add_large_run

    large = folder / "large"
    large.mkdir()
    service = LargeDesk(large)
    for run in ("one", "two"):
        add_large_run(service.journal, run)
    app = QApplication.instance()
    tasks = TaskRunner(GuiThread())
    view = ResultView(Theme(app), service, tasks, now=lambda: datetime.now(UTC))  # type: ignore[arg-type]
    view.resize(1280, 800)
    view.show()
    _turn_until(lambda: False, 0.3)
    probe = StallProbe()
    # The second time the first result is let go of as well.
    for run in ("one", "two"):
        probe.start()
        began = time.perf_counter()
        view.open_run(run)
        view.repaint()
        painted = (time.perf_counter() - began) * 1000
        _turn_until(lambda: view.ready)
        shown = time.perf_counter() - began
        _turn_until(lambda: not view.looks_soon and not tasks.busy)
        print(
            f"100,000 units: first paint {painted:.0f} ms, all there after {shown:.1f} s, longest stall "
            f"meanwhile {probe.stop():.0f} ms"
        )
    probe.start()
    for message, rows in (("0777", 12), ("", 20_000), ("nowhere", 0), ("", 20_000)):
        view.examples.search.setText(message)
        _turn_until(lambda rows=rows: view.examples.model.rowCount() == rows, 5)
    print(f"filtering 20,000 examples four times: longest stall {probe.stop():.0f} ms")
    view.open_run("none")
    _turn_until(lambda: not tasks.busy)
    view.close()
    tasks.shutdown()


def _speed(model: Path) -> None:
    from desktop.inference.backends.base import BackendFault, GenerationProgress, GenerationRequest
    from desktop.inference.backends.embedded import EmbeddedBackend

    async def measure(on_progress: Callable[[GenerationProgress], None]) -> list[float]:
        backend = EmbeddedBackend([], [model])
        found = []
        try:
            await backend.load((await backend.list_models())[0], backend.default_settings(2048))
            for number in range(5):
                request = GenerationRequest(f"Write about the number {number}.", 2048, 96, 0.0, 42)
                try:
                    answer = await backend.generate(request, on_progress)
                except BackendFault:
                    # As a run does: a connection that broke before the answer is tried again.
                    answer = await backend.generate(request, on_progress)
                found.append(answer.timing.tokens_per_second or 0.0)
        finally:
            await backend.unload()
        return found[1:]

    alone = asyncio.run(measure(lambda _progress: None))
    with tempfile.TemporaryDirectory() as home:
        beside = _with_window(Path(home), measure)
    print(
        f"embedded engine: {statistics.median(alone):.1f} tokens/s alone, "
        f"{statistics.median(beside):.1f} with the window showing each piece"
    )


def _with_window(folder: Path, measure: Callable[..., object]) -> list[float]:
    import threading

    from desktop.runs.events import RunStarted, TextArrived, UnitKey, UnitStarted

    _app, tasks, controller, view, _theme = _live_view(folder)
    push = controller.buffer.push
    key = UnitKey(0, "001", 1)
    push(RunStarted("r", 5, ("model",), ("001", "002", "003", "004", "005"), 1))
    push(UnitStarted(key, 10))
    found: list[float] = []

    def work() -> None:
        found.extend(asyncio.run(measure(lambda progress: push(TextArrived(key, progress.text)))))  # type: ignore[arg-type]

    thread = threading.Thread(target=work)
    thread.start()
    _turn_until(lambda: not thread.is_alive(), 600)
    thread.join()
    controller.buffer.stop()
    controller.current = None
    view.close()
    tasks.shutdown()
    return found


if __name__ == "__main__":
    main()
