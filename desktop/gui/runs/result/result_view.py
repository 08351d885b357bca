"""The result of a run: the answer first, then the evidence: plot, causes, example by example."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.result.comparing import Comparing
from desktop.gui.runs.result.example_dialog import ExampleDialog
from desktop.gui.runs.result.examples_panel import ExamplesPanel
from desktop.gui.runs.result.export_dialog import ExportDialog
from desktop.gui.runs.result.figures_dialog import FiguresDialog
from desktop.gui.runs.result.models_model import ModelsModel, ResultModelsTable
from desktop.gui.runs.result.result_data import ResultData, frame_of, let_go, load_instead, load_today
from desktop.gui.runs.result.result_figures import ResultFigures
from desktop.gui.runs.result.result_text import subtitle
from desktop.gui.runs.result.today_strip import Judging, TodayStrip
from desktop.gui.runs.result.why_dialog import WhyDialog
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.announce import announce
from desktop.gui.widgets.answer_panel import AnswerPanel
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.fit_table import fit_table
from desktop.gui.widgets.latency_plot import LatencyPlot
from desktop.gui.widgets.panel import PageBar, Panel
from desktop.reports.latency import HINT as LATENCY_HINT
from desktop.reports.latency import latency_panels

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

MAX_MODELS = 8
"""Rows of the table of models that are seen without scrolling."""

BETWEEN_STEPS_MS = 5
"""So long the event loop is left to others between two parts of a result that are shown."""

LOOK_AFTER_MS = 150
"""The pack is looked at when the result has been painted."""


class ResultView(QWidget):
    """`open_run` begins. Signals carry what leads elsewhere."""

    run_again = Signal(str)
    """Folder of the pack."""
    resume_asked = Signal(str, str)
    """Run id, pack name."""
    edit_asked = Signal(str, str)
    """Folder of the pack, example ('' for the list of examples)."""
    back = Signal()

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        *,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.service = service
        self.tasks = tasks
        self._now = now
        self._loading: CancelToken | None = None
        self.run_id = ""
        self.result: ResultData | None = None
        self._recorded: ResultData | None = None
        self._today: ResultData | None = None
        """The same by the pack as it is now, when that judges otherwise."""
        self._dropped: list[ResultData] = []
        """Judgements that no longer hold."""
        self._looking: CancelToken | None = None
        self._looked_for: ResultData | None = None
        """The frame of the result that was last asked about."""
        self._steps: deque[Callable[[], None]] = deque()
        """What is still to be shown of a result that has been read."""
        self._turn = QTimer(self)
        self._turn.setInterval(BETWEEN_STEPS_MS)
        self._turn.timeout.connect(self._next_step)
        self._look_soon = QTimer(self)
        self._look_soon.setSingleShot(True)
        self._look_soon.setInterval(LOOK_AFTER_MS)
        self._look_soon.timeout.connect(self.look_at_pack)

        self.bar = PageBar(theme, "Result")
        self.history = Button(theme, "H&istory", icon="clock")
        self.resume = Button(theme, "Resu&me", icon="play")
        self.export = Button(theme, "E&xport…", icon="export")
        self.again = Button(theme, "R&un again…", icon="play")
        self.compare = Button(theme, "&Compare with…", icon="compare")
        self.comparing = Comparing(theme, service, tasks, self, now=now)
        self.compare.setMenu(self.comparing.menu)
        for button in (self.history, self.resume, self.compare, self.export, self.again):
            self.bar.add(button)

        self.strip = TodayStrip(theme)
        self.answer = AnswerPanel(theme)
        self.why = Button(theme, "Wh&y this one?")
        self.more = Button(theme, "&Add examples…")
        self.answer.add_button(self.why)
        self.answer.add_button(self.more)

        self.figures = ResultFigures(theme)
        self.models = ModelsModel(self)
        self.models_table = ResultModelsTable(theme, self.models)
        models_panel = Panel(theme, padding=0)
        models_panel.body.addWidget(self.models_table)
        self.latency = LatencyPlot(theme)
        self._latency_panel = Panel(theme, "How long it takes", LATENCY_HINT)
        self._latency_panel.body.addWidget(self.latency)
        self.examples = ExamplesPanel(theme, service, tasks)

        page = QWidget()
        self._heavy = (self.figures, self.examples, self._latency_panel, models_panel)
        self._page = QVBoxLayout(page)
        self._page.addWidget(self.strip)
        self._page.addWidget(self.answer)
        self._page.addWidget(self.figures)
        self._page.addWidget(self.examples, 1)
        self._page.addWidget(self._latency_panel)
        self._page.addWidget(models_panel)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        scroll.setAccessibleName("Result of the run")

        self.waiting = EmptyState(theme, "Reading the result…")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.waiting)
        self._stack.addWidget(scroll)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addWidget(self._stack, 1)

        self.history.clicked.connect(self.back)
        self.resume.clicked.connect(self._resume)
        self.comparing.refused.connect(self._not_compared)
        self.strip.other_asked.connect(self.show_judging)
        self.strip.changes_asked.connect(self._show_changes)
        self.export.clicked.connect(self.open_export)
        self.again.clicked.connect(self._again)
        self.why.clicked.connect(self.open_why)
        self.more.clicked.connect(self._more)
        self.figures.model_chosen.connect(self.examples.show_wrong_of)
        self.figures.near_link.clicked.connect(self.examples.show_near_misses)
        self.figures.where.clicked.connect(self.open_figures)
        self.examples.opened.connect(self.open_example)
        self.examples.edit_asked.connect(self._edit)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._enable()

    def open_run(self, run_id: str, title: str = "") -> None:
        """Read the result of this run; until it is there the page says so."""
        if self._loading is not None:
            self._loading.cancel()
        self.run_id = run_id
        held = self._forget()
        self.strip.hide()
        self.bar.set_text(f"Result: {title}" if title else "Result")
        self.waiting.set_sentence("Reading the result…")
        self._stack.setCurrentIndex(0)
        self._enable()
        self._loading = self.tasks.start(
            partial(load_instead, held, self.service, run_id),
            self._loaded,
            self._not_loaded,
        )

    @property
    def ready(self) -> bool:
        """Is the result on the screen?"""
        return self.result is not None

    @property
    def looks_soon(self) -> bool:
        """Is it still to be asked whether the pack judges otherwise by now?"""
        return self._look_soon.isActive()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fit_table(self.models_table, MAX_MODELS)

    def _forget(self) -> list[ResultData]:
        """Show nothing of the result that was shown. Returns what is to be let go of, on a lane."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        self._looked_for = None
        held = [result for result in (self._recorded, self._today, *self._dropped) if result is not None]
        self._dropped = []
        self.result = self._recorded = self._today = None
        self._steps.clear()
        self._paint_heavy(True)
        self._look_soon.stop()
        self.comparing.show_others(None)
        if held:
            self.examples.clear()
        return held

    def _loaded(self, result: ResultData) -> None:
        if result.run_id != self.run_id:
            self.tasks.start(partial(_let_go_of, [result]), _nothing, _nothing)
            return
        self._recorded = result
        self._show(result)

    def _show(self, result: ResultData) -> None:
        """Part by part, one a turn of the event loop: all at once takes longer than a blink."""
        parts = (self._show_text, self._show_figures, self._show_page)
        self._steps = deque(partial(part, result) for part in parts)
        self._steps.extend(partial(part.setUpdatesEnabled, True) for part in self._heavy)
        self._steps.append(partial(self._show_examples, result))
        self._turn.start()

    @Slot()
    def _next_step(self) -> None:
        if self._steps:
            self._steps.popleft()()
        if not self._steps:
            self._turn.stop()

    def _show_text(self, result: ResultData) -> None:
        self.comparing.show_others(result.report, result.others)
        report = result.report
        self.bar.set_text(report.title, subtitle(report, self._now()))
        answer = report.answer
        label = f"Not reviewed: {report.label}" if report.label else ""
        limits = " ".join(part for part in (label, *answer.limits, *report.notes) if part)
        self.answer.show_answer(answer.headline, answer.reason, limits, Tone(answer.tone.value))
        self.models.set_views([report.candidates[place] for place in result.order])
        fit_table(self.models_table, MAX_MODELS)
        self.why.setVisible(bool(answer.runners_up or answer.arithmetic))

    def _show_figures(self, result: ResultData) -> None:
        report = result.report
        self.figures.show_result(result)
        panels = latency_panels([report.candidates[place] for place in result.order])
        self.latency.show_panels(panels)
        self._latency_panel.setVisible(bool(panels))

    def _show_page(self, result: ResultData) -> None:
        # Before the examples: no lane that filters them is to take the interpreter from the first picture. The
        # parts that take long to paint follow one by one.
        if self._stack.currentIndex() != 1:
            self._paint_heavy(False)
        self._stack.setCurrentIndex(1)

    def _paint_heavy(self, painted: bool) -> None:
        for part in self._heavy:
            part.setUpdatesEnabled(painted)

    def _show_examples(self, result: ResultData) -> None:
        first = self.result is None
        self.examples.show_result(result)
        self.result = result
        self._enable()
        if self._dropped:
            held, self._dropped = self._dropped, []
            self.tasks.start(partial(_let_go_of, held), _nothing, _nothing)
        if first:
            if self.isVisible():
                (self.why if self.why.isVisibleTo(self) else self.export).setFocus()
            self._look_soon.start()

    def _not_loaded(self, error: Exception) -> None:
        self.waiting.set_sentence(str(sentence_for(error)))
        self._enable()

    def _enable(self) -> None:
        ready = self.ready
        for button in (self.export, self.again, self.compare):
            button.setEnabled(ready)
        self.resume.setVisible(self.result is not None and self.result.resumable)

    @Slot(str)
    def open_example(self, example: str, candidate: int | None = None) -> None:
        result = self.result
        row = self.examples.row_of(example)
        if result is None or row is None:
            return
        dialog = ExampleDialog(
            self._theme, self.service, self.tasks, result, self.examples.neighbours, self.window()
        )
        dialog.edit_asked.connect(self._edit)
        dialog.show_example(row, candidate)
        dialog.open()

    @Slot()
    def open_why(self) -> None:
        if self.result is not None:
            WhyDialog(self._theme, self.result.report, self.window()).open()

    @Slot(str)
    def _not_compared(self, sentence: str) -> None:
        self.figures.hints.setText(sentence)
        self.figures.hints.show()

    # --- the pack as it is now --------------------------------------------------------------------------------

    def look_at_pack(self) -> None:
        """Does the pack in its folder judge these answers otherwise by now? Then that is shown at once."""
        recorded = self._recorded
        if recorded is None or self.result is None:
            return
        if self._looking is not None:
            self._looking.cancel()
        known = self._today.report.run.fingerprint if self._today is not None else ""
        # Neither the work nor its answer may hold the result: who lets go of it last, frees it in one step.
        self._looked_for = frame_of(recorded)
        self._looking = self.tasks.start(
            partial(load_today, self.service, self._looked_for, known),
            partial(self._judged, self._looked_for),
            partial(self._not_judged, self._looked_for),
        )

    def _judged(self, asked: ResultData, found: ResultData | str) -> None:
        recorded = self._recorded
        if recorded is None or self._looked_for is not asked:
            if isinstance(found, ResultData):
                self.tasks.start(partial(_let_go_of, [found]), _nothing, _nothing)
            return
        if isinstance(found, ResultData):
            self._drop_today()
            self._today = found
            self.show_judging(Judging.TODAY)
        elif self._today is None or found != self._today.report.run.fingerprint:
            # The pack judges as it did when the run was made.
            self._drop_today()
            self.strip.hide()
            if self.result is not recorded:
                self._show(recorded)

    def _drop_today(self) -> None:
        """It may still be on the screen; it is let go of when something else is."""
        if self._today is not None:
            self._dropped.append(self._today)
            self._today = None

    def _not_judged(self, asked: ResultData, error: Exception) -> None:
        recorded = self._recorded
        if recorded is None or self._looked_for is not asked:
            return
        self._drop_today()
        self.strip.show_refusal(str(sentence_for(error)))
        if self.result is not recorded:
            self._show(recorded)

    @Slot(object)
    def show_judging(self, judging: Judging) -> None:
        """The scores as they were recorded, or by the pack as it is now."""
        today, recorded = self._today, self._recorded
        if today is None or today.today is None or recorded is None:
            return
        self.strip.show_judging(judging, today.today.changed)
        announce(self.strip, self.strip.message.text())
        self._show(today if judging is Judging.TODAY else recorded)

    @Slot()
    def _show_changes(self) -> None:
        if self._today is not None and self._recorded is not None:
            self.comparing.compare_judgements(self._recorded.report, self._today.report)

    @Slot()
    def open_figures(self) -> None:
        if self.result is not None:
            FiguresDialog(self._theme, self.result, self.window()).open()

    @Slot()
    def open_export(self) -> None:
        if self.result is not None:
            ExportDialog(self._theme, self.service, self.tasks, self.result.report, self.window()).open()

    @Slot()
    def _again(self) -> None:
        if self.result is not None:
            self.run_again.emit(self.result.report.run.pack_folder)

    @Slot()
    def _resume(self) -> None:
        if self.result is not None:
            self.resume_asked.emit(self.run_id, self.result.report.pack.name)

    @Slot()
    def _more(self) -> None:
        self._edit("")

    @Slot(str)
    def _edit(self, example: str) -> None:
        if self.result is not None:
            self.edit_asked.emit(self.result.report.run.pack_folder, example)

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._page.setContentsMargins(px(16), px(16), px(16), px(16))
        self._page.setSpacing(px(12))
        self.examples.setMinimumHeight(px(88) + self._theme.row_height() * 6)
        fit_table(self.models_table, MAX_MODELS)


def _let_go_of(held: list[ResultData], _cancel: CancelToken) -> None:
    let_go(held)


def _nothing(_outcome: object) -> None:
    """There is nothing to show for it."""
