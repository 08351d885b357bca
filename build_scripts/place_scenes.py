"""Start, Models and Evidence, and what lies over the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from build_scripts.stage import Stage

ROOT = Path(__file__).resolve().parents[1]


def _empty_start(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName

    stage.window.show_place(PlaceName.START)
    stage.window.start.open_button.setFocus()


def _empty_pack(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName

    stage.window.show_place(PlaceName.PACK)


def _models(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName

    stage.window.show_place(PlaceName.MODELS)
    stage.settle()


def _filled_start(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName

    stage.window.show_place(PlaceName.START)
    stage.window.start.open_button.setFocus()
    stage.settle()


def _notice(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName

    stage.window.show_place(PlaceName.START)
    stage.window.open_paths([str(ROOT / "LICENSE")])
    stage.settle()


def _evidence(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName

    stage.window.overlay.hide()
    stage.window.show_place(PlaceName.EVIDENCE)


def _bundle(stage: Stage) -> None:
    """Of a run with some wrong answers."""
    from desktop.gui.core.place import PlaceName
    from desktop.gui.evidence.place import EvidencePlace
    from tests.fakes.qualification_runs import run_once

    wrong = {f"TQ-{number:04}": {"content": "not sure"} for number in range(1, 9)}
    folder = run_once(ROOT / "packs" / "samples" / "housing-routing", stage.paths.documents, wrong).folder
    stage.window.open_paths([str(folder)])
    place = stage.window.places[PlaceName.EVIDENCE]
    assert isinstance(place, EvidencePlace)
    stage.wait_until(lambda: place.evidence is not None and place.page.isVisible())
    stage.settle()


def _tampered(stage: Stage) -> None:
    decision = stage.paths.documents / "run-1" / "decision.json"
    changed = decision.read_text("utf-8").replace('"threshold": 0.85', '"threshold": 0.55')
    decision.write_text(changed, "utf-8")
    stage.window.open_paths([str(decision.parent)])
    stage.settle()


def _overlay(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName
    from desktop.gui.widgets.drop_area import DropLine

    stage.window.notice.hide()
    stage.window.show_place(PlaceName.START)
    stage.window.overlay.show_lines(
        [
            DropLine("Donaudampfschifffahrtselektrizitätenhauptbetriebswerk.gguf", "Is added to the models."),
            DropLine("brook.exe", "Packbench does not know this kind of file.", refused=True),
        ]
    )


EMPTY: dict[str, Callable[[Stage], None]] = {"start-empty": _empty_start, "pack-empty": _empty_pack}
MODELS: dict[str, Callable[[Stage], None]] = {"models": _models}
SCENES: dict[str, Callable[[Stage], None]] = {
    "start": _filled_start,
    "notice": _notice,
    "overlay": _overlay,
    "evidence": _evidence,
    "evidence-bundle": _bundle,
    "evidence-tampered": _tampered,
}
