"""Drives the real window without a screen and saves a picture of each place.

    python build_scripts/screenshots.py OUT [--scheme light,dark] [--zoom 100,150,200] [--only start,pack]

Everything it shows lies in a temporary data folder; the machine, the clock and the fonts' sizes are those of
this computer, so pictures are to be judged by eye, not compared by pixel.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.resources.abc import Traversable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIZES = {100: (1280, 800), 125: (1440, 900), 150: (1600, 1000), 200: (1920, 1080)}
WAIT_S = 20.0


def main() -> int:
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scheme", default="light,dark")
    parser.add_argument("--zoom", default="100,150,200")
    parser.add_argument("--only", default="", help="names of pictures, separated by commas; all when left out")
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["PACKBENCH_HOME"] = home
        for name in take_all(
            wanted.out,
            wanted.scheme.split(","),
            [int(zoom) for zoom in wanted.zoom.split(",")],
            {part for part in wanted.only.split(",") if part},
        ):
            print(name)
    return 0


def take_all(out: Path, schemes: list[str], zooms: list[int], only: set[str]) -> Iterator[str]:
    """Each picture's file name as it is saved: `start-light-100.png`."""
    from desktop.gui.theme import Scheme

    stage = _Stage()
    try:
        for name, prepare in _PICTURES.items():
            if only and name not in only:
                continue
            prepare(stage)
            for scheme in schemes:
                for zoom in zooms:
                    stage.theme.use(scheme=Scheme(scheme), zoom=zoom)
                    stage.window.resize(*SIZES.get(zoom, (1280, 800)))
                    file = out / f"{name}-{scheme}-{zoom}.png"
                    stage.settle()
                    stage.window.grab().save(str(file))
                    yield file.name
            stage.theme.use(scheme=Scheme.LIGHT, zoom=100)
    finally:
        stage.close()


class _Stage:
    """The window with its services, a fixed clock and a machine as in the design's pictures."""

    def __init__(self) -> None:
        from PySide6.QtCore import qInstallMessageHandler
        from PySide6.QtWidgets import QApplication

        from desktop.assets import sample_packs
        from desktop.gui.services import Services
        from desktop.gui.start_window import make_window
        from desktop.gui.tasks import GuiThread, TaskRunner
        from desktop.gui.theme import Scheme, Theme
        from desktop.hardware.machine import MemoryReading, ProcessorReading
        from desktop.paths import user_paths
        from desktop.settings import SettingsFile

        qInstallMessageHandler(lambda *_: None)
        self.app = QApplication.instance() or QApplication([])
        assert isinstance(self.app, QApplication)
        self.paths = user_paths()
        self.theme = Theme(self.app, scheme=Scheme.LIGHT)
        self.settings = SettingsFile(self.paths.config)
        self.tasks = TaskRunner(GuiThread(self.app))
        self.samples: Traversable = sample_packs()
        services = Services(
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
        self.window = make_window(services)
        self.window.show()

    def settle(self) -> None:
        """Let lanes and the event loop come to rest."""
        from PySide6.QtTest import QTest

        end = time.monotonic() + WAIT_S
        QTest.qWait(60)
        while self.tasks.busy and time.monotonic() < end:
            QTest.qWait(20)
        QTest.qWait(20)

    def close(self) -> None:
        self.window.close()
        self.tasks.shutdown()


def _empty_start(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName

    stage.window.show_place(PlaceName.START)
    stage.window.start.open_button.setFocus()


def _empty_pack(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName

    stage.window.show_place(PlaceName.PACK)


def _models(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName

    stage.window.show_place(PlaceName.MODELS)


def _faulty_pack(stage: _Stage) -> None:
    """A copy of a sample with three faults and a hint."""
    from desktop.ingest.pack_copies import copy_sample

    sample = next(entry for entry in sorted(stage.samples.iterdir(), key=str) if entry.is_dir())
    folder = copy_sample(sample, stage.paths.documents)
    prompt = next(folder.glob("*.md"))
    for file in folder.glob("prompt*"):
        prompt = file
    prompt.write_text(prompt.read_text("utf-8").replace("{{input}}", "{{ Input }}"), "utf-8")
    examples = sorted((folder / "examples").glob("*.json"))
    examples[2].write_text("{ not json", "utf-8")
    examples[4].write_text(examples[3].read_text("utf-8"), "utf-8")
    stage.window.open_paths([str(folder)])
    stage.settle()


def _good_pack(stage: _Stage) -> None:
    sample = next(entry for entry in sorted(stage.samples.iterdir(), key=str) if entry.is_dir())
    stage.window.opener.open_sample(sample.name)
    stage.settle()


def _filled_start(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName

    stage.window.show_place(PlaceName.START)
    stage.window.start.open_button.setFocus()
    stage.settle()


def _notice(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName

    stage.window.show_place(PlaceName.START)
    stage.window.open_paths([str(ROOT / "LICENSE")])
    stage.settle()


def _overlay(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName
    from desktop.gui.widgets.drop_area import DropLine

    stage.window.notice.hide()
    stage.window.show_place(PlaceName.START)
    stage.window.overlay.show_lines(
        [
            DropLine("Donaudampfschifffahrtselektrizitätenhauptbetriebswerk.gguf", "Is added to the models."),
            DropLine("brook.exe", "Packbench does not know this kind of file.", refused=True),
        ]
    )


_PICTURES: dict[str, Callable[[_Stage], None]] = {
    "start-empty": _empty_start,
    "pack-empty": _empty_pack,
    "models": _models,
    "pack-good": _good_pack,
    "pack-faulty": _faulty_pack,
    "start": _filled_start,
    "notice": _notice,
    "overlay": _overlay,
}


if __name__ == "__main__":
    sys.exit(main())
