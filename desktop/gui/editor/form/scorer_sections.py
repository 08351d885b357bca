"""Scorer and gates: which one, and its parameters made from the scorer's own model."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.answer_tester import AnswerTester
from desktop.gui.editor.form.fields import BoundField, ChoiceField
from desktop.gui.editor.form.params_form import params_fields
from desktop.gui.editor.form.section import Section
from desktop.gui.editor.form.tolerance_field import ToleranceField
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from packs.documents.problems import FieldPath, Problem
from packs.errors import AppError
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST
from packs.task.scorers import DEFAULT_GATE, SCORERS


class ScorerForm(QWidget):
    """A scorer's name and the fields of its parameters below; made anew when another scorer is chosen."""

    def __init__(
        self, theme: Theme, document: PackDocument, path: FieldPath, label: str, parent: QWidget | None = None
    ) -> None:
        """path: of the mapping that holds `scorer` and `scorer_params`; () for the pack itself."""
        super().__init__(parent)
        self._theme = theme
        self._document = document
        self._path = path
        self._made_for: object = None
        choices = [(scorer.name, f"{scorer.title} ({scorer.name})") for scorer in SCORERS]
        self.choice = ChoiceField(theme, document, MANIFEST, (*path, "scorer"), label, choices)
        self.summary = TextLabel(theme, "", tone=Tone.MUTED, wrap=True, firm=True)
        self.params: list[BoundField] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self.choice)
        self._layout.addWidget(self.summary)
        theme.changed.connect(self._space)
        self._space()
        self.refresh()

    @property
    def fields(self) -> list[BoundField]:
        return [self.choice, *self.params]

    def refresh(self) -> None:
        try:
            name: Any = self._document.content.value(MANIFEST, (*self._path, "scorer"))
        except (KeyError, UnreadableContent):
            name = None
        if name != self._made_for:
            self._make(name)
        for field in self.fields:
            field.refresh()

    def _make(self, name: Any) -> None:
        self._made_for = name
        for field in self.params:
            self._layout.removeWidget(field)
            field.deleteLater()
        known = isinstance(name, str) and name in SCORERS
        self.summary.setText(SCORERS[name].summary if known else "Choose how an answer is judged.")
        self.params = (
            params_fields(self._theme, self._document, name, (*self._path, "scorer_params")) if known else []
        )
        for field in self.params:
            self._layout.addWidget(field)

    @Slot()
    def _space(self) -> None:
        self._layout.setSpacing(self._theme.px(14))


class ScorerSection(Section):
    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(theme, document, "Scorer", "The rule by which an answer is right or wrong.")
        self.form = ScorerForm(theme, document, (), "How an answer is &judged")
        self.body.addWidget(self.form)
        self.tester = AnswerTester(theme, document)
        self.body.addWidget(self.tester)
        self.body.addStretch(1)
        self._file = ""
        self.refresh()

    @Slot(str)
    def show_example(self, file: str) -> None:
        """The example whose expected value stands for what is right; '' for none."""
        self._file = file
        self._show_expected()
        self.tester.show_example(file)

    def _show_expected(self) -> None:
        try:
            expected = self.document.content.value(self._file, ("expected",))
        except (KeyError, UnreadableContent):
            expected = None
        for field in self.fields:
            if isinstance(field, ToleranceField):
                field.show_expected(expected)

    def owns(self, problem: Problem) -> bool:
        if problem.file == MANIFEST:
            return problem.path[:1] in (("scorer",), ("scorer_params",))
        return any(field.owns(problem) for field in self.form.params)

    def refresh(self) -> None:
        self.form.refresh()
        self.fields = self.form.fields
        self._show_expected()
        self.tester.refresh()


class GatesSection(Section):
    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(
            theme, document, "Gates", "Conditions that every answer must pass. One that fails a gate scores 0."
        )
        self.add_button = Button(theme, "Add a gate", icon="plus")
        self.add_button.clicked.connect(self._add)
        self.heading.addWidget(self.add_button)
        self._empty = EmptyState(theme, "There are no gates. Most packs need none.")
        self.body.addWidget(self._empty)
        self._forms: list[tuple[Panel, ScorerForm]] = []
        self._list = QVBoxLayout()
        self.body.addLayout(self._list)
        self.body.addStretch(1)
        self.refresh()

    def owns(self, problem: Problem) -> bool:
        if problem.file == MANIFEST:
            return problem.path[:1] == ("gates",)
        return any(field.owns(problem) for _, form in self._forms for field in form.params)

    def refresh(self) -> None:
        count = len(self._gates())
        while len(self._forms) > count:
            panel, _ = self._forms.pop()
            self._list.removeWidget(panel)
            panel.deleteLater()
        while len(self._forms) < count:
            self._forms.append(self._panel(len(self._forms)))
        for _, form in self._forms:
            form.refresh()
        self.fields = [field for _, form in self._forms for field in form.fields]
        self._empty.setVisible(count == 0)

    def _gates(self) -> list[Any]:
        try:
            gates = self.document.content.manifest().get("gates")
        except UnreadableContent:
            return []
        return gates if isinstance(gates, list) else []

    def _panel(self, number: int) -> tuple[Panel, ScorerForm]:
        panel = Panel(self.theme, f"Gate {number + 1}")
        remove = Button(self.theme, "Remove", icon="minus")
        remove.setAccessibleName(f"Remove gate {number + 1}")
        remove.setProperty("gate", number)
        remove.clicked.connect(self._remove)
        panel.heading.addWidget(remove)
        form = ScorerForm(self.theme, self.document, ("gates", number), "How it is judged")
        panel.body.addWidget(form)
        self._list.addWidget(panel)
        return panel, form

    @Slot()
    def _add(self) -> None:
        gate = {"scorer": DEFAULT_GATE.name, "scorer_params": DEFAULT_GATE.params_from_table((), ())}
        self._put([*self._gates(), gate], "add a gate")

    @Slot()
    def _remove(self) -> None:
        button = self.sender()
        number = int(button.property("gate"))
        gates = self._gates()
        # The forms know their gates by number, so all after this one are made anew.
        while len(self._forms) > number:
            panel, _ = self._forms.pop()
            self._list.removeWidget(panel)
            panel.deleteLater()
        self._put([*gates[:number], *gates[number + 1 :]], f"remove gate {number + 1}")

    def _put(self, gates: list[Any], label: str) -> None:
        content = self.document.content
        try:
            change = (
                content.put(MANIFEST, ("gates",), gates, label)
                if gates
                else content.drop(MANIFEST, ("gates",), label)
            )
        except (KeyError, UnreadableContent, AppError):
            return
        self.document.push(change)
        self.refresh()
