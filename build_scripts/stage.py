"""What the pictures are taken of: the real window with a scripted service, in a data folder of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.application.model_service import ModelService
    from desktop.gui.runs.place import RunsPlace
    from tests.fakes.run_service import ScriptedRunService

WAIT_S = 20.0


class Stage:
    """The window with its services, a fixed clock and a machine as in the design's pictures."""

    def __init__(self) -> None:
        from PySide6.QtCore import qInstallMessageHandler
        from PySide6.QtWidgets import QApplication

        from desktop.foundation.paths import user_paths
        from desktop.foundation.resource_files import sample_packs
        from desktop.foundation.settings import SettingsFile
        from desktop.gui.core.tasks import GuiThread, TaskRunner
        from desktop.gui.core.window_services import WindowServices
        from desktop.gui.shell.start_window import make_window
        from desktop.gui.theme import Scheme, Theme
        from desktop.inference.machine.machine import MemoryReading, ProcessorReading

        qInstallMessageHandler(lambda *_: None)
        self.app = QApplication.instance() or QApplication([])
        assert isinstance(self.app, QApplication)
        self.paths = user_paths()
        self.theme = Theme(self.app, scheme=Scheme.LIGHT)
        self.settings = SettingsFile(self.paths.config)
        self.tasks = TaskRunner(GuiThread(self.app))
        self.samples: Traversable = sample_packs()
        services = WindowServices(
            paths=self.paths,
            settings=self.settings,
            theme=self.theme,
            tasks=self.tasks,
            now=lambda: datetime.now(UTC).astimezone(),
            samples=lambda: self.samples,
            read_memory=lambda: MemoryReading(16384.0, 9626.0, 9626.0, None, "as in the pictures"),
            read_processor=lambda: ProcessorReading(
                "A processor", "x86_64", 8, 16, frozenset(), frozenset(), "as in the pictures"
            ),
        )
        self.running = False
        self.service = _demo_service(self.paths.data)
        self.window = make_window(services, self.service, _model_service())
        self.window.show()

    def runs_place(self) -> RunsPlace:
        from desktop.gui.runs.place import RunsPlace

        assert isinstance(self.window.runs, RunsPlace)
        return self.window.runs

    def settle(self) -> None:
        """Let lanes and the event loop come to rest."""
        from PySide6.QtTest import QTest

        # A run at work keeps the lanes busy; then a short while has to do.
        end = time.monotonic() + (0.4 if self.running else WAIT_S)
        QTest.qWait(60)
        while self.tasks.busy and time.monotonic() < end:
            QTest.qWait(20)
        QTest.qWait(20)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        from PySide6.QtTest import QTest

        end = time.monotonic() + WAIT_S
        while not holds() and time.monotonic() < end:
            QTest.qWait(20)
        QTest.qWait(150)

    def close(self) -> None:
        for control in self.service.controls:
            control.stop()
        self.window.close()
        self.tasks.shutdown()


def _model_service() -> ModelService:
    """The machine of the design's pictures with a dozen models."""
    from tests.fakes.model_service import FakeModelService, found_models

    return FakeModelService(found_models(12))


def _demo_service(folder: Path) -> ScriptedRunService:
    """A scripted sweep as in the design's pictures: five models, 30 examples, one out of memory."""
    from packs.task.outcome import Cause, NearMiss
    from tests.fakes.run_service import Part, Script, ScriptedRunService, model

    def wrong(text: str = "other") -> Part:
        return Part(Cause.WRONG, text)

    bold = Part(
        Cause.UNREADABLE, "**delivery**", NearMiss("bold_marks", "The label stands in bold marks.", 0, 2)
    )
    cut = Part(Cause.ANSWER_CUT, "The letter is about a")
    parts = {}
    for example, part in {"003": wrong(), "005": bold, "008": wrong(), "010": bold, "013": cut}.items():
        parts[(0, example)] = part
    for example in ("014", "019", "024"):
        parts[(0, example)] = bold
    for example in ("016", "022", "027", "029"):
        parts[(0, example)] = wrong("returns")
    parts |= {(1, "003"): bold, (1, "011"): Part(Cause.GATE_FAILED, "billing and returns")}
    parts |= {(1, "014"): wrong(), (1, "016"): bold, (1, "021"): bold, (1, "029"): wrong("returns")}
    parts |= {(2, "003"): Part(Cause.INPUT_CUT), (2, "004"): Part(Cause.INPUT_CUT)}
    parts |= {(3, "008"): Part(Cause.GATE_FAILED, "billing, returns"), (3, "023"): wrong()}
    parts |= {(3, "029"): Part(Cause.UNREADABLE, "“delivery” or returns")}
    parts |= {(4, "011"): wrong(), (4, "026"): wrong("returns")}
    ran_out = "It reached 1.94 GiB (predicted 1.90); your limit for this run is 1.9 GiB."
    script = Script(parts=parts, ends={2: ("005", ran_out, Cause.OUT_OF_MEMORY)}, hold_at=(3, "020"))
    folder.mkdir(parents=True, exist_ok=True)
    service = ScriptedRunService(folder, script, examples=30)
    service.models = [
        model("SmolLM2-135M"),
        model("gemma-3-270m"),
        model("brook-2b", "Q4_0"),
        model("SmolLM2-360M"),
        model("gemma-3-1b", "Q4_K_M"),
    ]
    return service
