"""A built program started again and again in folders of its own, with nothing of this environment around it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from desktop.foundation.crash_reports import PREFIX, SUFFIX  # noqa: E402
from desktop.gui.shell.single_instance import SECRET_FILE, proof  # noqa: E402

PATIENCE_S = 60.0
_POLL_S = 0.02
ONCE = "0123456789abcdef"
"""What a greeting of ours is proven for."""
UNPACKED = "_MEI*"


class Fault(Exception):
    """The program did not do what is right; the words say what."""


def bare_environment(home: Path, path: Path) -> dict[str, str]:
    """Nothing of this environment but what a desktop always sets; `path` is the whole search path."""
    keep = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
    return {**keep, "HOME": str(home), "USERPROFILE": str(home), "PATH": str(path), "LANG": "C.UTF-8"}


def demand(right: object, message: str) -> None:
    """Raises Fault with the words unless it is right."""
    if not right:
        raise Fault(message)


def wait_for(condition: Callable[[], object], what: str, seconds: float = PATIENCE_S) -> None:
    """Look until the condition holds. Raises Fault when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Fault(f"Waited {seconds:.0f} s in vain: {what}.")
        time.sleep(_POLL_S)


class Trial:
    """One person's home and temporary folder. command: how the program is started."""

    def __init__(
        self, command: Sequence[str], folder: Path, *, temporary: Path | None = None, user: int | None = None
    ) -> None:
        self.command = list(command)
        self.folder = folder
        self.user = user
        self.home = folder / "home"
        self.temporary = temporary or folder / "temporary"
        # A window's socket needs a place with a short name; a real home has one.
        self.runtime = Path(tempfile.mkdtemp(prefix="pb"))
        weakref.finalize(self, shutil.rmtree, self.runtime, ignore_errors=True)
        for made in (self.home, self.temporary, folder / "path", self.runtime):
            made.mkdir(parents=True, exist_ok=True)
            if user is not None and made != temporary:
                os.chown(made, user, user)
        self.environment = {
            **bare_environment(self.home, folder / "path"),
            "PACKBENCH_HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "QT_QPA_PLATFORM": "offscreen",
        }

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def journal(self) -> Path:
        return self.home / "data" / "runs.db"

    def run(
        self, *arguments: str, around: Sequence[str] = (), more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end. around: what it is started by. Raises Fault when it shows a traceback."""
        ended = subprocess.run(
            [*around, *self.command, *arguments],
            cwd=self.folder,
            env={**self.environment, **(more or {})},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S * 5,
            check=False,
            **self._as_user(),
        )
        demand("Traceback" not in ended.stderr + ended.stdout, f"A traceback was shown: {ended.stderr}")
        return ended

    @contextlib.contextmanager
    def window(self, *arguments: str, around: Sequence[str] = ()) -> Iterator[Window]:
        """An open window that later starts can reach; ended with the block at the latest."""
        before = self.sockets()
        process = subprocess.Popen(
            [*around, *self.command, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **self._as_user(),
        )
        window = Window(self, process)
        try:
            wait_for(lambda: self.sockets() - before or process.poll() is not None, "the window did not open")
            demand(process.poll() is None, f"The window ended at once with {process.returncode}.")
            self._greet(next(iter(self.sockets() - before))[0])
            yield window
        finally:
            window.kill()
            assert process.stderr is not None
            process.stderr.close()

    def _greet(self, place: Path) -> None:
        """As a second start without paths does: the answer comes from the window's own loop."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE_S)
            line.connect(str(place))
            kept = [self.home / "data" / SECRET_FILE, *self.runtime.glob("*.secret")]
            secret = next(file for file in kept if file.is_file()).read_bytes()
            greeting = {"once": ONCE, "proof": proof(secret, "start", ONCE)}
            line.sendall(json.dumps(greeting).encode() + b"\n")
            proven = line.recv(100) == proof(secret, "window", ONCE).encode() + b"\n"
            demand(proven, "The window does not prove to a second start who it is.")
            line.sendall(b"[]\n")
            demand(line.recv(100) == b"ok\n", "The window does not answer a second start.")

    def sockets(self) -> frozenset[tuple[Path, int]]:
        """Where windows of this person listen, and since when: one that was left behind is made anew."""
        own = self.user if self.user is not None else os.getuid()
        places = [self.home / "data" / "window.socket", *self.runtime.glob("packbench-*")]
        states = [(path, path.stat()) for path in places if path.is_socket()]
        return frozenset((path, state.st_mtime_ns) for path, state in states if state.st_uid == own)

    def recent(self) -> list[str]:
        """Packs that a window has opened, newest first, as its settings have them."""
        file = self.home / "config" / "settings.json"
        if not file.is_file():
            return []
        recent: list[str] = json.loads(file.read_text("utf-8"))["recent"]
        return recent

    def unpacked(self) -> list[Path]:
        return sorted(self.temporary.glob(UNPACKED))

    def traces(self) -> list[Path]:
        """Crash files of processes that run, or that are gone and were not told of yet."""
        return sorted(self.logs.glob(f"{PREFIX}*{SUFFIX}"))

    def _as_user(self) -> dict[str, Any]:
        return {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}


class Window:
    def __init__(self, trial: Trial, process: subprocess.Popen[str]) -> None:
        self.trial = trial
        self.process = process

    def inner(self) -> int:
        """The process that has the window: the one-file program starts itself a second time."""
        wait_for(self.trial.traces, "the program keeps no crash file")
        return int(self.trial.traces()[-1].name.removeprefix(PREFIX).removesuffix(SUFFIX))

    def close(self) -> int:
        """Ask it to close, as the system does at its end. Returns the exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        """End every process of this start at once, in no good order."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)


def small_disk(folder: Path, kilobytes: int, *, read_only: bool = False) -> list[str]:
    """A command prefix: `folder` on a disk of this size, empty at first, and listed at the end on its standard
    output; or, read-only, as it is. Empty where that cannot be had (only the superuser on Linux may).
    """
    tools = {name: shutil.which(name) for name in ("unshare", "mount", "ls")}
    if sys.platform != "linux" or os.geteuid() != 0 or not all(tools.values()):
        return []
    mount = f'"{tools["mount"]}" '
    mount += (
        f'--bind -o ro "{folder}" "{folder}"'
        if read_only
        else f'-t tmpfs -o size={kilobytes}k,mode=1777 tmpfs "{folder}"'
    )
    script = f'{mount} && "$@"; code=$?; "{tools["ls"]}" -A "{folder}"; exit $code'
    if read_only:
        script = f'{mount} && exec "$@"'
    return [str(tools["unshare"]), "--mount", "/bin/sh", "-c", script, "sh"]
