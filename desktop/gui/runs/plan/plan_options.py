"""How a plan is run: engine or server, repetitions, examples, free or held answers, how prompts are read."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QSpinBox, QWidget

from desktop.application.run_requests import ModelSource, PackFacts, RunSelection
from desktop.gui.theme import Theme
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.source_fields import SourceFields

MAX_REPETITIONS = 20
MAX_AT_ONCE = 64


class PlanOptions(Panel):
    """`changed` for whatever changes the wish; `source_changed` when the models have to be found anew."""

    changed = Signal()
    source_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "How", ruled=True, parent=parent)
        self._theme = theme
        self._form = QGridLayout()
        self._form.setColumnStretch(1, 1)
        self._source = SourceFields("Another computer is a&llowed for this run", self)
        self.engine, self.address, self.remote = self._source.engine, self._source.address, self._source.remote
        self.repetitions = QSpinBox()
        self.repetitions.setRange(1, MAX_REPETITIONS)
        self.repetitions.setAccessibleName("Repetitions of every example")
        self.at_once = QSpinBox()
        self.at_once.setRange(1, MAX_AT_ONCE)
        self.at_once.setAccessibleName("Answers asked for at once")
        self.at_once.setToolTip(
            "For servers that answer several questions together. Speed, first token and memory are then those "
            "of the server under this load."
        )
        self.limit = QSpinBox()
        self.limit.setRange(0, 100_000)
        self.limit.setSpecialValueText("all")
        self.limit.setAccessibleName("Examples to run")
        self.answers = QComboBox()
        self.answers.addItem("free", False)
        self.answers.addItem("held to the expected form", True)
        self.answers.setAccessibleName("Answers")
        self.reading = QComboBox()
        self.reading.addItem("shared start read once (fast)", False)
        self.reading.addItem("every prompt from nothing (cold)", True)
        self.reading.setAccessibleName("Prompts")
        self.adaptive = QCheckBox("Stop repeating once answers prove &identical")
        fields: tuple[tuple[str, QWidget], ...] = (
            ("Engine", self.engine),
            ("Address", self.address),
            ("At once", self.at_once),
            ("Repetitions", self.repetitions),
            ("Examples", self.limit),
            ("Answers", self.answers),
            ("Prompts", self.reading),
        )
        self._labels: dict[QWidget, TextLabel] = {}
        for row, (message, field) in enumerate(fields):
            label = TextLabel(theme, message)
            label.setBuddy(field)
            self._labels[field] = label
            self._form.addWidget(label, row, 0)
            self._form.addWidget(field, row, 1)
        self.body.addLayout(self._form)
        self.body.addWidget(self.remote)
        self.body.addWidget(self.adaptive)
        self.body.addStretch(1)
        for box in (self.repetitions, self.limit, self.at_once):
            box.valueChanged.connect(self._something)
        for choice in (self.answers, self.reading):
            choice.currentIndexChanged.connect(self._something)
        self.adaptive.toggled.connect(self._something)
        self._source.engine_chosen.connect(self._show_address)
        self._source.changed.connect(self.source_changed)
        theme.changed.connect(self._space)
        self._space()
        self._show_address()

    @property
    def source(self) -> ModelSource:
        """Where the models are."""
        return self._source.source

    def set_source(self, source: ModelSource) -> None:
        """Without telling."""
        self._source.set_source(source)
        self._show_address()

    def set_pack(self, pack: PackFacts, last: RunSelection | None) -> None:
        """The values of the last plan of this pack, else the pack's own; without telling."""
        widgets = (self.repetitions, self.limit, self.at_once, self.answers, self.reading, self.adaptive)
        for widget in widgets:
            widget.blockSignals(True)
        self.limit.setMaximum(max(pack.examples - 1, 0))
        self.answers.setEnabled(pack.can_constrain)
        self.repetitions.setValue(last.repetitions if last else pack.repetitions)
        self.limit.setValue((last.limit or 0) if last else 0)
        self.at_once.setValue(last.parallel if last else 1)
        self.answers.setCurrentIndex(int(bool(last and last.constrained and pack.can_constrain)))
        self.reading.setCurrentIndex(int(bool(last and last.cold)))
        self.adaptive.setChecked(last.adaptive if last else True)
        for widget in widgets:
            widget.blockSignals(False)
        self._enable()

    def apply_to(self, request: RunSelection, pack: PackFacts) -> RunSelection:
        """The wish with everything that is chosen here."""
        limit = self.limit.value()
        return replace(
            request,
            repetitions=self.repetitions.value(),
            constrained=bool(self.answers.currentData()),
            adaptive=self.adaptive.isChecked(),
            cold=bool(self.reading.currentData()),
            limit=limit if 0 < limit < pack.examples else None,
            source=self.source,
            parallel=1 if self.source.built_in else self.at_once.value(),
        )

    @Slot()
    def _something(self) -> None:
        self._enable()
        self.changed.emit()

    @Slot()
    def _show_address(self) -> None:
        labels = (self._labels[self.address], self._labels[self.at_once])
        for widget in (self.address, self.at_once, *labels, self.remote):
            widget.setVisible(self._source.with_address)

    def _enable(self) -> None:
        self.adaptive.setEnabled(self.repetitions.value() > 1)

    @Slot()
    def _space(self) -> None:
        px = self._theme.px
        self._form.setHorizontalSpacing(px(12))
        self._form.setVerticalSpacing(px(8))
