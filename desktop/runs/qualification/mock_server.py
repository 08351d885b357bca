"""A small OpenAI-compatible server on this computer alone, for demonstrations, tests and benchmarks."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType

from desktop.runs.qualification.mock_script import MODELS, completion
from desktop.runs.qualification.mock_stream import streamed, wants_stream
from packs.canonical import JsonValue
from packs.errors import AppError

BODY_BYTES = 8 * 2**20
HEAD_BYTES = 64 * 2**10


@dataclass(frozen=True, slots=True)
class MockReply:
    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    content_type: str = "application/json"


Handler = Callable[[Mapping[str, JsonValue]], MockReply]
"""From the parsed chat request to the reply; may be called from the server's thread only."""


def json_reply(value: JsonValue, status: int = 200) -> MockReply:
    return MockReply(status, json.dumps(value).encode())


def echo_handler() -> Handler:
    """Always the same small reply, without looking at the request: the ceiling of a benchmark."""
    instant = json_reply(completion("echo", '{"label": "a", "behaviour": "classify"}'))

    def handle(body: Mapping[str, JsonValue]) -> MockReply:
        return instant

    return handle


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with kept connections; just enough for our own clients and curl."""

    def __init__(self, server: MockServer) -> None:
        self._server = server
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._server.connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while self._serve_one():
            pass

    def _serve_one(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > HEAD_BYTES:
                self._close()
            return False
        head = bytes(self._buffer[:end])
        length = _content_length(head)
        if length is None or length > BODY_BYTES:
            self._close()
            return False
        if len(self._buffer) < end + 4 + length:
            return False
        body = bytes(self._buffer[end + 4 : end + 4 + length])
        del self._buffer[: end + 4 + length]
        method, _, rest = head.partition(b" ")
        reply = self._server.respond(method.decode("latin-1"), rest.partition(b" ")[0].decode("latin-1"), body)
        if reply.delay_s > 0:
            asyncio.get_running_loop().call_later(reply.delay_s, self._write, reply)
            return False
        self._write(reply)
        return True

    def _write(self, reply: MockReply) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
        head = (
            f"HTTP/1.1 {reply.status} X\r\ncontent-type: {reply.content_type}\r\n"
            f"content-length: {len(reply.body)}\r\n{more}\r\n"
        )
        self._transport.write(head.encode("latin-1") + reply.body)

    def _close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _as_stream(reply: MockReply, request: Mapping[str, JsonValue]) -> MockReply:
    """A whole reply as events; errors, and what a handler wrote itself in another form, stay as they are."""
    if reply.status != 200 or reply.content_type != "application/json":
        return reply
    whole = json.loads(reply.body)
    if not isinstance(whole, dict):
        return reply
    return replace(reply, body=streamed(whole, request), content_type="text/event-stream")


def _content_length(head: bytes) -> int | None:
    """0 without the header, None when it is no number."""
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            text = value.strip()
            return int(text) if text.isdigit() else None
    return 0


class MockServer:
    """Listens on 127.0.0.1 in a thread of its own while used as a context manager."""

    def __init__(self, handler: Handler, *, models: tuple[str, ...] = MODELS, port: int = 0) -> None:
        self._handler = handler
        self._models = models
        self._wanted_port = port
        self.port = 0
        self.requests = 0
        """Chat requests answered so far."""
        self.connections: set[asyncio.Transport] = set()
        self._ready = threading.Event()
        self._fault: OSError | None = None
        self._thread = threading.Thread(target=self._serve, name="mock-endpoint", daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> MockServer:
        self._thread.start()
        self._ready.wait()
        if self._fault is not None:
            raise AppError(
                f"The mock endpoint cannot listen on port {self._wanted_port}: {self._fault.strerror}.",
                "Choose another --port, or 0 for any free one.",
                code="port_taken",
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def wait(self) -> None:
        """Until the thread ends, in short steps so that the person's Ctrl-C is heard."""
        while self._thread.is_alive():
            self._thread.join(0.2)

    def _serve(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            server = await self._loop.create_server(
                lambda: _Connection(self), "127.0.0.1", self._wanted_port, backlog=512
            )
        except OSError as error:
            self._fault = error
            self._ready.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for transport in list(self.connections):
            transport.abort()
        await asyncio.sleep(0)

    def respond(self, method: str, path: str, body: bytes) -> MockReply:
        if method == "GET" and path.endswith("/models"):
            return json_reply(
                {"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]}
            )
        if method == "GET" and path == "/health":
            return json_reply({"status": "ok"})
        if method != "POST" or not path.endswith("/chat/completions"):
            return json_reply({"error": {"message": "there is nothing at this address"}}, 404)
        self.requests += 1
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return json_reply({"error": {"message": "the request is not JSON"}}, 400)
        if not isinstance(value, dict):
            return json_reply({"error": {"message": "the request is no object"}}, 400)
        reply = self._handler(value)
        return _as_stream(reply, value) if wants_stream(value) else reply
