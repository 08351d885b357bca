"""One request to an endpoint and its whole reply. Two ways: our own for plain connections, httpx for the rest.

Our own costs about a tenth of httpx's time for each request, which matters once an endpoint answers within a
millisecond (format, section 28, W20). It speaks HTTP/1.1 with kept connections, never follows a redirect and
never goes through a proxy. Task runs use `inference.backends.http_client` instead: they stream, ask one at a
time and watch the clocks between tokens, while evidence keeps whole replies of many at once. What both must do
alike is in one place there: the retry rule (`retry`), the reading of errors and of `Retry-After`, who is local.

Failures carry the names that httpx gives them, as the format asks for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

import httpx

from desktop.inference.backends.key_guard import KeyGuard

REPLY_BYTES = 16 * 2**20
HEAD_BYTES = 64 * 2**10
CHUNK = 64 * 2**10
ODD_CHARACTERS = 100
"""What a failure repeats of something that is not HTTP, cut only when keys are out of it."""


class ExchangeFailed(Exception):
    """No whole reply. name: 'ConnectError', 'ReadTimeout', …; again: worth another attempt."""

    def __init__(self, name: str, detail: str, *, again: bool = True, status: int | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.detail = detail
        self.again = again
        self.status = status


@dataclass(frozen=True, slots=True)
class HttpReply:
    """headers: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange(Protocol):
    async def post(self, content: bytes) -> HttpReply:
        """Raises ExchangeFailed, asyncio.CancelledError."""

    async def close(self) -> None: ...


def too_large(status: int) -> ExchangeFailed:
    message = f"The reply is larger than {REPLY_BYTES // 2**20} MiB."
    return ExchangeFailed("ReplyTooLarge", message, again=False, status=status)


def make_exchange(
    url: str,
    headers: Mapping[str, str],
    timeout_s: float,
    concurrency: int,
    transport: httpx.AsyncBaseTransport | None = None,
    guard: KeyGuard | None = None,
) -> Exchange:
    """transport: a stand-in for the network, as tests use it. guard: for what failures repeat of a reply."""
    if transport is None and url.startswith("http://"):
        return PlainExchange(url, headers, timeout_s, guard)
    return HttpxExchange(url, headers, timeout_s, concurrency, transport)


class HttpxExchange:
    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        timeout_s: float,
        concurrency: int,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        self._url = url
        self._client = httpx.AsyncClient(
            headers=dict(headers),
            timeout=httpx.Timeout(timeout_s, pool=None),
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            trust_env=False,
            follow_redirects=False,
            transport=transport,
        )

    async def post(self, content: bytes) -> HttpReply:
        try:
            async with self._client.stream("POST", self._url, content=content) as response:
                received = bytearray()
                async for piece in response.aiter_bytes():
                    received += piece
                    if len(received) > REPLY_BYTES:
                        raise too_large(response.status_code)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return HttpReply(response.status_code, headers, bytes(received))
        except httpx.TransportError as error:
            raise ExchangeFailed(type(error).__name__, str(error)) from None
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ExchangeFailed(type(error).__name__, str(error), again=False) from None

    async def close(self) -> None:
        await self._client.aclose()


@dataclass(slots=True)
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    used: bool = False

    def drop(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            self.writer.close()


class PlainExchange:
    """For http:// addresses. Connections are kept and used again, the latest first."""

    def __init__(
        self, url: str, headers: Mapping[str, str], timeout_s: float, guard: KeyGuard | None = None
    ) -> None:
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._port = parts.port or 80
        self._timeout_s = timeout_s
        shown = f"[{self._host}]" if ":" in self._host else self._host
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        lines = [
            f"POST {target} HTTP/1.1",
            f"host: {shown}:{self._port}",
            "accept: application/json",
            "accept-encoding: identity",
            "user-agent: packbench",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        if any("\r" in line or "\n" in line for line in lines):
            raise ValueError("an address or key holds a line break")
        self._head = "\r\n".join(lines).encode("utf-8") + b"\r\ncontent-length: "
        self._guard = guard or KeyGuard()
        self._idle: list[_Connection] = []

    async def post(self, content: bytes) -> HttpReply:
        while True:
            connection = self._idle.pop() if self._idle else await self._open()
            try:
                reply, keep = await self._exchange(connection, content)
            except _Stale:
                connection.drop()
                continue
            except BaseException:
                connection.drop()
                raise
            connection.used = True
            if keep:
                self._idle.append(connection)
            else:
                connection.drop()
            return reply

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.drop()
        for connection in idle:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(connection.writer.wait_closed(), 1)

    async def _open(self) -> _Connection:
        try:
            async with asyncio.timeout(self._timeout_s):
                reader, writer = await asyncio.open_connection(self._host, self._port, limit=HEAD_BYTES)
        except TimeoutError:
            raise ExchangeFailed("ConnectTimeout", "The connection was not answered in time.") from None
        except OSError as error:
            raise ExchangeFailed("ConnectError", str(error)) from None
        return _Connection(reader, writer)

    async def _exchange(self, connection: _Connection, content: bytes) -> tuple[HttpReply, bool]:
        reader, writer = connection.reader, connection.writer
        try:
            writer.write(b"%b%d\r\n\r\n%b" % (self._head, len(content), content))
            async with asyncio.timeout(self._timeout_s):
                await writer.drain()
            status, version, headers = await self._read_head(connection)
            body, whole = await self._read_body(reader, status, headers)
        except TimeoutError:
            raise ExchangeFailed("ReadTimeout", "No answer came in time.") from None
        except asyncio.IncompleteReadError as error:
            if connection.used and not error.partial and error.expected is None:
                raise _Stale from None
            message = "The connection was closed in the middle of a reply."
            raise ExchangeFailed("RemoteProtocolError", message) from None
        except (asyncio.LimitOverrunError, ValueError) as error:
            said = self._guard.text(str(error))[:ODD_CHARACTERS]
            raise ExchangeFailed("RemoteProtocolError", f"This is not HTTP: {said}") from None
        except OSError as error:
            if connection.used:
                raise _Stale from None
            raise ExchangeFailed("ReadError", str(error)) from None
        kept = whole and version == b"HTTP/1.1" and "close" not in headers.get("connection", "").lower()
        return HttpReply(status, headers, body), kept

    async def _read_head(self, connection: _Connection) -> tuple[int, bytes, dict[str, str]]:
        while True:
            async with asyncio.timeout(self._timeout_s):
                raw = await connection.reader.readuntil(b"\r\n\r\n")
            first, *rest = raw[:-4].split(b"\r\n")
            version, _, after = first.partition(b" ")
            number = after[:3]
            if not version.startswith(b"HTTP/1.") or not number.isdigit():
                raise ValueError(f"it begins with {first!r}")
            status = int(number)
            if status < 100:
                raise ValueError(f"its status is {status}")
            if status < 200:
                continue
            headers: dict[str, str] = {}
            for line in rest:
                name, colon, value = line.partition(b":")
                if colon:
                    headers[name.strip().lower().decode("latin-1")] = value.strip().decode("latin-1")
            return status, version, headers

    async def _read_body(
        self, reader: asyncio.StreamReader, status: int, headers: Mapping[str, str]
    ) -> tuple[bytes, bool]:
        """(body, whether the connection can be used again)."""
        if status in (204, 304):
            return b"", True
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return await self._read_chunks(reader, status), True
        length = headers.get("content-length")
        if length is not None:
            if not length.isdigit():
                raise ValueError(f"its length is {length!r}")
            size = int(length)
            if size > REPLY_BYTES:
                raise too_large(status)
            return await self._read_exactly(reader, size), True
        received = bytearray()
        while True:
            async with asyncio.timeout(self._timeout_s):
                piece = await reader.read(CHUNK)
            if not piece:
                return bytes(received), False
            received += piece
            if len(received) > REPLY_BYTES:
                raise too_large(status)

    async def _read_exactly(self, reader: asyncio.StreamReader, size: int) -> bytes:
        if size <= CHUNK:
            async with asyncio.timeout(self._timeout_s):
                return await reader.readexactly(size)
        received = bytearray()
        while len(received) < size:
            async with asyncio.timeout(self._timeout_s):
                piece = await reader.read(min(CHUNK, size - len(received)))
            if not piece:
                raise asyncio.IncompleteReadError(bytes(received), size)
            received += piece
        return bytes(received)

    async def _read_chunks(self, reader: asyncio.StreamReader, status: int) -> bytes:
        received = bytearray()
        while True:
            async with asyncio.timeout(self._timeout_s):
                line = await reader.readuntil(b"\r\n")
            size = int(line.split(b";")[0].strip() or b"x", 16)
            if size < 0:
                raise ValueError("a chunk has a negative length")
            if size == 0:
                break
            if len(received) + size > REPLY_BYTES:
                raise too_large(status)
            received += await self._read_exactly(reader, size)
            async with asyncio.timeout(self._timeout_s):
                await reader.readexactly(2)
        while True:
            async with asyncio.timeout(self._timeout_s):
                if await reader.readuntil(b"\r\n") == b"\r\n":
                    return bytes(received)


class _Stale(Exception):
    """A kept connection was closed by the server before this request reached it: ask on a fresh one."""
