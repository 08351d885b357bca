"""The pictures of a result: right answers against memory, and what became of the examples of every model."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.application.wording import counted
from desktop.gui.runs.result.result_data import ResultData
from desktop.gui.runs.result.result_text import near_miss_text
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button, LinkButton
from desktop.gui.widgets.cause_cells import CauseLegend
from desktop.gui.widgets.causes_bar import CauseRow, CausesBar
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.quality_plot_view import QualityPlot
from desktop.reports.data import CandidateView, ReportData
from desktop.reports.quality_plot import plot_point
from packs.task.outcome import Cause


class ResultFigures(QWidget):
    """Two panels side by side."""

    model_chosen = Signal(int)
    """Position in the run of the model whose point was chosen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self._points: list[CandidateView] = []
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

        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._plot_panel, 1)
        self._row.addWidget(self._causes_panel, 1)
        self.plot.point_chosen.connect(self._point_chosen)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_result(self, result: ResultData) -> None:
        self._names = result.names
        self._show_plot(result.report)
        self._show_causes(result)

    def _show_plot(self, report: ReportData) -> None:
        # A model that did not come to its end is not compared with those that did.
        self._points = [
            view
            for view in report.candidates
            if view.interval is not None and view.judged and not view.record.ended_early
        ]
        self.plot.show_points([plot_point(view) for view in self._points])
        lost = [view.name for view in self._points if view.footprint_mib is None]
        lost += [view.name for view in report.candidates if view not in self._points]
        # An empty plot says nothing; that there is nothing to place is one sentence.
        self.plot.setVisible(bool(self._points))
        message = f"Not placed: {', '.join(lost)}." if lost else ""
        if not self._points:
            message = (
                f"No model came to its end with answers, so there is nothing to compare. {message}".strip()
            )
        self.unplaced.setText(message)
        self.unplaced.setVisible(bool(message))

    def _show_causes(self, result: ResultData) -> None:
        report = result.report
        views = [report.candidates[place] for place in result.order]
        self.causes.show_rows([CauseRow(view.name, view.causes) for view in views])
        seen = {cause for view in views for cause, count in view.causes.items() if count}
        self.legend.set_causes([cause for cause in Cause if cause in seen])
        units = len(report.examples) * report.repetitions
        message = counted(len(report.examples), "example")
        self._causes_panel.title.setText(
            f"What became of the {message}" if report.repetitions == 1 else f"What became of {units:,} answers"
        )
        hint = near_miss_text(views)
        self.hints.setText(hint)
        self.hints.setVisible(bool(hint))
        self.near_link.setVisible(bool(hint))

    @Slot(int)
    def _point_chosen(self, index: int) -> None:
        """A point leads to its wrong examples."""
        self.model_chosen.emit(self._names.index(self._points[index].name))

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._theme.px(12))
        self._plot_panel.setMinimumHeight(self._theme.px(280))
