"""The button "Compare with…": the shown result against another run, or against itself as it was recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.application.wording import moment
from desktop.foundation.cancel import CancelToken
from desktop.foundation.cycle_search import CycleSearch
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.result.compare_dialog import CompareDialog
from desktop.gui.runs.result.comparison import RunComparison, compare
from desktop.gui.runs.result.result_data import MANY_UNITS, without_units
from desktop.gui.theme import Theme
from desktop.reports.data import ReportData
from desktop.reports.text import one_line
from desktop.runs.records import RunSummary

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

JUDGED_TODAY = "Scored by the pack as it is now"


class Comparing(QObject):
    """Owns the menu; dialogs open over the window of `owner`."""

    refused = Signal(str)
    """A sentence: the other run cannot be read."""

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        owner: QWidget,
        *,
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(owner)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._owner = owner
        self._now = now
        self._present: ReportData | None = None
        self._others: tuple[RunSummary, ...] = ()
        self.menu = QMenu(owner)
        self.menu.aboutToShow.connect(self._fill)

    def show_others(self, present: ReportData | None, others: Sequence[RunSummary] = ()) -> None:
        """present: the result on the screen. others: of the same pack first."""
        self._present = present
        self._others = tuple(others)

    @Slot()
    def _fill(self) -> None:
        self.menu.clear()
        for run in self._others:
            message = f"{moment(run.started_at, self._now())} · {run.pack_name} · {', '.join(run.candidates)}"
            action = self.menu.addAction(one_line(message, 90).replace("&", "&&"))
            action.setData(run.id)
            action.triggered.connect(self._chosen)
        if not self._others:
            self.menu.addAction("There is no other run").setEnabled(False)

    @Slot()
    def _chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.compare_with(str(action.data()))

    def compare_with(self, run_id: str) -> None:
        """The other run is the one before; this one the one after."""
        present = self._present
        if present is None:
            return

        def read(_cancel: CancelToken) -> tuple[ReportData, ReportData, RunComparison]:
            large = len(present.units) > MANY_UNITS
            with CycleSearch.paused(keep=large):
                held = [self._service.report(run_id)]
                comparison = compare(held[0], present)
                return without_units(held), present, comparison

        self._tasks.start(read, self._compared, self._refused)

    def compare_judgements(self, recorded: ReportData, today: ReportData) -> None:
        """The same answers, as they were judged and by the pack as it is now."""

        def read(_cancel: CancelToken) -> tuple[ReportData, ReportData, RunComparison]:
            return recorded, today, compare(recorded, today)

        self._tasks.start(read, self._judgements, self._refused)

    def _judgements(self, found: tuple[ReportData, ReportData, RunComparison]) -> None:
        self._open(found).setWindowTitle(JUDGED_TODAY)

    def _compared(self, found: tuple[ReportData, ReportData, RunComparison]) -> None:
        if self._present is not None:
            self._open(found)

    def _open(self, found: tuple[ReportData, ReportData, RunComparison]) -> CompareDialog:
        before, after, comparison = found
        dialog = CompareDialog(
            self._theme, before, after, comparison, now=self._now, parent=self._owner.window()
        )
        dialog.open()
        return dialog

    def _refused(self, error: Exception) -> None:
        self.refused.emit(str(sentence_for(error)))
