"""What a command may use, handed in by the composition root."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.application.services import Services
from desktop.cli.terminal import Terminal
from desktop.foundation.paths import Paths

if TYPE_CHECKING:
    from desktop.reports.renderers import Renderers


@dataclass(frozen=True, slots=True)
class Context:
    """now: UTC. The callables import what they need when called, so
    that a command pays only for what it uses."""

    terminal: Terminal
    services: Services
    log_file: Path | None
    now: Callable[[], datetime]
    renderers: Callable[[], Renderers]
    """Every kind of report, PDF included where Qt is there."""
    open_window: Callable[[Sequence[str]], int]
    """Opens the window with these paths; returns its exit code. Raises AppError without a display."""
    check_window: Callable[[], str]
    """Opens a window that nobody sees and closes it again; says what was opened. Raises AppError."""

    @property
    def paths(self) -> Paths:
        return self.services.paths
