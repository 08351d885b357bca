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
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from desktop.gui.models.services import ModelsDesk
    from desktop.gui.runs.place import RunsPlace
    from desktop.gui.runs.services import RunDesk
    from tests.fakes.run_desk import ScriptedDesk

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
            stage.window.resize(*SIZES[100])
        yield from _dialogs(stage, out, schemes, zooms, only)
    finally:
        stage.close()


def _dialogs(stage: _Stage, out: Path, schemes: list[str], zooms: list[int], only: set[str]) -> Iterator[str]:
    """Dialogs are made anew for each look, as they are where the size is set before they open."""
    from build_scripts.dialog_scenes import SCENES
    from desktop.gui.theme import Scheme

    for name, make in SCENES.items():
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


class _Stage:
    """The window with its services, a fixed clock and a machine as in the design's pictures."""

    def __init__(self) -> None:
        from PySide6.QtCore import qInstallMessageHandler
        from PySide6.QtWidgets import QApplication

        from desktop.assets import sample_packs
        from desktop.gui.services import WindowServices
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
        self.desk = _demo_desk(self.paths.data)
        self.window = make_window(services, cast("RunDesk", self.desk), _models_desk())
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
        for control in self.desk.controls:
            control.stop()
        self.window.close()
        self.tasks.shutdown()


def _models_desk() -> ModelsDesk:
    """The machine of the design's pictures with a dozen models."""
    from tests.fakes.models_desk import FakeModelsDesk, found_models

    return cast("ModelsDesk", FakeModelsDesk(found_models(12)))


def _demo_desk(folder: Path) -> ScriptedDesk:
    """A scripted sweep as in the design's pictures: five models, 30 examples, one out of memory."""
    from packs.task.outcome import Cause, NearMiss
    from tests.fakes.run_desk import Part, Script, ScriptedDesk, model

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
    desk = ScriptedDesk(folder, script, examples=30)
    desk.models = [
        model("SmolLM2-135M"),
        model("gemma-3-270m"),
        model("brook-2b", "Q4_0"),
        model("SmolLM2-360M"),
        model("gemma-3-1b", "Q4_K_M"),
    ]
    return desk


def _runs_empty(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName

    stage.window.show_place(PlaceName.RUNS)


def _plan(stage: _Stage) -> None:
    stage.window.plan_run()
    stage.settle()


def _live(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName
    from desktop.gui.runs.services import RunWish

    stage.window.show_place(PlaceName.RUNS)
    runs = stage.runs_place()
    stage.running = True
    folder = stage.paths.documents / "invoice-extraction"
    runs.controller.start(RunWish(folder, "post-room-triage", tuple(stage.desk.models)))
    runs._show_live()
    stage.wait_until(lambda: bool(stage.desk.controls) and stage.desk.controls[-1].held.is_set())
    stage.settle()


def _result(stage: _Stage) -> None:
    if not stage.desk.controls:  # asked for without the picture of the run
        _live(stage)
    stage.desk.controls[-1].release()
    stage.running = False
    stage.wait_until(lambda: not stage.runs_place().controller.running)
    stage.settle()
    with stage.desk.reader() as reader:
        run_id = reader.runs()[0].id
    stage.window.runs.show_run(run_id)
    stage.settle()


def _history(stage: _Stage) -> None:
    stage.runs_place().show_history()
    stage.settle()


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
    stage.settle()


def _faulty_pack(stage: _Stage) -> None:
    """A copy of a sample with three faults and a hint."""
    from desktop.ingest.pack_copies import copy_sample

    sample = stage.samples.joinpath("invoice-extraction")
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
    sample = stage.samples.joinpath("invoice-extraction")
    stage.window.opener.open_sample(sample.name)
    stage.settle()


def _pack_page(page: int, file: str = "") -> Callable[[_Stage], None]:
    """A page of the editor with the pack of three scripts, German, Arabic and Japanese."""

    def prepare(stage: _Stage) -> None:
        from desktop.gui.place import PlaceName

        folder = _many_scripts(stage.paths.documents)
        stage.window.open_paths([str(folder)])
        place = stage.window.pack
        stage.wait_until(lambda: place.editor is not None and place.editor.document.folder == folder)
        stage.window.show_place(PlaceName.PACK)
        editor = place.editor
        if editor is not None:
            editor.select(page)
            if file:
                editor.examples.select(file)
        stage.settle()

    return prepare


def _many_scripts(documents: Path) -> Path:
    """A drafted pack with long German words, Arabic and Japanese, half of it reviewed."""
    from packs.task.new_pack import NewExample, NewPack, Provenance, pack_files
    from packs.task.review import (
        REVIEW_FILE,
        Review,
        ReviewedExample,
        ReviewState,
        SourcePassage,
        review_bytes,
    )

    folder = documents / "posteingang"
    if folder.exists():
        return folder
    german = (
        "Sehr geehrte Damen und Herren, meine Donaudampfschifffahrtselektrizitätenhauptbetriebswerk-"
        "Rechnung vom 3. ist doppelt abgebucht worden."
    )
    texts = (
        (german, "Rechnungsangelegenheit"),
        ("طردي لم يصل بعد، وقد مرّ أسبوع كامل على موعد التسليم.", "Lieferung"),
        ("注文した商品がまだ届いていません。いつ発送されますか。", "Lieferung"),
        ("Ich schicke die Leselampe zurück, sie passt nicht zum Tisch.", "Rücksendung"),
    )
    examples = [NewExample(f"{texts[n % 4][0]} ({n})", texts[n % 4][1]) for n in range(1, 25)]
    labels = {
        "labels": ["Rechnungsangelegenheit", "Lieferung", "Rücksendung"],
        "aliases": {"Retoure": "Rücksendung"},
    }
    prompt = (
        "Ordne den Brief ein: Rechnungsangelegenheit, Lieferung oder Rücksendung.\n"
        "Antworte nur mit dem Wort.\n\nBrief:\n{{input}}\n"
    )
    told = Provenance("Poststelle.docx", "0" * 64, "SmolLM2-135M-Instruct", "2026-11-30")
    pack = NewPack(
        "Posteingangsbearbeitung", "routing", "exact-label", labels, prompt, examples, provenance=told
    )
    states = [ReviewState.ACCEPTED, ReviewState.ACCEPTED, ReviewState.EDITED, ReviewState.REJECTED]
    reviewed = {
        f"{n:03}": ReviewedExample(
            states[n % 4] if n < 10 else ReviewState.DRAFTED,
            examples[n - 1].input,
            examples[n - 1].expected,
            ("1",),
        )
        for n in range(1, 25)
    }
    passage = SourcePassage(
        "4 Dinge, die zurückkommen\n\nEine Sache, die zurückkommt, geht mit ihrem Schein in das Regal für "
        f"Rücksendungen.\n\n{german} Solche Briefe sind eine Rechnungsangelegenheit.",
        "page 2",
    )
    files = pack_files(pack)
    files[REVIEW_FILE] = review_bytes(Review("Poststelle.docx", "0" * 64, {"1": passage}, reviewed))
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


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


def _evidence(stage: _Stage) -> None:
    from desktop.gui.place import PlaceName

    stage.window.overlay.hide()
    stage.window.show_place(PlaceName.EVIDENCE)


def _bundle(stage: _Stage) -> None:
    """Of a run with some wrong answers."""
    from tests.fakes.qualification_runs import run_once

    wrong = {f"TQ-{number:04}": {"content": "not sure"} for number in range(1, 9)}
    folder = run_once(ROOT / "packs" / "samples" / "housing-routing", stage.paths.documents, wrong).folder
    stage.window.open_paths([str(folder)])
    stage.settle()


def _tampered(stage: _Stage) -> None:
    decision = stage.paths.documents / "run-1" / "decision.json"
    changed = decision.read_text("utf-8").replace('"threshold": 0.85', '"threshold": 0.55')
    decision.write_text(changed, "utf-8")
    stage.window.open_paths([str(decision.parent)])
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
    "runs-empty": _runs_empty,
    "pack-good": _good_pack,
    "models": _models,
    "plan": _plan,
    "live": _live,
    "result": _result,
    "history": _history,
    "pack-faulty": _faulty_pack,
    "edit-task": _pack_page(0),
    "edit-prompt": _pack_page(1),
    "edit-scorer": _pack_page(2),
    "edit-gates": _pack_page(3),
    "edit-generation": _pack_page(4),
    "edit-german": _pack_page(5, "examples/004.json"),
    "edit-arabic": _pack_page(5, "examples/005.json"),
    "edit-japanese": _pack_page(5, "examples/006.json"),
    "edit-review": _pack_page(6),
    "edit-text": _pack_page(7),
    "start": _filled_start,
    "notice": _notice,
    "overlay": _overlay,
    "evidence": _evidence,
    "evidence-bundle": _bundle,
    "evidence-tampered": _tampered,
}


if __name__ == "__main__":
    sys.exit(main())
