"""A real HTTP/1.1 server on a free loopback port, in a thread, that says exactly what a test scripts."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """What to send. parts: sent one after the other. then: 'close', 'reset' (broken off) or 'stall' (silent
    until the server is stopped) or 'silent' (not even headers). length: sends Content-Length, else the stream
    ends with the connection."""

    parts: Sequence[bytes] = (b"",)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    then: str = "close"
    length: bool = False


def json_reply(data: object, status: int = 200, **headers: str) -> Reply:
    body = json.dumps(data).encode()
    return Reply((body,), status, {"Content-Type": "application/json", **headers}, length=True)


def sse_reply(*events: object, then: str = "close", done: bool = True) -> Reply:
    parts = [
        b"data: " + (event if isinstance(event, bytes) else json.dumps(event).encode()) + b"\n\n"
        for event in events
    ]
    if done:
        parts.append(b"data: [DONE]\n\n")
    return Reply(tuple(parts), 200, {"Content-Type": "text/event-stream"}, then=then)


Handler = Callable[[Asked], Reply]


class ScriptedServer:
    """`with ScriptedServer(handler) as server:` – `server.url`, `server.asked`; joined at the end."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._stop = threading.Event()
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.asked: list[Asked] = []
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> ScriptedServer:
        self._acceptor = threading.Thread(target=self._accept, name="scripted-server")
        self._acceptor.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        # Wakes accept() on every system.
        with socket.create_connection(self._socket.getsockname()):
            pass
        self._acceptor.join(5)
        self._socket.close()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while not self._stop.is_set():
            connection, _ = self._socket.accept()
            if self._stop.is_set():
                connection.close()
                return
            # Else each answer in two parts waits 40 ms for an acknowledgement.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), name="scripted-connection")
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection.makefile("rb") as stream:
                while (asked := _read_request(stream)) is not None:
                    self.asked.append(asked)
                    if not self._answer(connection, self._handler(asked)):
                        return
        except OSError:
            pass
        finally:
            connection.close()

    def _answer(self, connection: socket.socket, reply: Reply) -> bool:
        if reply.then == "silent":
            self._stop.wait(30)
            return False
        head = [f"HTTP/1.1 {reply.status} Scripted"]
        headers = dict(reply.headers)
        if reply.length:
            headers["Content-Length"] = str(sum(len(part) for part in reply.parts))
        else:
            headers["Connection"] = "close"
        head += [f"{name}: {value}" for name, value in headers.items()]
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n")
        for part in reply.parts:
            connection.sendall(part)
        if reply.then == "stall":
            self._stop.wait(30)
        if reply.then == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        return reply.length and reply.then == "close"


def _read_request(stream: Any) -> Asked | None:
    first = stream.readline(65536).decode("latin-1").split()
    if len(first) != 3:
        return None
    headers: dict[str, str] = {}
    while (line := stream.readline(65536).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    return Asked(first[0], first[1], headers, body)
