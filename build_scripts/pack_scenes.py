"""The Pack place: a good pack, a faulty one, and every page of the editor in three scripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from build_scripts.stage import Stage

SAMPLE = "invoice-extraction"
"""The sample that most pictures show."""


def _faulty_pack(stage: Stage) -> None:
    """A copy of a sample with three faults and a hint."""
    from desktop.ingest.pack_copies import copy_sample

    sample = stage.samples.joinpath(SAMPLE)
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


def open_sample(stage: Stage) -> None:
    sample = stage.samples.joinpath(SAMPLE)
    stage.window.opener.open_sample(sample.name)
    stage.settle()


def _pack_page(page: int, file: str = "") -> Callable[[Stage], None]:
    """A page of the editor with the pack of three scripts, German, Arabic and Japanese."""

    def prepare(stage: Stage) -> None:
        from desktop.gui.core.place import PlaceName

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


def _labels(stage: Stage) -> None:
    """The table of labels and their other spellings: more than are seen at once, in three scripts."""
    from desktop.gui.core.place import PlaceName
    from desktop.gui.editor.form.two_level_field import TwoLevelField
    from desktop.gui.editor.form.two_level_rows import RowKind
    from packs.task.new_pack import NewExample, NewPack, pack_files

    labels = ["billing", "delivery", "returns", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkrechnung"]
    labels += [
        "فواتير",
        "配送の遅延",
        "warranty",
        "account",
        "prices",
        "opening hours",
        "complaint",
        "praise",
        "other",
    ]
    aliases = {"invoice": "billing", "charged twice": "billing", "parcel": "delivery", "Retoure": "returns"}
    aliases |= {"فاتورة": "فواتير"}
    prompt = f"Choose one of: {', '.join(labels)}.\nAnswer with the word alone.\n\nMessage:\n{{{{input}}}}\n"
    examples = [NewExample(f"Message {n} of the morning.", labels[n % len(labels)]) for n in range(1, 27)]
    pack = NewPack("desk", "routing", "exact-label", {"labels": labels, "aliases": aliases}, prompt, examples)
    folder = stage.paths.documents / "desk"
    for name, content in pack_files(pack).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    stage.window.open_paths([str(folder)])
    place = stage.window.pack
    stage.wait_until(lambda: place.editor is not None and place.editor.document.folder == folder)
    stage.window.show_place(PlaceName.PACK)
    if place.editor is not None:
        place.editor.select(2)
        field = place.editor.scorer.findChild(TwoLevelField)
        if field is not None:
            field.rows.setFocus()
            field.rows.go_to(RowKind.OTHER, "invoice")
    stage.settle()


def _many_scripts(documents: Path) -> Path:
    """A drafted pack with long German words, Arabic and Japanese, half of it reviewed."""
    from packs.task.model import Provenance
    from packs.task.new_pack import NewExample, NewPack, pack_files
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
    reported = Provenance("Poststelle.docx", "0" * 64, "SmolLM2-135M-Instruct", "2026-11-30")
    pack = NewPack(
        "Posteingangsbearbeitung", "routing", "exact-label", labels, prompt, examples, provenance=reported
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


GOOD: dict[str, Callable[[Stage], None]] = {"pack-good": open_sample}
SCENES: dict[str, Callable[[Stage], None]] = {
    "pack-faulty": _faulty_pack,
    "edit-task": _pack_page(0),
    "edit-prompt": _pack_page(1),
    "edit-scorer": _pack_page(2),
    "edit-labels": _labels,
    "edit-gates": _pack_page(3),
    "edit-generation": _pack_page(4),
    "edit-german": _pack_page(5, "examples/004.json"),
    "edit-arabic": _pack_page(5, "examples/005.json"),
    "edit-japanese": _pack_page(5, "examples/006.json"),
    "edit-review": _pack_page(6),
    "edit-text": _pack_page(7),
}
