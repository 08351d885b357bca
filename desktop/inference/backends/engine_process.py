"""Starts, watches and ends the engine child. Plain threads and a plain process, bound to no event loop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

from desktop.foundation.child_environment import child_environment
from desktop.inference.backends.base import BackendFault, FaultKind
from desktop.inference.backends.engine_child import HIDDEN_VERB
from desktop.inference.backends.engine_faults import exit_fault, load_fault
from desktop.inference.backends.engine_settings import EngineSettings
from desktop.inference.backends.memory_limits import OutOfMemoryWatch

log = logging.getLogger(__name__)

_KEPT_LINES = 200
_LINE_BYTES = 4096
_PROGRAM_FOLDER = Path(__file__).resolve().parents[2]
_POLL_S = 0.005
_END_WAIT_S = 5.0


class EngineProcess:
    """One engine child with one model. Made by `start`; `end` frees everything and can be called any time.

    address: 'http://127.0.0.1:PORT'. api_key: only this process and its child know it.
    """

    def __init__(self, model_name: str, settings: EngineSettings) -> None:
        """Start the child; the model is loading when this returns. Raises BackendFault when it cannot start."""
        self.model_name = model_name
        self.api_key = secrets.token_urlsafe(32)
        self.settings = replace(settings, api_key=self.api_key)
        self.address: str | None = None
        self.version = ""
        self.system = ""
        self.load_ms: float | None = None
        self._events: SimpleQueue[dict[str, object] | None] = SimpleQueue()
        self._message: deque[str] = deque(maxlen=_KEPT_LINES)
        self._memory_watch = OutOfMemoryWatch()
        self.killed_by_us = False
        try:
            self._process = subprocess.Popen(
                child_command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=child_environment(),
                # From source the package is found from its own folder, whatever the current one is.
                cwd=None if is_frozen() else _PROGRAM_FOLDER,
                creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
                | getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise BackendFault(
                FaultKind.NOT_SUPPORTED,
                "The engine's process could not be started.",
                "Close other programs and try again.",
                detail=str(error),
            ) from error
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._readers = (
            threading.Thread(target=self._read_events, args=(self._process.stdout,), name="engine-events"),
            threading.Thread(target=self._read_text, args=(self._process.stderr,), name="engine-words"),
        )
        for reader in self._readers:
            reader.daemon = True
            reader.start()
        with contextlib.suppress(OSError):
            self._process.stdin.write(self.settings.to_line())
            self._process.stdin.flush()

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def usable(self) -> bool:
        """Alive and not about to end by our own doing."""
        return not self.killed_by_us and self.alive()

    async def wait_until_ready(self, timeout_s: float) -> None:
        """Returns when the model is loaded. Raises BackendFault with the reason; the child is ended then."""
        deadline = time.monotonic() + timeout_s
        try:
            while self.address is None:
                event = self._next_event()
                if event is None:
                    if time.monotonic() > deadline:
                        raise BackendFault(
                            FaultKind.TIMED_OUT,
                            f"{self.model_name}: loading took longer than {timeout_s:.0f} seconds.",
                            "Allow more time for loading in the run's settings, or choose a smaller model.",
                        )
                    await asyncio.sleep(_POLL_S)
                    continue
                self._take(event)
        except BaseException:
            await self.end()
            raise

    def _next_event(self) -> dict[str, object] | None:
        try:
            event = self._events.get_nowait()
        except Empty:
            return None
        if event is None:
            code = self._exit_code_soon()
            raise load_fault(self.model_name, self.message(), code, memory_was_short=self.memory_was_short())
        return event

    def _take(self, event: dict[str, object]) -> None:
        match event:
            case {"event": "engine", "version": str(version), "system": str(system)}:
                self.version, self.system = version, system
            case {"event": "ready", "address": str(address), "load_ms": float(load_ms)}:
                self.address, self.load_ms = address, load_ms
            case {"event": "failed", "message": str(message)}:
                self._finish_reading()
                raise load_fault(self.model_name, self.message() or message, None)
            case _:
                log.warning("engine event not understood: %.200r", event)

    async def fault_if_gone(self, patience_s: float = 1.0) -> BackendFault | None:
        """Why the child went away; None when it is still there after `patience_s`. For a stream that broke."""
        deadline = time.monotonic() + patience_s
        while self.alive():
            if time.monotonic() > deadline:
                return None
            await asyncio.sleep(_POLL_S)
        self._finish_reading()
        code = self._process.returncode
        return exit_fault(self.model_name, self.message(), code, memory_was_short=self.memory_was_short())

    def message(self) -> str:
        """The last lines of the engine's own log."""
        return "\n".join(self._message)

    def memory_was_short(self) -> bool:
        return self._memory_watch.ran_out()

    def kill(self) -> None:
        """End the child at once; does not wait. The engine cannot be taken down in good order (it may hang)."""
        self.killed_by_us = True
        with contextlib.suppress(OSError):
            self._process.kill()

    async def end(self) -> None:
        """Kill the child and wait until its memory is free. Never raises, can be repeated.

        Done in full even when the caller is cancelled meanwhile.
        """
        self.kill()
        await asyncio.shield(asyncio.ensure_future(self._wait_for_end()))

    def end_now(self) -> None:
        """As `end`, for callers without an event loop; waits up to five seconds."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_WAIT_S)
        self._clean_up()

    async def _wait_for_end(self) -> None:
        deadline = time.monotonic() + _END_WAIT_S
        # Polled: waiting for a process is bound to a loop or a thread of its own on every system.
        while self.alive() and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(_POLL_S)
        self._clean_up()

    def _clean_up(self) -> None:
        self._finish_reading()
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def _finish_reading(self) -> None:
        for reader in self._readers:
            reader.join(timeout=1.0)

    def _exit_code_soon(self) -> int | None:
        try:
            return self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self._finish_reading()

    def _read_events(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(_LINE_BYTES):
                try:
                    event = json.loads(line)
                except ValueError:
                    log.warning("engine said something that is no event: %.200r", line)
                    continue
                if isinstance(event, dict):
                    self._events.put(event)
        self._events.put(None)

    def _read_text(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(_LINE_BYTES):
                text = line.decode("utf-8", "replace").rstrip()
                if text:
                    self._message.append(text)
                    # The engine's error lines name no prompts.
                    log.info("engine %s: %s", self._process.pid, text)


def is_frozen() -> bool:
    return bool(getattr(sys, "frozen", False))


def child_command() -> list[str]:
    """How this program starts itself as an engine child."""
    if is_frozen():
        return [sys.executable, HIDDEN_VERB]
    return [sys.executable, "-m", "desktop", HIDDEN_VERB]
