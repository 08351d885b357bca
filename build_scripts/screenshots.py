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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from build_scripts import pack_scenes, place_scenes, run_scenes  # noqa: E402  # found through the line above

if TYPE_CHECKING:
    from build_scripts.stage import Stage

SIZES = {100: (1280, 800), 125: (1440, 900), 150: (1600, 1000), 200: (1920, 1080)}
PICTURES: dict[str, Callable[[Stage], None]] = {
    **place_scenes.EMPTY,
    "runs-empty": run_scenes.SCENES["runs-empty"],
    **pack_scenes.GOOD,
    **place_scenes.MODELS,
    **run_scenes.SCENES,
    **pack_scenes.SCENES,
    **place_scenes.SCENES,
}
"""In this order: what is made for one is there for those that follow."""


def main() -> int:
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
    from build_scripts.stage import Stage
    from desktop.gui.theme import Scheme

    stage = Stage()
    try:
        for name, prepare in PICTURES.items():
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
            stage.window.resize(*SIZES[100])
        yield from _dialogs(stage, out, schemes, zooms, only)
    finally:
        stage.close()


def _dialogs(stage: Stage, out: Path, schemes: list[str], zooms: list[int], only: set[str]) -> Iterator[str]:
    """Dialogs are made anew for each look, as they are where the size is set before they open."""
    from build_scripts import dialog_scenes, work_dialog_scenes
    from desktop.gui.theme import Scheme

    for name, make in {**dialog_scenes.SCENES, **work_dialog_scenes.SCENES}.items():
        if only and name not in only:
            continue
        for scheme in schemes:
            for zoom in zooms:
                stage.theme.use(scheme=Scheme(scheme), zoom=zoom)
                dialog = make(stage.theme, stage.tasks, stage.wait_until, stage.paths.documents)
                stage.wait_until(lambda: True)
                file = out / f"{name}-{scheme}-{zoom}.png"
                dialog.grab().save(str(file))
                dialog.close()
                stage.settle()
                yield file.name


if __name__ == "__main__":
    sys.exit(main())
