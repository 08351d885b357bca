"""Asks a chat endpoint, whatever it answers: every outcome is a value, bounded in size and time.

Qualification-pack format, sections 7.4 and 7.6, without the traps of section 28, W1 and W22.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import httpx

from desktop.inference.backends.chat_api import ChatApi, OpenAiChatApi
from desktop.inference.backends.http_client import error_text, retry_after_s
from desktop.runs.qualification.exchange import ExchangeFailed, make_exchange
from packs.canonical import JsonValue
from packs.documents.jsonlines import finite, line

RETRIED = frozenset({429, 500, 502, 503, 504})
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 2.0
LONGEST_ASKED_PAUSE_S = 120.0
"""A `Retry-After` beyond this is cut, so that one header cannot hold up a run for an hour."""
DETAIL_CHARACTERS = 2000
TRICKLE = 10
"""An attempt may last this many time-outs in all, so that a trickling server ends too."""

Sleep = Callable[[float], Awaitable[None]]
OnWait = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class EndpointAnswer:
    """error: None when `body` holds the reply's object, else a short stable word ('HTTP 500', 'ReadTimeout').

    attempts: how many were really made. duration_seconds: of the last one.
    """

    body: Mapping[str, JsonValue] | None
    error: str | None
    detail: str
    status_code: int | None
    attempts: int
    duration_seconds: float


@dataclass(frozen=True, slots=True)
class Attempt:
    body: Mapping[str, JsonValue] | None = None
    error: str | None = None
    detail: str = ""
    status_code: int | None = None
    retry: bool = False
    wait_s: float | None = None


class ChatClient:
    """One endpoint with its key. Use as an async context manager."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout_s: float,
        max_retries: int,
        concurrency: int,
        sleep: Sleep = asyncio.sleep,
        transport: httpx.AsyncBaseTransport | None = None,
        api: ChatApi | None = None,
    ) -> None:
        self._api = api or OpenAiChatApi()
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._sleep = sleep
        headers = {"content-type": "application/json"}
        if key:
            headers["authorization"] = f"Bearer {key}"
        self._exchange = make_exchange(url, headers, timeout_s, concurrency, transport)

    async def __aenter__(self) -> ChatClient:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._exchange.close()

    async def ask(self, body: Mapping[str, JsonValue], on_wait: OnWait | None = None) -> EndpointAnswer:
        """One reply after up to max_retries + 1 attempts. Raises only asyncio.CancelledError."""
        content = line(self._api.request(body))
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE_S
        for attempt_number in range(1, self._max_retries + 2):
            started = loop.time()
            attempt = await self._attempt(content)
            duration = round(loop.time() - started, 6)
            if not attempt.retry or attempt_number > self._max_retries:
                break
            wait = min(attempt.wait_s, LONGEST_ASKED_PAUSE_S) if attempt.wait_s is not None else pause
            if on_wait is not None:
                on_wait(wait, attempt.error or "")
            await self._sleep(wait)
            pause = min(pause * 2, LONGEST_PAUSE_S)
        reply = self._api.reply(attempt.body) if attempt.body is not None else None
        return EndpointAnswer(
            reply, attempt.error, attempt.detail, attempt.status_code, attempt_number, duration
        )

    async def _attempt(self, content: bytes) -> Attempt:
        try:
            async with asyncio.timeout(self._timeout_s * TRICKLE):
                reply = await self._exchange.post(content)
        except TimeoutError:
            return Attempt(error="ReadTimeout", detail="The reply trickled for too long.", retry=True)
        except ExchangeFailed as error:
            return Attempt(
                error=error.name, detail=_cut(error.detail), status_code=error.status, retry=error.again
            )
        return read_attempt(reply.status, reply.headers, reply.body)


def read_attempt(status: int, headers: Mapping[str, str], content: bytes) -> Attempt:
    """What a complete HTTP reply means."""
    if status >= 300 or status < 200:
        return Attempt(
            error=f"HTTP {status}",
            detail=_cut(error_text(content)),
            status_code=status,
            retry=status in RETRIED,
            wait_s=retry_after_s(headers.get("retry-after")) if status in (429, 503) else None,
        )
    try:
        value: JsonValue = json.loads(content)
    except (ValueError, RecursionError):
        return Attempt(
            error="ReplyNotJson",
            detail=_cut(content[:4000].decode("utf-8", "replace")),
            status_code=status,
        )
    if not isinstance(value, dict):
        return Attempt(
            error="ReplyNotObject",
            detail=_cut(content[:4000].decode("utf-8", "replace")),
            status_code=status,
        )
    cleaned = finite(value)
    assert isinstance(cleaned, dict)
    return Attempt(body=cleaned, status_code=status)


def _cut(text: str) -> str:
    return text[:DETAIL_CHARACTERS]
