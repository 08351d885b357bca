"""For tests of the window: one theme on the one application object, light at 100 % unless a test changes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from desktop.foundation.paths import user_paths
from desktop.foundation.settings import SettingsFile
from desktop.gui.core.tasks import GuiThread, TaskRunner, prefer_the_window
from desktop.gui.core.window_services import WindowServices
from desktop.gui.theme import Scheme, Theme
from desktop.inference.machine.machine import MemoryReading, ProcessorReading
from tests.fakes.lanes import InPlace
from tests.fakes.patient_bot import PatientBot


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """pytest-qt's, with generous limits for waiting."""
    return PatientBot(request)


@pytest.fixture(scope="session")
def _theme_of_session(qapp: QApplication) -> Theme:
    # As where the program makes its window.
    prefer_the_window()
    return Theme(qapp, scheme=Scheme.LIGHT)


@pytest.fixture
def theme(_theme_of_session: Theme) -> Iterator[Theme]:
    """The program's theme; set back to light, 100 %, dense after each test."""
    _theme_of_session.use(scheme=Scheme.LIGHT, zoom=100, roomy=False)
    yield _theme_of_session
    _theme_of_session.use(scheme=Scheme.LIGHT, zoom=100, roomy=False)


PROMPT = "Which label, billing or returns?\n{{input}}\n"


@pytest.fixture
def services(theme: Theme, qapp: QApplication, tmp_path: Path) -> Iterator[WindowServices]:
    """Services of a window in an own data folder: lanes in place, a fixed clock and machine, two samples."""
    paths = user_paths()
    tasks = TaskRunner(GuiThread(qapp), run_lane=InPlace(), io_lane=InPlace())
    samples = tmp_path / "samples"
    for name in ("invoices", "tickets"):
        write_pack(samples / name, name)
    yield WindowServices(
        paths=paths,
        settings=SettingsFile(paths.config),
        theme=theme,
        tasks=tasks,
        now=lambda: datetime(2026, 11, 30, 10, 0, tzinfo=UTC),
        samples=lambda: samples,
        read_memory=lambda: MemoryReading(16384.0, 9626.0, 9626.0, None, "fixed"),
        read_processor=lambda: ProcessorReading("p", "x86_64", 8, 16, frozenset(), frozenset(), "fixed"),
    )
    tasks.shutdown()


def write_pack(folder: Path, name: str, examples: int = 20, prompt: str = PROMPT) -> Path:
    """A small task pack that is in order unless `prompt` lacks its placeholder."""
    (folder / "examples").mkdir(parents=True)
    manifest = (
        f"name: {name}\ntype: classification\nprompt_template: prompt.md\nexamples_dir: examples\n"
        "scorer: exact-label\nscorer_params:\n  labels: [billing, returns]\n"
        "generation: {context: 2048, max_tokens: 16, temperature: 0, seed: 1, runs_per_example: 1}\n"
    )
    (folder / "task.yaml").write_text(manifest, "utf-8")
    (folder / "prompt.md").write_text(prompt, "utf-8")
    for number in range(1, examples + 1):
        label = "billing" if number % 2 else "returns"
        content = json.dumps({"input": f"Letter number {number} about {label}", "expected": label})
        (folder / "examples" / f"{number:03}.json").write_text(content, "utf-8")
    return folder


@pytest.fixture
def make_pack() -> Callable[..., Path]:
    """`write_pack`."""
    return write_pack


@pytest.fixture
def pack_folder(tmp_path: Path) -> Path:
    """A task pack in order, called post-room."""
    return write_pack(tmp_path / "post-room", "post-room")
