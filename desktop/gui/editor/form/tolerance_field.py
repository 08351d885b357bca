"""A tolerance with an example of what passes, so that nobody has to work it out."""

from __future__ import annotations

import math

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import NumberField
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.label import TextLabel
from packs.documents.problems import FieldPath
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST
from packs.task.scorers.base import BadParams
from packs.task.scorers.numeric_tolerance import NumericTolerance
from packs.task.text import as_double, is_number

ANY_NUMBER = 42
"""Stands for the expected value while no example with a number is chosen."""


class ToleranceField(NumberField):
    """`example` says what passes for the expected value of the example that is chosen."""

    def __init__(
        self, theme: Theme, document: PackDocument, path: FieldPath, label: str, *, note: str = ""
    ) -> None:
        """path: of the tolerance inside a mapping of scorer parameters."""
        self.example = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self._expected: float | int = ANY_NUMBER
        super().__init__(theme, document, MANIFEST, path, label, note=note, width=16)
        self._layout.insertWidget(self._layout.indexOf(self.note) + 1, self.example)

    def show_expected(self, expected: object) -> None:
        """expected: of the chosen example; anything but a number leaves the example with one of its own."""
        usable = is_number(expected) and math.isfinite(as_double(expected))  # type: ignore[arg-type]
        self._expected = expected if usable else ANY_NUMBER  # type: ignore[assignment]
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
            return what_passes(NumericTolerance(params), self._expected)
        except (KeyError, UnreadableContent, BadParams, TypeError, AttributeError):
            return ""


def what_passes(scorer: NumericTolerance, expected: float | int) -> str:
    """One sentence, such as 'With 0.5: 41.5 to 42.5 pass for 42.'; '' when the bounds are no numbers."""
    middle = as_double(expected)
    allowed = scorer.allowed(middle)
    low, high = _short(middle - allowed), _short(middle + allowed)
    if not (math.isfinite(float(low)) and math.isfinite(float(high))):
        return ""
    given = f"With {_short(scorer.params.tolerance)}"
    if low == high:
        return f"{given}: only {low} passes for {_short(middle)}."
    # A sum of fractions can end a hair beside its bound; then the bound itself is not promised.
    if all(scorer.score(bound, expected).passed for bound in (low, high)):
        return f"{given}: {low} to {high} pass for {_short(middle)}."
    return f"{given}: numbers between {low} and {high} pass for {_short(middle)}."


def _short(number: float) -> str:
    return f"{number:.12g}"
