"""What a run works with: engine, journal, listener, computer. Made by the composition root."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from desktop.inference.backends.base import Backend, BackendInfo
from desktop.runs.control import RunControl
from desktop.runs.events import RunEvent
from desktop.runs.journal.connection import utc_now
from desktop.runs.surroundings import Surroundings, ThisComputer


def ignore_event(event: RunEvent) -> None:
    """For runs that nobody watches."""


@dataclass(frozen=True, slots=True)
class RunSetup:
    """What a run works with. command: for the lock's holder and the report, as typed.

    machine: facts about this computer for the journal, plain JSON. memory_unknown_because: why the backend's
    memory cannot be measured, '' when it can.
    """

    backend: Backend
    journal: Path
    on_event: Callable[[RunEvent], None] = ignore_event
    control: RunControl = field(default_factory=RunControl)
    info: BackendInfo | None = None
    machine: dict[str, object] = field(default_factory=dict)
    memory_unknown_because: str = ""
    command: str = "packbench"
    surroundings: Surroundings = field(default_factory=ThisComputer)
    now: Callable[[], str] = utc_now
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
