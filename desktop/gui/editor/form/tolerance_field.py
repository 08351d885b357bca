"""A tolerance with an example of what passes, so that nobody has to work it out."""

from __future__ import annotations

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import NumberField
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.label import TextLabel
from packs.documents.problems import FieldPath
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST
from packs.task.scorers import SCORERS
from packs.task.scorers.base import BadParams


class ToleranceField(NumberField):
    """`example` says what passes for the expected value of the example that is chosen."""

    def __init__(
        self, theme: Theme, document: PackDocument, path: FieldPath, label: str, *, note: str = ""
    ) -> None:
        """path: of the tolerance inside a mapping of scorer parameters."""
        self.example = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self._expected: object = None
        super().__init__(theme, document, MANIFEST, path, label, note=note, width=16)
        self._layout.insertWidget(self._layout.indexOf(self.note) + 1, self.example)

    def show_expected(self, expected: object) -> None:
        """expected: of the chosen example; anything but a number leaves the example with one of its own."""
        self._expected = expected
        self.refresh()

    def refresh(self) -> None:
        super().refresh()
        message = self._passing()
        self.example.setText(message)
        self.example.setVisible(bool(message))
        if not self.has_problem:
            self.line.setAccessibleDescription(f"{self._note} {message}".strip())

    def _passing(self) -> str:
        try:
            params = self.document.content.value(self.file, self.path[:-1])
            scorer = SCORERS[self.document.content.value(self.file, (*self.path[:-2], "scorer"))]
            return scorer(params).passing(self._expected)
        except (KeyError, UnreadableContent, BadParams, TypeError, AttributeError):
            return ""
