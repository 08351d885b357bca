"""Memory of a server on this computer that is not ours: of the engine that listens and what it started."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

import psutil

from desktop.inference.backends.base import MemorySample
from desktop.inference.backends.engine_child import HIDDEN_VERB
from desktop.inference.backends.engine_programs import engine_of

_MIB = 2**20
_LOOK_AGAIN_S = 2.0


class ServerMemory:
    """Resident memory of the engine listening on the server's port and of its descendants.

    By port, since a file called `ollama.txt` in an editor is no server. A listener that is no known engine may
    pass requests on, so that its own memory is not the model's: then only engines that it started count. Where
    the listener belongs to another user, whose ports are not told, by the names of programs in `names`. The
    peak is the highest of the samples. Any thread may ask; one at a time.
    """

    def __init__(
        self, url: str, names: Sequence[str] = (), monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._names = tuple(names)
        parts = urlsplit(url)
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._monotonic = monotonic
        self._listener: psutil.Process | None = None
        self._family: list[psutil.Process] = []
        self._looked_at: float | None = None
        self._highest_mib = 0.0

    def forget_peak(self) -> None:
        """Start anew, for the next model."""
        self._highest_mib = 0.0
        self._looked_at = None

    @property
    def unknown_because(self) -> str:
        """Why no memory can be told, as a sentence; '' when it can."""
        self._look_now_and_then()
        if self._family:
            return ""
        if self._listener is None:
            return "The server's process was not found on this computer, or belongs to another user."
        return (
            f"The program that listens there ({_name(self._listener) or 'unknown'}) is not known to run models"
            " itself: it may pass requests on, so its memory is not the model's."
        )

    def sample(self) -> MemorySample | None:
        """None when there is no engine, or it may not be asked (another user's process): `unknown_because`."""
        self._look_now_and_then()
        used = sum(_resident(process) for process in self._family) / _MIB
        if used <= 0:
            return None
        self._highest_mib = max(self._highest_mib, used)
        names = ", ".join(sorted({name for process in self._family if (name := _name(process))}))
        method = f"resident memory of the server's processes ({names}); peak is the highest of the samples"
        return MemorySample(used, self._highest_mib, method)

    def _look_now_and_then(self) -> None:
        now = self._monotonic()
        if self._looked_at is None or now - self._looked_at >= _LOOK_AGAIN_S:
            self._look()
            self._looked_at = now

    def _look(self) -> None:
        if self._listener is None or not self._listener.is_running():
            self._listener = _listener_on(self._port)
        roots = _engines_at(self._listener) if self._listener is not None else _named(self._names)
        family: dict[int, psutil.Process] = {}
        for root in roots:
            family[root.pid] = root
            with contextlib.suppress(psutil.Error):
                family.update((child.pid, child) for child in root.children(recursive=True))
        self._family = list(family.values())


def _engines_at(listener: psutil.Process) -> list[psutil.Process]:
    """The listener if it is an engine; else the engines that it started, as llama-swap does."""
    if _is_engine(listener):
        return [listener]
    try:
        return [child for child in listener.children(recursive=True) if _is_engine(child)]
    except psutil.Error:
        return []


def _is_engine(process: psutil.Process) -> bool:
    try:
        command_line = process.cmdline()
    except psutil.Error:
        command_line = []
    # Another window's or command's built-in engine, asked as a server.
    return HIDDEN_VERB in command_line[1:4] or engine_of(_name(process), command_line) is not None


def _listener_on(port: int) -> psutil.Process | None:
    try:
        for connection in psutil.net_connections(kind="tcp"):
            if _is_listener(connection, port) and connection.pid:
                return psutil.Process(connection.pid)
    except psutil.Error:
        # macOS tells only about a person's own processes, and only one by one.
        return next((process for process in psutil.process_iter() if _listens(process, port)), None)
    return None


def _named(names: Sequence[str]) -> list[psutil.Process]:
    """Processes whose program, not whose arguments, is called so."""
    if not names:
        return []
    wanted = {*names, *(f"{name}.exe" for name in names)}
    return [process for process in psutil.process_iter() if _name(process).lower() in wanted]


def _listens(process: psutil.Process, port: int) -> bool:
    try:
        connections = process.net_connections(kind="tcp")
    except psutil.Error:
        return False
    return any(_is_listener(entry, port) for entry in connections)


def _is_listener(connection: Any, port: int) -> bool:
    return connection.status == psutil.CONN_LISTEN and bool(connection.laddr) and connection.laddr[1] == port


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.Error:
        return ""


def process_memory_mib(table: str, hints: Iterable[str]) -> int:
    """The task-pack format's own rule (section 15.2): MiB of all lines of a process table that name a hint.

    table: lines of 'KIB COMMAND LINE'; other lines are passed over. Rounded half up. Only for results that
    must be comparable with others of that rule: `ServerMemory` does not count an editor with such a file.
    """
    wanted = [hint.lower() for hint in hints]
    total = sum(kib for kib, command in _rows(table) if any(hint in command for hint in wanted))
    return math.floor(total / 1024 + 0.5)


def _rows(table: str) -> Sequence[tuple[int, str]]:
    rows = []
    for line in table.splitlines():
        number, _, command = line.strip().partition(" ")
        if number.isascii() and number.isdigit() and command.strip():
            rows.append((int(number), command.lower()))
    return rows
