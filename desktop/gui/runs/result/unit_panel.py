"""One unit on the screen: cause and reason, the answer with its marks, fields, gates, figures, prompt."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from desktop.gui.runs.result.collapsible_section import CollapsibleSection
from desktop.gui.runs.result.differences import FieldDifference, spoken
from desktop.gui.runs.result.unit_detail import UnitDetail
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.cause_cells import CauseLegend
from desktop.gui.widgets.difference_view import DifferenceView
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.text_difference import visible_runs
from desktop.gui.widgets.text_runs import Runs, RunsLabel


class UnitPanel(QWidget):
    """`show_detail` fills it; parts without content are hidden."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._outer = QVBoxLayout(self)
        self.input = DifferenceView(theme, "Input", lines=3)
        self.expected = DifferenceView(theme, "Expected", lines=1)
        self.cause = CauseLegend(theme)
        self.reason = TextLabel(theme, wrap=True, selectable=True)
        self.near = TextLabel(theme, tone=Tone.WARN, wrap=True, selectable=True)
        self.answer = DifferenceView(theme, "Answer", lines=4)
        self.scored = DifferenceView(theme, "What was scored", lines=3)
        self.reasoning = DifferenceView(theme, "Reasoning, never scored", lines=8)
        self.prompt = DifferenceView(theme, "Prompt as sent", lines=10)
        self.gates = TextLabel(theme, wrap=True, selectable=True)
        self._fields_box = QWidget()
        self._fields = QGridLayout(self._fields_box)
        self._facts_box = QWidget()
        self._facts = QGridLayout(self._facts_box)
        self.fold_reasoning = CollapsibleSection(theme, "the reasoning", self.reasoning)
        self.fold_prompt = CollapsibleSection(theme, "the prompt as it was sent", self.prompt)

        self._heads: list[TextLabel] = []
        self._add("Input", self.input)
        self._add("Expected", self.expected)
        self._answer_head = self._add("Answer", self.cause)
        for widget in (self.reason, self.near, self.answer):
            self._outer.addWidget(widget)
        self._fields_head = self._add("Field by field", self._fields_box)
        self._scored_head = self._add("What was scored", self.scored)
        self._gates_head = self._add("Gates", self.gates)
        self._outer.addWidget(self.fold_reasoning)
        self._add("Figures", self._facts_box)
        self._outer.addWidget(self.fold_prompt)
        self._outer.addStretch(1)
        theme.changed.connect(self._space)
        self._space()

    def show_detail(self, detail: UnitDetail) -> None:
        outcome = detail.unit.outcome
        _show(self.input, detail.input)
        _show(self.expected, detail.expected)
        again = "" if detail.repetitions == 1 else f", repetition {detail.unit.repetition}"
        self._answer_head.setText(f"Answer of {detail.candidate}{again}")
        self.cause.set_causes([] if outcome is None else [outcome.cause])
        self.cause.setVisible(outcome is not None)
        self.reason.setText(detail.reason)
        self.near.setText("\n".join(detail.near_misses))
        self.near.setVisible(bool(detail.near_misses))
        self.answer.show_runs(detail.answer)
        self.answer.setAccessibleDescription(spoken(detail.answer))
        self.answer.setVisible(bool(detail.answer.parts))
        self._show_fields(detail.fields)
        _show(self.scored, detail.scored)
        for widget in (self.scored, self._scored_head):
            widget.setVisible(bool(detail.scored))
        self.gates.setText("\n".join(_gate_text(*gate) for gate in detail.gates))
        for widget in (self.gates, self._gates_head):
            widget.setVisible(bool(detail.gates))
        _show(self.reasoning, detail.reasoning)
        self.fold_reasoning.setVisible(bool(detail.reasoning))
        self._show_facts(detail.facts)
        _show(self.prompt, detail.prompt)
        self.fold_prompt.setVisible(bool(detail.prompt))

    def _add(self, message: str, widget: QWidget) -> TextLabel:
        head = TextLabel(self._theme, message, kind=Type.SMALL, tone=Tone.MUTED, bold=True)
        self._heads.append(head)
        self._outer.addWidget(head)
        self._outer.addWidget(widget)
        return head

    def _show_fields(self, fields: Sequence[FieldDifference]) -> None:
        _empty(self._fields)
        for column, message in enumerate(("Field", "Expected", "Answer")):
            label = TextLabel(self._theme, message, kind=Type.SMALL, tone=Tone.MUTED)
            self._fields.addWidget(label, 0, column)
        for row, field in enumerate(fields, start=1):
            name = TextLabel(self._theme, field.field, kind=Type.MONO, wrap=True)
            wanted = TextLabel(self._theme, field.expected, kind=Type.MONO, wrap=True, selectable=True)
            given = RunsLabel(self._theme, field.answer)
            given.setAccessibleName(f"{field.field}, {field.state}: {spoken(field.answer)}")
            self._fields.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            self._fields.addWidget(wanted, row, 1, Qt.AlignmentFlag.AlignTop)
            self._fields.addWidget(given, row, 2, Qt.AlignmentFlag.AlignTop)
        self._fields.setColumnStretch(1, 1)
        self._fields.setColumnStretch(2, 1)
        for widget in (self._fields_box, self._fields_head):
            widget.setVisible(bool(fields))

    def _show_facts(self, facts: Sequence[tuple[str, str]]) -> None:
        _empty(self._facts)
        for place, (name, value) in enumerate(facts):
            row, side = divmod(place, 2)
            label = TextLabel(self._theme, name, kind=Type.SMALL, tone=Tone.MUTED)
            message = TextLabel(self._theme, value, wrap=True, selectable=True)
            message.setAccessibleName(f"{name}: {value}")
            self._facts.addWidget(label, row, side * 2)
            self._facts.addWidget(message, row, side * 2 + 1)
        self._facts.setColumnStretch(1, 1)
        self._facts.setColumnStretch(3, 1)

    @Slot()
    def _space(self) -> None:
        px = self._theme.px
        self._outer.setContentsMargins(px(16), px(12), px(16), px(16))
        self._outer.setSpacing(px(6))
        for grid in (self._fields, self._facts):
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setHorizontalSpacing(px(16))
            grid.setVerticalSpacing(px(4))
        for head in self._heads:
            head.setContentsMargins(0, px(8), 0, 0)


def _show(view: DifferenceView, text: str) -> None:
    """Text from outside: what cannot be seen, or turns the reading direction, becomes a named box."""
    view.show_runs(Runs(tuple(visible_runs(text))))


def _gate_text(name: str, passed: bool, why: str) -> str:
    message = f"{name}: {'passed' if passed else 'not passed'}"
    return f"{message}. {why}" if why else message


def _empty(grid: QGridLayout) -> None:
    while (item := grid.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
