"""One window for one data folder: a second start hands its paths to the first and ends.

They meet at a local socket that only this person may use. What comes over it is a list of paths and nothing
else, and it is bounded.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QDir, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

MAX_BYTES = 64 * 1024
MAX_PATHS = 200
WAIT_MS = 1_000
MAX_PLACE_BYTES = 100
"""Of the whole place of a socket: 108 on Linux, 104 on macOS, and Qt listens at a place next to it first."""
SHORT_FOLDER = "/tmp"


def socket_name(data_folder: Path) -> str:
    """The same for every start with this data folder, another for every other.

    Qt puts it into the folder for temporary files; where that has too long a name, this is a whole path.
    """
    name = "packbench-" + hashlib.sha256(os.fsencode(data_folder.absolute())).hexdigest()[:20]
    whole = f"{QDir.tempPath()}/{name}"
    if os.name == "posix" and len(os.fsencode(whole)) > MAX_PLACE_BYTES:
        return f"{SHORT_FOLDER}/{name}"
    return name


def hand_over(data_folder: Path, paths: Sequence[str]) -> bool:
    """Give the paths to the window that is open already. False when there is none."""
    socket = QLocalSocket()
    socket.connectToServer(socket_name(data_folder))
    if not socket.waitForConnected(WAIT_MS):
        return False
    absolute = [str(Path(path).absolute()) for path in paths[:MAX_PATHS]]
    socket.write(json.dumps(absolute).encode("utf-8") + b"\n")
    socket.flush()
    answer = bytes(socket.readAll().data()) if socket.waitForReadyRead(WAIT_MS) else b""
    socket.disconnectFromServer()
    return answer == b"ok\n"


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
        name = socket_name(data_folder)
        if not self._server.listen(name):
            # Left behind by a window that ended without a word: nobody answered there before.
            QLocalServer.removeServer(name)
            if not self._server.listen(name):
                log.warning("later starts cannot reach this window: %s", self._server.errorString())

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
            socket.deleteLater()


def read_message(message: bytes) -> list[str] | None:
    """The paths, or None for anything that is no list of texts."""
    try:
        paths = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return None
    return paths[:MAX_PATHS]
