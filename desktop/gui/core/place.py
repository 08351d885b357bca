"""What every place of the window is: a widget that the main window shows, asks and steers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget


class PlaceName(StrEnum):
    START = "start"
    PACK = "pack"
    MODELS = "models"
    RUNS = "runs"
    EVIDENCE = "evidence"


class Place(QWidget):
    """Base of the five places. All of it belongs to the GUI thread."""

    engine_said = Signal(str)
    """For the status line: 'idle', 'running SmolLM2-360M'."""
    sent_to = Signal(str)
    """A computer that this session sends examples to, from now on; the status line says so."""
    title_changed = Signal(str)
    """What the window's title says while this place is shown: 'Run of invoice-extraction'."""
    journal_changed = Signal()
    """A run began, ended, or was deleted: lists of recent things are to be read again."""

    def enter(self) -> None:
        """The window shows this place now: read again what may have changed meanwhile."""

    def panes(self) -> Sequence[QWidget]:
        """What F6 walks through, in reading order; each takes the focus or holds something that does."""
        return (self,)

    def title(self) -> str:
        return ""

    def actions_of_menu(self) -> Sequence[QAction]:
        """Entries that the menu Run shows for this place (Pause, Stop …)."""
        return ()

    def start_search(self) -> None:
        """Ctrl+F: put the focus into the place's search field, if it has one."""

    def close_question(self, then: Callable[[], None]) -> bool:
        """Is there something to be asked before the window closes?

        If so the place asks now, without blocking, calls `then` when it may close, and returns True.
        """
        return False

    def wind_down(self) -> None:
        """The window closes: stop timers, keep what is not kept yet."""


class RunsPlaceBase(Place):
    """The Runs place, as far as the others talk to it."""

    edit_asked = Signal(str, str)
    """Folder of a pack, and the example to show there ('' for the list of examples)."""

    def offer_resume(self) -> None:
        """The window has just opened: ask once whether a run that was left open is to be completed."""

    def come_back(self) -> None:
        """The window that had gone to the background is shown again."""

    def look_at_disk(self) -> None:
        """A pack may have been saved, here or by another program: does that judge otherwise what is shown?"""

    def plan_run(self, folder: Path) -> None:
        """Show the plan for this task pack."""
        raise NotImplementedError

    def add_model(self, file: Path) -> None:
        """A GGUF file that was dropped or chosen becomes one of the models of the plan, where there is one."""

    def show_run(self, run_id: str) -> None:
        """Show a run's result, or its live view while it goes on."""
        raise NotImplementedError
