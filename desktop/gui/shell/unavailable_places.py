"""Places that are not built yet. Each says in one line what will be there, and nothing more."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.gui.core.place import Place, RunsPlaceBase
from desktop.gui.theme import Theme
from desktop.gui.widgets.empty_state import EmptyState

MODELS = (
    "This computer and every model found on it will be listed here, with what each needs and how fast it is. "
    "Until then, “packbench models” prints the same on the command line."
)
RUNS = "Runs cannot be made in this copy of the window. “packbench run” makes them on the command line."


class LaterPlace(Place):
    def __init__(self, theme: Theme, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.empty = EmptyState(theme, sentence)
        layout = QVBoxLayout(self)
        layout.addWidget(self.empty)


class NoRunsPlace(RunsPlaceBase):
    """Stands in where the program was started without an engine."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.addWidget(EmptyState(theme, RUNS))

    def plan_run(self, folder: Path) -> None:
        pass

    def add_model(self, file: Path) -> None:
        pass

    def show_run(self, run_id: str) -> None:
        pass
