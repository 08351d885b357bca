"""Addresses, waits and words of servers."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import httpx
import pytest

from desktop.inference.backends.base import BackendFault
from desktop.inference.backends.http_client import (
    OnceMore,
    checked_base_url,
    error_text,
    is_loopback,
    parse_json,
    retry_after_s,
)

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("999999", 3600.0),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_that_a_wished_wait_is_read_as_seconds(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, NOON) == seconds


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:8080", True),
        ("http://0.0.0.0:8080", False),
        ("http://192.168.1.7", False),
        ("http://[fe80::1]", False),
        ("http://named.test", True),
        ("http://127.0.0.1.evil.test", False),
        ("http://unknown.test", False),
        ("http://localhost:8080", True),
        ("", False),
    ],
)
def test_that_local_is_judged_by_address_and_not_by_name(url: str, local: bool) -> None:
    known = {"named.test": ["127.0.0.1"], "127.0.0.1.evil.test": ["203.0.113.5"]}
    assert is_loopback(url, lambda host: known.get(host, [])) is local


@pytest.mark.parametrize(
    "url",
    [
        *("http://[::1", "http://localhost:99999999", "http://local host", "http://localhost:80x", "localhost"),
        *("http://localhost/?q=1", "http://localhost/#a", "file:///etc/passwd", "http:///x", "http://a\x00b"),
    ],
)
def test_that_what_is_no_address_of_a_server_gets_a_sentence(url: str) -> None:
    with pytest.raises(BackendFault) as raised:
        checked_base_url(url, remote_allowed=False)
    assert "not the address of a server" in raised.value.message


def test_that_an_address_keeps_its_path_and_loses_its_closing_slash() -> None:
    assert checked_base_url(" http://127.0.0.1:80/lm/ ", remote_allowed=False) == ("http://127.0.0.1/lm", True)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": "no"}', "no"),
        ('{"error": {"message": "no", "code": 1}}', "no"),
        ('{"detail": "no"}', '{"detail": "no"}'),
        ("plain", "plain"),
        ("[1]", "[1]"),
    ],
)
def test_that_the_servers_own_words_are_found(body: str, message: str) -> None:
    assert error_text(body.encode()) == message


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "{", "[" * 200_000])
def test_that_what_is_no_json_is_refused_as_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_that_a_request_lost_with_an_idle_connection_is_sent_once_more() -> None:
    sent: list[str] = []

    class Closing(httpx.AsyncBaseTransport):
        """Breaks off the first request before any answer, as a server does that closes idle connections."""

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            sent.append(request.url.path)
            if len(sent) == 1:
                raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
            return httpx.Response(200, json={})

    async def run() -> int:
        async with httpx.AsyncClient(transport=OnceMore(Closing())) as client:
            return (await client.post("http://127.0.0.1/x", json={"a": 1})).status_code

    assert asyncio.run(run()) == 200
    assert sent == ["/x", "/x"]
