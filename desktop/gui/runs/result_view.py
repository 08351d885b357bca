"""The result of a run: the answer first, then the evidence: plot, causes, example by example."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from desktop.cancel import CancelToken
from desktop.gui.errors import sentence_for
from desktop.gui.runs.compare_dialog import CompareDialog
from desktop.gui.runs.comparison import Comparison, compare
from desktop.gui.runs.example_dialog import ExampleDialog
from desktop.gui.runs.examples_panel import ExamplesPanel
from desktop.gui.runs.export_dialog import ExportDialog
from desktop.gui.runs.figures_dialog import FiguresDialog
from desktop.gui.runs.fit_table import fit_table
from desktop.gui.runs.models_model import ModelsModel, ModelsTable
from desktop.gui.runs.result_data import ResultData, let_go, load_result
from desktop.gui.runs.result_words import near_miss_words, plot_point, subtitle
from desktop.gui.runs.services import RunDesk
from desktop.gui.runs.why_dialog import WhyDialog
from desktop.gui.runs.words import counted, moment
from desktop.gui.tasks import TaskRunner
from desktop.gui.theme import Theme, Tone
from desktop.gui.uncollected import Collector
from desktop.gui.widgets.answer_panel import AnswerPanel
from desktop.gui.widgets.button import Button, LinkButton
from desktop.gui.widgets.cause_cells import CauseLegend
from desktop.gui.widgets.causes_bar import CauseRow, CausesBar
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.latency_plot import LatencyPlot
from desktop.gui.widgets.panel import PageBar, Panel
from desktop.gui.widgets.quality_plot_view import QualityPlot
from desktop.reports.data import ReportData
from desktop.reports.latency import HINT as LATENCY_HINT
from desktop.reports.latency import latency_panels
from desktop.reports.text import one_line
from desktop.runs.records import CandidateStatus, RunSummary
from packs.task.outcome import Cause

MOST_MODELS = 8
"""Rows of the table of models that are seen without scrolling."""

BETWEEN_STEPS_MS = 5
"""So long the event loop is left to others between two parts of a result that are shown."""


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
        desk: RunDesk,
        tasks: TaskRunner,
        *,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._desk = desk
        self._tasks = tasks
        self._now = now
        self._collector = Collector()
        self._loading: CancelToken | None = None
        self.run_id = ""
        self.result: ResultData | None = None
        self._others: tuple[RunSummary, ...] = ()
        self._steps: deque[Callable[[], None]] = deque()
        """What is still to be shown of a result that has been read."""
        self._turn = QTimer(self)
        self._turn.setInterval(BETWEEN_STEPS_MS)
        self._turn.timeout.connect(self._next_step)

        self.bar = PageBar(theme, "Result")
        self.history = Button(theme, "H&istory", icon="clock")
        self.resume = Button(theme, "Resu&me", icon="play")
        self.export = Button(theme, "E&xport…", icon="export")
        self.again = Button(theme, "R&un again…", icon="play")
        self.compare = Button(theme, "&Compare with…", icon="compare")
        self.compare_menu = QMenu(self)
        self.compare.setMenu(self.compare_menu)
        for button in (self.history, self.resume, self.compare, self.export, self.again):
            self.bar.add(button)

        self.answer = AnswerPanel(theme)
        self.why = Button(theme, "Wh&y this one?")
        self.more = Button(theme, "&Add examples…")
        self.answer.add_button(self.why)
        self.answer.add_button(self.more)

        self.plot = QualityPlot(theme)
        self._plot_panel = Panel(
            theme, "Right answers against memory", "bars: 95 % interval · dashed: nothing smaller does better"
        )
        self._plot_panel.body.addWidget(self.plot, 1)
        self.unplaced = TextLabel(theme, tone=Tone.MUTED, wrap=True)
        self._plot_panel.body.addWidget(self.unplaced)

        self._causes_panel = Panel(theme, "What became of the examples")
        self.causes = CausesBar(theme)
        self.legend = CauseLegend(theme)
        self.hints = TextLabel(theme, wrap=True)
        self.near_link = LinkButton(theme, "Show them")
        self.where = Button(theme, "Where it goes wron&g…", icon="table")
        self._causes_panel.body.addWidget(self.causes)
        self._causes_panel.body.addWidget(self.legend)
        self._causes_panel.body.addStretch(1)
        self._causes_panel.body.addWidget(self.hints)
        self._causes_panel.body.addWidget(self.near_link)
        self._causes_panel.body.addWidget(self.where, 0, Qt.AlignmentFlag.AlignRight)

        self.models = ModelsModel(self)
        self.models_table = ModelsTable(theme, self.models)
        models_panel = Panel(theme, padding=0)
        models_panel.body.addWidget(self.models_table)
        self.latency = LatencyPlot(theme)
        self._latency_panel = Panel(theme, "How long it takes", LATENCY_HINT)
        self._latency_panel.body.addWidget(self.latency)
        self.examples = ExamplesPanel(theme, desk, tasks)

        self._upper = QHBoxLayout()
        self._upper.addWidget(self._plot_panel, 1)
        self._upper.addWidget(self._causes_panel, 1)
        page = QWidget()
        self._page = QVBoxLayout(page)
        self._page.addWidget(self.answer)
        self._page.addLayout(self._upper)
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
        self.compare_menu.aboutToShow.connect(self._fill_compare)
        self.export.clicked.connect(self.open_export)
        self.again.clicked.connect(self._again)
        self.why.clicked.connect(self.open_why)
        self.more.clicked.connect(self._more)
        self.plot.point_chosen.connect(self._point_chosen)
        self.near_link.clicked.connect(self._show_near)
        self.where.clicked.connect(self.open_figures)
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
        self._let_go()
        self.bar.set_words(f"Result: {title}" if title else "Result")
        self.waiting.set_sentence("Reading the result…")
        self._stack.setCurrentIndex(0)
        self._enable()
        self._loading = self._tasks.start(
            lambda cancel: load_result(self._desk, self._collector, run_id, cancel),
            self._loaded,
            self._not_loaded,
        )

    @property
    def ready(self) -> bool:
        """Is the result on the screen?"""
        return self.result is not None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fit_table(self.models_table, MOST_MODELS)

    def _let_go(self) -> None:
        """Forget the result that was shown."""
        old, self.result = self.result, None
        self._steps.clear()
        if old is not None:
            self.examples.clear()
            job = partial(_let_go_of, [old])
            del old
            self._tasks.start(job, _nothing, _nothing)

    def _loaded(self, result: ResultData) -> None:
        """Shown part by part, one a turn of the event loop: all at once takes longer than a blink."""
        if result.run_id != self.run_id:
            self._tasks.start(partial(_let_go_of, [result]), _nothing, _nothing)
            return
        self._steps = deque(
            partial(step, result) for step in (self._show_words, self._show_figures, self._show_examples, self._show_page)
        )
        self._turn.start()

    @Slot()
    def _next_step(self) -> None:
        if self._steps:
            self._steps.popleft()()
        if not self._steps:
            self._turn.stop()

    def _show_words(self, result: ResultData) -> None:
        self._others = result.others
        report = result.report
        self.bar.set_words(report.title, subtitle(report, self._now()))
        answer = report.answer
        label = f"Not reviewed: {report.label}" if report.label else ""
        limits = " ".join(part for part in (label, *answer.limits, *report.notes) if part)
        self.answer.show_answer(answer.headline, answer.reason, limits, Tone(answer.tone.value))
        self.models.set_views([report.candidates[place] for place in result.order])
        fit_table(self.models_table, MOST_MODELS)
        self.why.setVisible(bool(answer.runners_up or answer.arithmetic))

    def _show_figures(self, result: ResultData) -> None:
        report = result.report
        self._show_plot(report)
        self._show_causes(result)
        panels = latency_panels([report.candidates[place] for place in result.order])
        self.latency.show_panels(panels)
        self._latency_panel.setVisible(bool(panels))

    def _show_examples(self, result: ResultData) -> None:
        self.examples.show_result(result)

    def _show_page(self, result: ResultData) -> None:
        self.result = result
        self._stack.setCurrentIndex(1)
        self._enable()
        if self.isVisible():
            (self.why if self.why.isVisibleTo(self) else self.export).setFocus()

    def _not_loaded(self, error: Exception) -> None:
        self.waiting.set_sentence(str(sentence_for(error)))
        self._enable()

    def _show_plot(self, report: ReportData) -> None:
        # A model that did not come to its end is not compared with those that did.
        self._points = [
            view
            for view in report.candidates
            if view.interval is not None and view.judged and view.record.status is CandidateStatus.COMPLETED
        ]
        self.plot.show_points([plot_point(view) for view in self._points])
        lost = [view.name for view in self._points if view.footprint_mib is None]
        lost += [view.name for view in report.candidates if view not in self._points]
        self.unplaced.setText(f"Not placed: {', '.join(lost)}." if lost else "")
        self.unplaced.setVisible(bool(lost))

    def _show_causes(self, result: ResultData) -> None:
        report = result.report
        views = [report.candidates[place] for place in result.order]
        self.causes.show_rows([CauseRow(view.name, view.causes) for view in views])
        seen = {cause for view in views for cause, count in view.causes.items() if count}
        self.legend.set_causes([cause for cause in Cause if cause in seen])
        units = len(report.examples) * report.repetitions
        words = counted(len(report.examples), "example")
        self._causes_panel.title.setText(
            f"What became of the {words}" if report.repetitions == 1 else f"What became of {units:,} answers"
        )
        hint = near_miss_words(views)
        self.hints.setText(hint)
        self.hints.setVisible(bool(hint))
        self.near_link.setVisible(bool(hint))

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
            self._theme, self._desk, self._tasks, result, self.examples.neighbours, self.window()
        )
        dialog.edit_asked.connect(self._edit)
        dialog.show_example(row, candidate)
        dialog.open()

    @Slot()
    def open_why(self) -> None:
        if self.result is not None:
            WhyDialog(self._theme, self.result.report, self.window()).open()

    @Slot()
    def _fill_compare(self) -> None:
        """Other runs, those of the same pack first; read with the result."""
        self.compare_menu.clear()
        for run in self._others:
            words = f"{moment(run.started_at, self._now())} · {run.pack_name} · {', '.join(run.candidates)}"
            action = self.compare_menu.addAction(one_line(words, 90).replace("&", "&&"))
            action.setData(run.id)
            action.triggered.connect(self._compare_chosen)
        self.compare_menu.addSeparator()
        today = self.compare_menu.addAction("These answers, scored by the pack as it is now")
        today.triggered.connect(self.compare_with_pack_today)
        if not self._others:
            self.compare_menu.addAction("There is no other run").setEnabled(False)

    @Slot()
    def _compare_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.compare_with(str(action.data()))

    def compare_with(self, run_id: str) -> None:
        """The other run is the one before; this one the one after."""
        result = self.result
        if result is None:
            return
        present = result.report

        def read(_cancel: CancelToken) -> tuple[ReportData, Comparison]:
            other = self._desk.report(run_id)
            return other, compare(other, present)

        self._tasks.start(read, self._compared, self._not_compared)

    @Slot()
    def compare_with_pack_today(self) -> None:
        """What a corrected pack makes of the answers that are there; no model is run."""
        result = self.result
        if result is None:
            return

        def read(_cancel: CancelToken) -> tuple[ReportData, ReportData, Comparison]:
            corrected = self._desk.report_by_pack_today(result.run_id)
            return result.report, corrected, compare(result.report, corrected)

        self._tasks.start(read, self._rejudged, self._not_compared)

    def _rejudged(self, found: tuple[ReportData, ReportData, Comparison]) -> None:
        before, after, comparison = found
        dialog = CompareDialog(self._theme, before, after, comparison, now=self._now, parent=self.window())
        dialog.setWindowTitle("Scored by the pack as it is now")
        dialog.open()

    def _compared(self, found: tuple[ReportData, Comparison]) -> None:
        if self.result is not None:
            other, comparison = found
            CompareDialog(
                self._theme, other, self.result.report, comparison, now=self._now, parent=self.window()
            ).open()

    def _not_compared(self, error: Exception) -> None:
        self.hints.setText(str(sentence_for(error)))
        self.hints.show()

    @Slot()
    def open_figures(self) -> None:
        if self.result is not None:
            FiguresDialog(self._theme, self.result, self.window()).open()

    @Slot()
    def open_export(self) -> None:
        if self.result is not None:
            ExportDialog(self._theme, self._desk, self._tasks, self.result.report, self.window()).open()

    @Slot(int)
    def _point_chosen(self, index: int) -> None:
        """A point leads to its wrong examples."""
        if self.result is None:
            return
        name = self._points[index].name
        self.examples.show_wrong_of(self.result.names.index(name))

    @Slot()
    def _show_near(self) -> None:
        self.examples.show_near_misses()

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
        self._upper.setSpacing(px(12))
        self._plot_panel.setMinimumHeight(px(280))
        self.examples.setMinimumHeight(px(88) + self._theme.row_height() * 6)
        fit_table(self.models_table, MOST_MODELS)



def _let_go_of(held: list[ResultData], _cancel: CancelToken) -> None:
    let_go(held)


def _nothing(_outcome: object) -> None:
    """There is nothing to show for it."""
