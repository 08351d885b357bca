"""Promise 6, local by proof: a whole run opens no connection but to this computer.

The command runs in a process of its own whose audit hook sees every connection and every name that is looked
up, whichever Python library asks. Native code of the engine is not seen by it: that the engine has no other
connection is told by the system's own table of sockets.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from desktop.inference.backends.base import GenerationRequest
from desktop.inference.backends.embedded import EmbeddedBackend

ROOT = Path(__file__).parents[2]
WATCH = '''
"""Read by every Python process that has this folder on its path, the engine's child included."""
import ipaddress, os, sys

def _local(address):
    if not isinstance(address, tuple):
        return True  # a socket of the file system
    try:
        return ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return address[0] == "localhost"

def _watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.bind"):
        address = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        address = (arguments[0], 0)
    else:
        return
    with open(os.environ["WATCHED"], "a", encoding="utf-8") as log:
        log.write(f"{event} {address!r}\\n")
    if not _local(address):
        raise PermissionError(f"{event} {address!r}")

sys.addaudithook(_watch)
'''


def watched(
    folder: Path, *command: str, **environment: str
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The finished process, and each connection, binding or look-up that it or its children tried."""
    (folder / "watch").mkdir()
    (folder / "watch" / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    log = folder / "watched.txt"
    log.touch()
    path = os.pathsep.join([str(folder / "watch"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "WATCHED": str(log), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done, log.read_text(encoding="utf-8").splitlines()


def test_that_the_watch_notices_another_computer(tmp_path: Path) -> None:
    ask = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    done, seen = watched(tmp_path, "-c", ask)
    assert done.returncode == 1
    assert "PermissionError" in done.stderr
    assert any("192.0.2.1" in line for line in seen)


@pytest.mark.engine
def test_that_a_whole_run_with_its_reports_speaks_to_this_computer_only(
    tmp_path: Path, starter_model: Path
) -> None:
    command = ["-m", "desktop", "run", "ticket-routing", "--model", str(starter_model), "--limit", "2"]
    done, seen = watched(
        tmp_path,
        *(*command, "--out", str(tmp_path / "out")),
        https_proxy="http://192.0.2.1:3128",  # a proxy in the environment is not asked either
        http_proxy="http://192.0.2.1:3128",
    )
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("socket.connect") for line in seen), "the watch saw nothing at all"
    assert [line for line in seen if "'127.0.0.1'" not in line and "'localhost'" not in line] == []
    assert {file.suffix for file in (tmp_path / "out").iterdir()} >= {".html", ".md"}


@pytest.mark.engine
def test_that_the_engine_has_no_socket_beyond_this_computer(starter_model: Path) -> None:
    async def sockets() -> list[str]:
        backend = EmbeddedBackend([], [starter_model])
        try:
            await backend.load(await backend.find(str(starter_model)), backend.default_settings(512))
            await backend.generate(GenerationRequest("Say yes.", 512, 4, 0.0, 1), lambda _: None)
            (engine,) = psutil.Process().children()
            entries = engine.net_connections(kind="inet")
            return [end.ip for entry in entries for end in (entry.laddr, entry.raddr) if end]
        finally:
            await backend.unload()

    assert set(asyncio.run(sockets())) == {"127.0.0.1"}
