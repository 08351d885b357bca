"""The live view of the run at work: what happens now, how every candidate stands, what is being written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from desktop.application.live_run import Changes, EventLine, LiveRun
from desktop.application.wording import clock, counted, remaining, so_far
from desktop.gui.runs.live import candidates_model as columns
from desktop.gui.runs.live.being_written import BeingWritten
from desktop.gui.runs.live.candidates_model import CandidatesModel
from desktop.gui.runs.live.controller import QueuedRun, RunsController
from desktop.gui.runs.live.events_model import EventsModel
from desktop.gui.runs.live.events_view import EventsView
from desktop.gui.runs.live.matrix_panel import MatrixPanel
from desktop.gui.runs.live.queue_strip import QueueStrip
from desktop.gui.theme import Theme, Tone
from desktop.gui.theme.strokes import hline
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.cause_cells import CauseCells
from desktop.gui.widgets.cause_counts import CauseCountsDelegate
from desktop.gui.widgets.fit_table import fit_table
from desktop.gui.widgets.interval import IntervalDelegate
from desktop.gui.widgets.panel import PageBar, Panel
from desktop.gui.widgets.progress_line import ProgressLine
from desktop.gui.widgets.state_delegate import StateDelegate
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import Run, Runs, RunsDelegate

Texts = Mapping[str, tuple[str, str]]
"""example -> (input, expected) as text."""

MAX_ROWS = 8
"""Candidates that are seen without scrolling."""

NOTHING_YET = "Nothing is being written at the moment."
NOTHING_MORE = "The run is over. What is finished is kept: it is listed under History."


class Strip(QWidget):
    """Paper under the page bar, closed by a hairline."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.panel))
        hline(painter, 0, self.width(), self.height() - 1, tokens.border)
        painter.end()


class LiveView(QWidget):
    """Follows one run at a time; `follow` begins with another."""

    back = Signal()
    """To the list of runs; the run goes on."""

    def __init__(
        self,
        theme: Theme,
        controller: RunsController,
        *,
        monotonic: Callable[[], float],
        parent: QWidget | None = None,
    ) -> None:
        """monotonic: seconds by the clock that `Activity.since` is of."""
        super().__init__(parent)
        self._theme = theme
        self.controller = controller
        self._monotonic = monotonic
        self._run: QueuedRun | None = None
        self._texts: Texts = {}
        self._stopping = ""

        self.bar = PageBar(theme, "Run")
        self.history = Button(theme, "H&istory", icon="clock")
        self.pause = Button(theme, "P&ause", icon="pause")
        self.skip_model = Button(theme, "Skip &model", icon="skip")
        self.stop = Button(theme, "&Stop", icon="stop")
        self.skip_unit = Button(theme, "Skip e&xample", icon="skip")
        self.bar.add(self.history)
        self.bar.add(self.pause)
        self.bar.add(self.skip_unit)
        self.bar.add(self.skip_model)
        self.bar.add(self.stop)

        self.progress = ProgressLine(theme)
        self._strip = Strip(theme)
        self._strip_layout = QVBoxLayout(self._strip)
        self._strip_layout.addWidget(self.progress)

        self.model = CandidatesModel(self)
        self.table = Table(theme, "Candidates of the run")
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setModel(self.model)
        runs = RunsDelegate(theme, self.table)
        for column in (columns.NAME, columns.MEMORY):
            self.table.use_delegate(column, runs)
        self.table.use_delegate(columns.STATE, StateDelegate(theme, self.table))
        self.table.use_delegate(columns.INTERVAL, IntervalDelegate(theme, self.table))
        self.table.use_delegate(columns.CAUSES, CauseCountsDelegate(theme, CauseCells(theme), self.table))
        self.table.set_widths((24, 19.5, 9, 14.5, 18, None, 9, 8, 22))
        self.queue = QueueStrip(theme, controller, waiting_only=True)
        table_panel = Panel(theme, padding=0)
        table_panel.body.addWidget(self.table)

        self.matrix = MatrixPanel(theme)
        self.writing = BeingWritten(theme)
        self.events_model = EventsModel(self)
        self.events = EventsView(theme, self.events_model)
        events_panel = Panel(theme, "Events", padding=0, ruled=True)
        events_panel.body.addWidget(self.events)

        self._lower = QSplitter(Qt.Orientation.Horizontal)
        self._lower.setChildrenCollapsible(False)
        self._lower.addWidget(self.writing)
        self._lower.addWidget(events_panel)
        self._lower.setStretchFactor(0, 3)
        self._lower.setStretchFactor(1, 2)
        # Else the parts of an answer that are hidden between two models would decide.
        self._lower.setSizes([3000, 2000])

        self._page = QVBoxLayout()
        self._page.addWidget(self.queue)
        self._page.addWidget(table_panel)
        self._page.addWidget(self.matrix)
        self._page.addWidget(self._lower, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addWidget(self._strip)
        outer.addLayout(self._page, 1)

        self.history.clicked.connect(self.back)
        self.pause.clicked.connect(self._pause)
        self.skip_model.clicked.connect(self._skip_model)
        self.skip_unit.clicked.connect(self._skip_unit)
        self.stop.clicked.connect(self._stop)
        controller.begun.connect(self._begun)
        controller.changed.connect(self._changed)
        self._seconds = QTimer(self)
        self._seconds.setInterval(1000)
        self._seconds.timeout.connect(self._report_progress)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def run(self) -> QueuedRun | None:
        return self._run

    def follow(self, run: QueuedRun) -> None:
        """Show this run from now on."""
        self._run = run
        self._texts = {}
        self._stopping = ""
        self.bar.set_text(f"Run of {run.title}")
        self.events_model.set_rows([])
        self.model.set_rows([])
        self.matrix.clear()
        self.writing.show_nothing(NOTHING_YET)
        self._show_all()
        self._seconds.start()

    def show_texts(self, texts: Texts) -> None:
        """Inputs and expected values of the examples, once they have been read."""
        self._texts = texts
        self._report_writing()

    def rest(self) -> None:
        """The run is over: no more counting."""
        self._seconds.stop()
        self._report_progress()
        self._enable()

    def show_error(self, run: QueuedRun) -> None:
        """How the run ended when it could not be done at all."""
        if run is self._run:
            run.live.abort()
            self._show_all()
            self.events_model.add([EventLine(run.ended_at, "bad", "", run.error)])

    @property
    def live(self) -> LiveRun | None:
        return self._run.live if self._run is not None else None

    def _is_current(self) -> bool:
        return self._run is not None and self._run is self.controller.current

    @Slot()
    def _begun(self) -> None:
        if self._is_current():
            self._show_all()

    @Slot(object)
    def _changed(self, changes: Changes) -> None:
        live = self.live
        if live is None or not self._is_current():
            return
        if not changes.started:
            self.model.change({place: live.line(place) for place in changes.lines})
            self.matrix.set_cells(changes.cells)
        self.events_model.add(changes.events)
        if changes.writing:
            self._report_writing()
        if changes.paused or changes.finished or changes.started or changes.activity:
            self._enable()
        self._report_progress()

    def _show_all(self) -> None:
        live = self.live
        if live is None:
            return
        if live.candidates:
            shape = f"{counted(live.candidates, 'model')} × {counted(len(live.examples), 'example')}"
            self.bar.note.setText(f"{shape} × {live.repetitions}")
        self.model.set_rows([live.line(place) for place in range(live.candidates)])
        self._fit_table()
        self.matrix.show_run(live)
        self._report_writing()
        self._report_progress()
        self._enable()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_table()

    def _fit_table(self) -> None:
        fit_table(self.table, MAX_ROWS)

    def _report_writing(self) -> None:
        live = self.live
        if live is None:
            return
        writing = live.writing
        if writing is None:
            self.writing.show_nothing(NOTHING_MORE if live.over else NOTHING_YET)
            self.matrix.set_current(None)
            return
        given, expected = self._texts.get(writing.key.example, ("", ""))
        name = live.names[writing.key.candidate]
        self.writing.show_unit(writing, name, given, expected, at_work=not live.paused)
        position = live.position_of(writing.key.example)
        self.matrix.set_current(None if position is None else (writing.key.candidate, position))

    @Slot()
    def _report_progress(self) -> None:
        live = self.live
        if live is None:
            return
        done = live.units_done / live.units_total if live.units_total else None
        self.progress.show_state(self._now_text(live), self._time_text(live), done)

    def _now_text(self, live: LiveRun) -> Runs:
        if self._run is not None and self._run.error:
            return Runs((Run(self._run.error, tone=Tone.BAD),))
        if live.finished is not None:
            return Runs((Run(live.finished.message or f"The run is {live.finished.status}."),))
        if self._stopping:
            return Runs((Run(self._stopping),))
        if live.paused:
            return Runs((Run("Paused.", bold=True), Run(" The model stays in memory. Go on when you like.")))
        activity = live.activity
        if activity is None:
            return Runs((Run("Getting ready"),))
        seconds = clock(max(0.0, self._monotonic() - activity.since))
        tail = Run(f" ({seconds})", tone=Tone.MUTED)
        name = live.names[activity.candidate] if activity.candidate is not None and live.candidates else ""
        if name and activity.message.startswith(name):
            return Runs((Run(name, bold=True), Run(activity.message[len(name) :]), tail))
        message = activity.message[:1].upper() + activity.message[1:]
        return Runs((Run(message), tail))

    def _time_text(self, live: LiveRun) -> Runs:
        time = live.time
        if time is None:
            return Runs(())
        past = so_far(
            time.elapsed_s + max(0.0, self._monotonic() - live.time_at) * (not (live.paused or live.aborted))
        )
        if live.finished is not None or live.aborted:
            return Runs((Run(past, tone=Tone.MUTED),))
        return Runs((Run(f"{past} · "), Run(remaining(time.low_s, time.high_s), bold=True)))

    def _enable(self) -> None:
        live = self.live
        going = live is not None and live.finished is None and self._is_current() and not self._stopping
        paused = live is not None and live.paused
        self.pause.setText("Go &on" if paused else "P&ause")
        self.pause.set_sign("play" if paused else "pause")
        for button in (self.pause, self.skip_model, self.stop):
            button.setEnabled(going)
        writing = live is not None and live.writing is not None
        self.skip_unit.setEnabled(going and writing)

    @Slot()
    def _pause(self) -> None:
        self.controller.toggle_pause()

    @Slot()
    def _skip_model(self) -> None:
        self.controller.skip_candidate()

    @Slot()
    def _skip_unit(self) -> None:
        self.controller.skip_unit()

    @Slot()
    def _stop(self) -> None:
        self._stopping = "Stopping. What is finished is kept."
        self._enable()
        self._report_progress()
        self.controller.stop()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._strip_layout.setContentsMargins(px(16), px(12), px(16), px(10))
        self._page.setContentsMargins(px(16), px(12), px(16), px(12))
        self._page.setSpacing(px(12))
        self._lower.setHandleWidth(px(12))
        self._fit_table()
