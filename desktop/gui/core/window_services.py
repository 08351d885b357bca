"""What the places are handed: the program's services, made once at start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib.resources.abc import Traversable
from pathlib import Path

from desktop.foundation.paths import Paths
from desktop.foundation.settings import SettingsFile
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.theme import Theme
from desktop.inference.machine.machine import MemoryReading, ProcessorReading


@dataclass(frozen=True, slots=True)
class WindowServices:
    """now: with a time zone. samples: the folder of sample packs. The readers may block for some 10 ms."""

    paths: Paths
    settings: SettingsFile
    theme: Theme
    tasks: TaskRunner
    now: Callable[[], datetime]
    samples: Callable[[], Traversable]
    read_memory: Callable[[], MemoryReading]
    read_processor: Callable[[], ProcessorReading]
    log_file: Path | None = None
