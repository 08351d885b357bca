"""Dialogs for the pictures, each with content that is hard on a layout."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QDialog, QWidget

from desktop.gui.core.tasks import TaskRunner
from desktop.gui.ingest.arrivals_dialog import ArrivalsDialog
from desktop.gui.ingest.drafting_assistant import DraftingAssistant
from desktop.gui.ingest.import_assistant import ImportAssistant
from desktop.gui.theme import Theme
from desktop.ingest.arrivals import plan_of, understand

_NUMBERS = itertools.count(1)

Wait = Callable[[Callable[[], bool]], None]
Make = Callable[[Theme, TaskRunner, Wait, Path], QWidget]

GERMAN = "\ufeffBeschreibung der Schadensmeldung;Rechnungsbetrag in Euro;Abteilung\r\n" + "".join(
    f"Die Donaudampfschifffahrtsgesellschaft meldet am {number}. Mai einen Wasserschaden im "
    f"Hauptbetriebswerk, Gebäude {number}, mit Folgeschäden an der Elektrik;"
    f"{number * 1173 % 9000},{number:02};{('Elektrizitätshauptwerk', 'Schadensregulierung')[number % 2]}\r\n"
    for number in range(1, 31)
)
JAPANESE = "問い合わせ,担当\n" + "".join(
    f"{number}番の部屋の照明が点きません。早い修理をお願いします。,{('設備', '総務')[number % 2]}\n"
    for number in range(1, 25)
)
MANY = (
    ",".join(f"column number {number}" for number in range(1, 31))
    + "\n"
    + (",".join(["value"] * 30) + "\n") * 20
)
FAULTY = "text,label\n" + "".join(
    f"message {number},{'ab'[number % 2]}\n" if number % 3 else ",a\n" for number in range(1, 90)
)


def _import(content: str, name: str, *, small: bool = False) -> Make:
    def make(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
        file = _put(documents, name, content)
        dialog = ImportAssistant(theme, tasks, file, documents)
        dialog.show()
        wait(lambda: dialog.make_button.isEnabled() or dialog.status.text() != "Reading …")
        # As a person would see it, and the same each time the picture is taken.
        dialog.folder_line.setText(f"/home/ann/Documents/Packbench/{Path(dialog.folder_line.text()).name}")
        return dialog if small else _shown(dialog, theme, 980, 680)

    return make


def _drafting(*, going: bool, small: bool = False) -> Make:
    def make(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
        from tests.fakes.draft_service import ScriptedDraftService
        from tests.fakes.drafting import willing
        from tests.fakes.fake_backend import Answer

        runbook = Path(__file__).parents[1] / "tests" / "fixtures" / "documents" / "front-desk-runbook.md"
        file = _put(documents, runbook.name, runbook.read_text("utf-8"))
        good, count = willing(), itertools.count(1)

        def answer(prompt: str, nth: int) -> Answer | str:
            """Stands still after some examples, so that the going draft can be seen."""
            return Answer("", stall="before") if next(count) > 4 else good(prompt, nth)

        target = documents / f"drafts-{next(_NUMBERS)}"
        dialog = DraftingAssistant(theme, tasks, ScriptedDraftService(answer), file, target)
        dialog.show()
        wait(dialog.start_button.isEnabled)
        if going:
            dialog.begin()
            wait(lambda: dialog.rows.rowCount() >= 12)
        return dialog if small else _shown(dialog, theme, 820, 620)

    return make


def _several(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    files = [
        _put(documents, f"{long}.csv", GERMAN),
        _put(documents, "notes.md", "# Notes"),
        _put(documents, "small.gguf", "GGUF"),
        _put(documents, "setup.exe", "MZ\x00"),
    ]
    dialog = ArrivalsDialog(theme, plan_of([understand(file) for file in files]))
    dialog.show()
    return dialog


def _put(folder: Path, name: str, content: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(content, "utf-8")
    return file


def _shown(dialog: QDialog, theme: Theme, width: int, height: int) -> QDialog:
    """As on a screen of 1920 × 1080; the one of the offscreen platform is smaller than any."""
    dialog.resize(min(theme.px(width), 1800), min(theme.px(height), 1000))
    return dialog


SCENES: dict[str, Make] = {
    "import": _import(GERMAN, "Schadensmeldungen.csv"),
    "import-japanese": _import(JAPANESE, "お問い合わせ.csv"),
    "import-many": _import(MANY, "many.csv"),
    "import-faulty": _import(FAULTY, "faulty.csv"),
    "import-bad": _import("\x00\x01\x02" * 50, "bad.csv"),
    "import-small": _import(GERMAN, "Schadensmeldungen.csv", small=True),
    "drafting": _drafting(going=False),
    "drafting-small": _drafting(going=True, small=True),
    "drafting-going": _drafting(going=True),
    "several": _several,
}
