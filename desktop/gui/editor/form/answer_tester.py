"""Try the scorer on a text of one's own, at once."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.label import TextLabel
from packs.documents.strict_json import shown
from packs.errors import AppError
from packs.task.content import UnreadableContent
from packs.task.scorers import SCORERS, Scorer
from packs.task.scorers.base import BadExpected, Score

_LONGEST = 60
"""Characters of an expected value or a field name that are shown."""


class AnswerTester(QWidget):
    """Judged by the same scorer as a run, against the expected value of the example that is chosen."""

    def __init__(self, theme: Theme, document: PackDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._file = ""
        self._label = TextLabel(theme, "&Try an answer", bold=True)
        self.line = QLineEdit()
        self.line.setAccessibleName("Try an answer")
        self._label.setBuddy(self.line)
        self.result = TextLabel(theme, "", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(8), 0, 0)
        column.addWidget(self._label)
        column.addWidget(self.line)
        column.addWidget(self.result)
        self.line.textChanged.connect(self.refresh)

    def show_example(self, file: str) -> None:
        """file: of the example whose expected value counts; '' for none."""
        self._file = file
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        text = self.line.text()
        if not text:
            self.result.setText("What the scorer would say to it is shown here.")
            self.result.set_tone(Tone.MUTED)
            return
        message, good = self._judged(text)
        self.result.setText(message)
        self.result.set_tone(Tone.GOOD if good else Tone.BAD if good is False else Tone.MUTED)

    def _judged(self, text: str) -> tuple[str, bool | None]:
        try:
            manifest = self._document.content.manifest()
            scorer = SCORERS[manifest["scorer"]](manifest.get("scorer_params") or {})
            if scorer.name == "exact-label":
                labels = (manifest.get("scorer_params") or {})["labels"]
                resolved = scorer.score(text, labels[0]).detail["resolved"]
                if resolved is None:
                    return "This is none of the labels.", False
                return f"This is read as the label “{resolved}”.", True
            if not scorer.uses_expected:
                found = scorer.score(text, None)
                return ("This passes.", True) if found.passed else ("This does not pass.", False)
            return self._against_example(scorer, text)
        except (UnreadableContent, KeyError, IndexError, TypeError, ValueError, AppError):
            return "The scorer has a problem; it cannot be tried.", None

    def _against_example(self, scorer: Scorer, text: str) -> tuple[str, bool | None]:
        name = self._file.rsplit("/", 1)[-1].removesuffix(".json")
        try:
            expected = self._document.content.value(self._file, ("expected",))
            scorer.check_expected(expected)
        except (KeyError, UnreadableContent):
            return "It depends on the expected value: choose an example that has one.", None
        except BadExpected as error:
            return f"Example {name} cannot be compared with: {error.message}", None
        score = scorer.score(text, expected)
        message = _of_fields(score) if scorer.name == "field-f1" else _of_number(score)
        wanted = shown(expected, _LONGEST)
        return f"{message} Example {name} expects {wanted}.", score.passed


def _of_number(score: Score) -> str:
    detail = score.detail
    if detail["actual"] is None:
        return "This does not pass: there is no number in it."
    verdict = "This passes" if score.passed else "This does not pass"
    return f"{verdict}: it is read as {_number(detail['actual'])}."


def _of_fields(score: Score) -> str:
    detail = score.detail
    why: Any = detail["why"]
    if why is not None:
        return "This does not pass: " + (
            "there is no JSON in it." if why == "no-json" else "its JSON is not an object."
        )
    fields: Any = detail["fields"]
    right = sum(state == "match" for state in fields.values())
    if score.passed:
        return f"This passes: all {len(fields)} fields are right."
    message = {"mismatch": "is wrong", "missing": "is missing"}
    faults = ", ".join(f"{name} {message[state]}" for name, state in fields.items() if state in message)
    return f"This does not pass: {right} of {len(fields)} fields are right; {faults}."


def _number(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
