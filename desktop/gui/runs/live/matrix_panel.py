"""The matrix of examples and candidates with the legend of the causes that occur so far."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from desktop.application.live_run import LiveRun
from desktop.gui.theme import Theme
from desktop.gui.widgets.cause_cells import CauseLegend
from desktop.gui.widgets.cause_matrix import CauseMatrix
from desktop.gui.widgets.panel import Panel
from packs.task.outcome import Cause

MAX_ROWS = 8
"""Candidates seen without scrolling."""


class MatrixPanel(Panel):
    """As high as its rows need, up to `MOST_ROWS`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self._theme = theme
        self._seen: set[Cause] = set()
        self.matrix = CauseMatrix(theme)
        self.legend = CauseLegend(theme)
        self.body.addWidget(self.matrix)
        self.body.addWidget(self.legend)
        theme.changed.connect(self._fit)
        self._fit()

    def clear(self) -> None:
        self._seen.clear()
        self.matrix.set_axes([], [])
        self.legend.set_causes([])
        self._fit()

    def show_run(self, live: LiveRun) -> None:
        """Everything anew from the state."""
        self._seen.clear()
        self.matrix.set_axes(live.names, live.examples)
        cells = {
            (candidate, position): cause
            for candidate in range(live.candidates)
            for position in range(len(live.examples))
            if (cause := live.cell(candidate, position)) is not None
        }
        self.set_cells(cells)
        self._fit()

    def set_cells(self, cells: Mapping[tuple[int, int], Cause]) -> None:
        if not cells:
            return
        self.matrix.set_cells((candidate, example, cause) for (candidate, example), cause in cells.items())
        new = set(cells.values()) - self._seen
        if new:
            self._seen |= new
            self.legend.set_causes(list(self._seen))

    def set_current(self, place: tuple[int, int] | None) -> None:
        if place is None:
            self.matrix.set_current(None, None)
        else:
            self.matrix.set_current(*place)

    @Slot()
    def _fit(self) -> None:
        hint = self.matrix.sizeHint().height()
        least = self.matrix.minimumSizeHint().height()
        # Rows beyond the most are scrolled to, so that the answer being written stays in view.
        rows_height = max(self._theme.px(24), self._theme.metrics().height() + self._theme.px(4))
        self.matrix.setFixedHeight(max(least, min(hint, self._theme.px(24) + rows_height * MAX_ROWS)))
