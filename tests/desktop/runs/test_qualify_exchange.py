"""The plain HTTP exchange against servers of every kind of manners, over sockets on this computer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from desktop.runs.qualification.exchange import (
    ExchangeFailed,
    HttpReply,
    HttpxExchange,
    PlainExchange,
    make_exchange,
)

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BODY = b'{"choices": []}'
HEAD = b"HTTP/1.1 200 OK\r\n"


def ask(serve: Serve, times: int = 1, timeout_s: float = 5.0) -> list[HttpReply | str]:
    """Replies, or the names of failures, of so many requests over one exchange."""

    async def main() -> list[HttpReply | str]:
        async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await serve(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(connection, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        exchange = PlainExchange(f"http://127.0.0.1:{port}/v1/x", {"authorization": "Bearer k"}, timeout_s)
        found: list[HttpReply | str] = []
        try:
            for _ in range(times):
                try:
                    found.append(await exchange.post(b'{"a": 1}'))
                except ExchangeFailed as error:
                    found.append(error.name)
        finally:
            await exchange.close()
            server.close()
        return found

    return asyncio.run(main())


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    return head + await reader.readexactly(length)


def replying(*answers: bytes, close: bool = False) -> Serve:
    """Each request on one connection gets the next answer."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await read_request(reader)
            writer.write(answer)
            await writer.drain()
        if not close:
            await reader.read()

    return serve


def sized(body: bytes = BODY, more: bytes = b"") -> bytes:
    return HEAD + more + b"content-length: %d\r\n\r\n" % len(body) + body


GOOD: dict[str, Serve] = {
    "with a length": replying(sized()),
    "in chunks": replying(
        HEAD
        + b"transfer-encoding: chunked\r\n\r\n5;x=1\r\n"
        + BODY[:5]
        + b"\r\na\r\n"
        + BODY[5:]
        + b"\r\n0\r\n\r\n"
    ),
    "until the end": replying(HEAD + b"\r\n" + BODY, close=True),
    "after an interim reply": replying(b"HTTP/1.1 100 Continue\r\n\r\n" + sized()),
    "by HTTP 1.0": replying(b"HTTP/1.0 200 OK\r\n\r\n" + BODY, close=True),
    "with odd header lines": replying(HEAD + b"X\r\n: y\r\nContent-Length : 15\r\n\r\n" + BODY),
}


@pytest.mark.parametrize("serve", GOOD.values(), ids=GOOD)
def test_that_a_reply_is_read_however_it_is_framed(serve: Serve) -> None:
    (reply,) = ask(serve)
    assert isinstance(reply, HttpReply)
    assert (reply.status, reply.body) == (200, BODY)


BAD: dict[str, tuple[Serve, str]] = {
    "closed at once": (replying(b"", close=True), "RemoteProtocolError"),
    "cut in the middle": (replying(HEAD + b"content-length: 99\r\n\r\nabc", close=True), "RemoteProtocolError"),
    "no HTTP": (replying(b"hello\r\n\r\n"), "RemoteProtocolError"),
    "a status that is no number": (replying(b"HTTP/1.1 abc\r\n\r\n"), "RemoteProtocolError"),
    "a length that is no number": (replying(HEAD + b"content-length: -4\r\n\r\n"), "RemoteProtocolError"),
    "an endless head": (replying(HEAD + b"x: " + b"y" * 200_000), "RemoteProtocolError"),
    "a broken chunk": (replying(HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n"), "RemoteProtocolError"),
    "a huge length": (replying(HEAD + b"content-length: 99999999999\r\n\r\n"), "ReplyTooLarge"),
    "a huge chunk": (replying(HEAD + b"transfer-encoding: chunked\r\n\r\nffffffff\r\n"), "ReplyTooLarge"),
}


@pytest.mark.parametrize(("serve", "name"), BAD.values(), ids=BAD)
def test_that_a_broken_reply_is_an_error_by_its_name(serve: Serve, name: str) -> None:
    assert ask(serve) == [name]


def test_that_a_silent_server_is_given_up() -> None:
    assert ask(replying(), timeout_s=0.05) == ["ReadTimeout"]


def test_that_nobody_listening_is_told() -> None:
    async def main() -> str:
        exchange = PlainExchange("http://127.0.0.1:9/v1", {}, 5)
        try:
            await exchange.post(b"{}")
        except ExchangeFailed as error:
            return error.name
        finally:
            await exchange.close()
        return ""

    assert asyncio.run(main()) == "ConnectError"


def test_that_a_connection_is_used_again() -> None:
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            await read_request(reader)
            writer.write(sized())
            await writer.drain()

    assert len(ask(serve, times=5)) == 5
    assert connections == 1


def test_that_a_connection_closed_while_idle_costs_no_attempt() -> None:
    replies = ask(replying(sized(), close=True), times=3)
    assert [reply.status if isinstance(reply, HttpReply) else reply for reply in replies] == [200, 200, 200]


def test_that_close_is_obeyed() -> None:
    replies = ask(replying(sized(more=b"connection: close\r\n"), b"HTTP/1.1 500 X\r\n\r\n"), times=2)
    assert [reply.status if isinstance(reply, HttpReply) else reply for reply in replies] == [200, 200]


def test_that_the_request_is_whole_and_carries_the_key() -> None:
    seen: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(sized())
        await writer.drain()

    ask(serve)
    head, _, body = seen[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/x HTTP/1.1\r\nhost: 127.0.0.1:")
    assert b"authorization: Bearer k" in head
    assert body == b'{"a": 1}'


def test_that_a_key_cannot_smuggle_a_header() -> None:
    with pytest.raises(ValueError, match="line break"):
        PlainExchange("http://127.0.0.1:9/v1", {"authorization": "Bearer a\r\nx: y"}, 5)


def test_that_encrypted_connections_go_through_the_library() -> None:
    async def main() -> tuple[bool, bool]:
        secure = make_exchange("https://127.0.0.1:9/v1", {}, 1, 1)
        plain = make_exchange("http://127.0.0.1:9/v1", {}, 1, 1)
        await secure.close()
        await plain.close()
        return isinstance(secure, HttpxExchange), isinstance(plain, PlainExchange)

    assert asyncio.run(main()) == (True, True)
