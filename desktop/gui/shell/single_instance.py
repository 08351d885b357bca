"""One window for one data folder: a second start hands its paths to the first and ends.

They meet at a local socket in a folder of the person's own, and each proves to the other that it can read the
secret which the first window keeps in the data folder: a program of somebody else can neither stand in for the
window nor speak to it. What comes over the socket is a list of paths and nothing else, and it is bounded.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from desktop.foundation.private_files import make_private_folder, touch_private

log = logging.getLogger(__name__)

MAX_BYTES = 64 * 1024
MAX_PATHS = 200
WAIT_MS = 1_000
MAX_PLACE_BYTES = 100
"""Of the whole place of a socket: 108 on Linux, 104 on macOS, and Qt listens at a place next to it first."""
SECRET_FILE = "window.secret"
_SECRET_BYTES = 32


def socket_places(data_folder: Path) -> list[str]:
    """Where a window of this data folder may listen, best first: the same for every start.

    In the data folder itself, else where the system keeps what runs for this user, else in the home folder: a
    socket's place must be short, and not every disk can hold one. Never in a folder that others may write to.
    """
    digest = _digest(data_folder)
    if os.name != "posix":
        return [f"packbench-{digest}"]
    places = [data_folder.absolute() / "window.socket"]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        places.append(Path(runtime) / f"packbench-{digest}")
    places.append(Path.home() / f".packbench-{digest}")
    return [
        str(place) for place in places if len(os.fsencode(place)) <= MAX_PLACE_BYTES and _ours(place.parent)
    ]


def _ours(folder: Path) -> bool:
    """Does the folder belong to this user, and may nobody else write to it?"""
    try:
        found = folder.stat()
    except OSError:
        return False
    others = stat.S_IWGRP | stat.S_IWOTH
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & others


def hand_over(data_folder: Path, paths: Sequence[str]) -> bool:
    """Give the paths to the window that is open already. False when there is none, or none that is ours."""
    secret = _read_secret(data_folder)
    if secret is None:
        return False
    absolute = [str(Path(path).absolute()) for path in paths[:MAX_PATHS]]
    return any(_handed(place, secret, absolute) for place in socket_places(data_folder))


def _handed(place: str, secret: bytes, paths: list[str]) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(place)
    if not socket.waitForConnected(WAIT_MS):
        return False
    once = secrets.token_hex(16)
    # The window proves itself first: paths are private, too.
    socket.write(json.dumps({"once": once, "proof": proof(secret, "start", once)}).encode() + b"\n")
    socket.flush()
    if _line(socket) != proof(secret, "window", once).encode():
        socket.abort()
        return False
    socket.write(json.dumps(paths).encode("utf-8") + b"\n")
    socket.flush()
    answer = _line(socket)
    socket.disconnectFromServer()
    return answer == b"ok"


def _line(socket: QLocalSocket) -> bytes:
    """One line of an answer without its end; b'' when none comes in time."""
    while not socket.canReadLine():
        if not socket.waitForReadyRead(WAIT_MS) or socket.bytesAvailable() > MAX_BYTES:
            return b""
    return bytes(socket.readLine(MAX_BYTES).data()).strip()


def proof(secret: bytes, who: str, once: str) -> str:
    """What only a reader of the secret can say, for this one time. who: 'start' or 'window'."""
    return hmac.new(secret, f"{who} {once}".encode(), hashlib.sha256).hexdigest()


def _digest(data_folder: Path) -> str:
    return hashlib.sha256(os.fsencode(data_folder.absolute())).hexdigest()[:20]


def secret_files(data_folder: Path) -> list[Path]:
    """Where the secret may lie, best first: in the data folder, or where that cannot be written, in the folder
    that the system keeps for what runs for this user."""
    files = [data_folder / SECRET_FILE]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and _ours(Path(runtime)):
        files.append(Path(runtime) / f"packbench-{_digest(data_folder)}.secret")
    return files


def _read_secret(data_folder: Path) -> bytes | None:
    return next((found for file in secret_files(data_folder) if (found := _secret_in(file))), None)


def _secret_in(file: Path) -> bytes | None:
    """None for what is not there, is no file of this user alone, or is no secret."""
    try:
        state = file.stat()
        if not stat.S_ISREG(state.st_mode):
            return None
        if os.name == "posix" and (state.st_uid != os.getuid() or state.st_mode & 0o077):
            return None
        with file.open("rb") as stream:
            secret = stream.read(_SECRET_BYTES + 1)
    except OSError:
        return None
    return secret if len(secret) == _SECRET_BYTES else None


def _provide_secret(data_folder: Path) -> bytes | None:
    """The secret that is there, else a new one. None: none can be kept."""
    found = _read_secret(data_folder)
    if found is not None:
        return found
    made = secrets.token_bytes(_SECRET_BYTES)
    for file in secret_files(data_folder):
        try:
            make_private_folder(file.parent)
            file.unlink(missing_ok=True)
            touch_private(file)
            file.write_bytes(made)
        except OSError as error:
            log.info("no secret for later starts in %s: %s", file.parent, error)
        else:
            return made
    return None


class FirstWindow(QObject):
    """Listens for later starts."""

    asked = Signal(list)
    """list[str] of paths to open, empty when the window is only to come to the front."""

    def __init__(self, data_folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._greet)
        self._parts: dict[QLocalSocket, bytes] = {}
        self._proven: set[QLocalSocket] = set()
        self._secret = _provide_secret(data_folder)
        if self._secret is None or not any(map(self._listen, socket_places(data_folder))):
            log.warning("later starts cannot reach this window: %s", self._server.errorString())

    def _listen(self, place: str) -> bool:
        if self._server.listen(place):
            return True
        # Left behind by a window that ended without a word: nobody answered there before.
        QLocalServer.removeServer(place)
        return self._server.listen(place)

    @property
    def place(self) -> str:
        """Where it listens; empty where it cannot."""
        return self._server.fullServerName()

    def close(self) -> None:
        self._server.close()

    @Slot()
    def _greet(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            self._parts[socket] = b""
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(self._gone)

    @Slot()
    def _read(self) -> None:
        socket = self.sender()
        if not isinstance(socket, QLocalSocket) or socket not in self._parts:
            return
        message = self._parts[socket] + bytes(socket.read(MAX_BYTES + 1).data())
        if len(message) > MAX_BYTES:
            socket.abort()
        elif not message.endswith(b"\n"):
            self._parts[socket] = message
        else:
            self._parts[socket] = b""
            self._answer(socket, message)

    def _answer(self, socket: QLocalSocket, message: bytes) -> None:
        """A greeting with its proof first, then the paths."""
        if socket not in self._proven:
            once = read_greeting(message, self._secret)
            if once is None or self._secret is None:
                socket.abort()
                return
            self._proven.add(socket)
            socket.write(proof(self._secret, "window", once).encode() + b"\n")
            socket.flush()
            return
        paths = read_message(message)
        if paths is None:
            socket.abort()
            return
        socket.write(b"ok\n")
        socket.flush()
        self.asked.emit(paths)

    @Slot()
    def _gone(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._parts.pop(socket, None)
            self._proven.discard(socket)
            socket.deleteLater()


def read_greeting(message: bytes, secret: bytes | None) -> str | None:
    """What the greeting's proof is for, or None for one that proves nothing."""
    try:
        greeting = json.loads(message)
        once, given = greeting["once"], greeting["proof"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    if secret is None or not isinstance(once, str) or not isinstance(given, str) or not 16 <= len(once) <= 64:
        return None
    good = hmac.compare_digest(given.encode("utf-8", "replace"), proof(secret, "start", once).encode())
    return once if good else None


def read_message(message: bytes) -> list[str] | None:
    """The paths, or None for anything that is no list of texts."""
    try:
        paths = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return None
    return paths[:MAX_PATHS]
