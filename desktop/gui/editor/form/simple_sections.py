"""The pages with a few fixed fields: Task, Generation, and where the pack comes from."""

from __future__ import annotations

from PySide6.QtCore import Slot

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import BoundField, ChoiceField, NumberField, TextField
from desktop.gui.editor.form.list_field import ListField
from desktop.gui.editor.form.section import Section
from desktop.gui.theme import Theme
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.flow import FlowLayout
from packs.documents.problems import Problem
from packs.errors import AppError
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST

PRESETS = (
    ("Short label", 16),
    ("A number", 24),
    ("JSON object", 256),
    ("A few sentences", 512),
)
"""(what the answer is, tokens that are enough for it)"""


class TaskSection(Section):
    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(theme, document, "Task", "What this pack is called and what kind of work it tests.")
        for path, label, note in (
            (("name",), "&Name", "Shown in lists and reports."),
            (("type",), "&Kind of work", "One or two words of your own, such as extraction or routing."),
            (("examples_dir",), "Folder of the e&xamples", "Inside the pack; one file an example."),
        ):
            self.add_field(TextField(theme, document, MANIFEST, path, label, note=note, width=48))
        self.body.addStretch(1)

    def owns(self, problem: Problem) -> bool:
        if problem.code in ("no_examples", "few_examples"):
            return False
        return problem.path[:1] in (("name",), ("type",), ("examples_dir",))

    def field_of(self, problem: Problem) -> BoundField | None:
        """A folder of examples that is not there is told for the folder, and mended where it is named."""
        if problem.file != MANIFEST and problem.path == ("examples_dir",):
            return self.fields[-1]
        return super().field_of(problem)


class GenerationSection(Section):
    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(
            theme, document, "Generation", "How answers are asked for. The usual values suit most packs."
        )
        self.presets = FlowLayout()
        self.body.addLayout(self.presets)
        for message, tokens in PRESETS:
            button = Button(theme, message)
            button.setToolTip(f"At most {tokens} tokens for an answer")
            button.setAccessibleDescription(f"Sets the longest answer to {tokens} tokens")
            button.setProperty("tokens", tokens)
            button.clicked.connect(self._preset)
            self.presets.addWidget(button)
        for name, label, note in (
            (
                "context",
                "&Context, tokens",
                "How much the model can take in: prompt, example and answer together.",
            ),
            ("max_tokens", "Longest &answer, tokens", "An answer that is longer is cut."),
            ("temperature", "Temperature", "0 gives the same answer every time; higher is more varied."),
            ("seed", "&Seed", "The starting point of chance; only matters above temperature 0."),
            (
                "runs_per_example",
                "Repe&titions",
                "How often each example is asked; once is enough at temperature 0.",
            ),
        ):
            path = ("generation", name)
            self.add_field(NumberField(theme, document, MANIFEST, path, label, note=note, width=14))
        self.add_field(
            ChoiceField(
                theme,
                document,
                MANIFEST,
                ("generation", "answer"),
                "F&orm of the answer",
                [
                    ("free", "free: the model writes what it likes"),
                    ("constrained", "only what the scorer can read"),
                ],
                default="free",
                note="Constrained answers need an engine that can; results of both kinds are never mixed.",
            )
        )
        self.add_field(
            ListField(
                theme,
                document,
                MANIFEST,
                ("generation", "stop"),
                "Stop wor&ds",
                entry="stop word",
                note="An answer ends before the first of them; up to 4. Other programs let it go on.",
            )
        )
        self.body.addStretch(1)

    def owns(self, problem: Problem) -> bool:
        return problem.file == MANIFEST and problem.path[:1] == ("generation",)

    @Slot()
    def _preset(self) -> None:
        button = self.sender()
        content = self.document.content
        try:
            change = content.put(MANIFEST, ("generation", "max_tokens"), int(button.property("tokens")))
        except (KeyError, UnreadableContent, AppError):
            return
        self.document.push(change)
