"""Asks a chat endpoint, whatever it answers: every outcome is a value, bounded in size and time.

Qualification-pack format, sections 7.4 and 7.6, without the traps of section 28, W1 and W22.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import httpx

from desktop.inference.backends.chat_api import ChatApi, OpenAiChatApi
from desktop.inference.backends.http_client import error_text, retry_after_s
from desktop.inference.backends.key_guard import KeyGuard
from desktop.inference.backends.retry import BUSY_STATUSES, Refusal, ask_patiently, qualification_rule
from desktop.runs.qualification.exchange import ExchangeFailed, make_exchange
from packs.canonical import JsonValue
from packs.documents.jsonlines import finite, line

RETRIED = BUSY_STATUSES | {500}
"""The format asks again after a plain error of the server as well."""
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
        guard: KeyGuard | None = None,
        timeout_s: float,
        max_retries: int,
        concurrency: int,
        sleep: Sleep = asyncio.sleep,
        transport: httpx.AsyncBaseTransport | None = None,
        api: ChatApi | None = None,
    ) -> None:
        """guard: takes keys out of all that comes; for `key` alone when None."""
        self._api = api or OpenAiChatApi()
        self._guard = guard or KeyGuard(key)
        self._timeout_s = timeout_s
        self._rule = qualification_rule(max_retries)
        self._sleep = sleep
        headers = {"content-type": "application/json"}
        if key:
            headers["authorization"] = f"Bearer {key}"
        self._exchange = make_exchange(url, headers, timeout_s, concurrency, transport, self._guard)

    async def __aenter__(self) -> ChatClient:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._exchange.close()

    async def ask(self, body: Mapping[str, JsonValue], on_wait: OnWait | None = None) -> EndpointAnswer:
        """One reply after up to max_retries + 1 attempts. Raises only asyncio.CancelledError."""
        content = line(self._api.request(body))
        loop = asyncio.get_running_loop()
        duration = 0.0

        async def timed() -> Attempt:
            nonlocal duration
            started = loop.time()
            attempt = await self._attempt(content)
            duration = round(loop.time() - started, 6)
            return attempt

        attempt, attempts = await ask_patiently(timed, _refusal_of, self._rule, self._sleep, on_wait or _unseen)
        reply = self._api.reply(attempt.body) if attempt.body is not None else None
        return EndpointAnswer(reply, attempt.error, attempt.detail, attempt.status_code, attempts, duration)

    async def _attempt(self, content: bytes) -> Attempt:
        try:
            async with asyncio.timeout(self._timeout_s * TRICKLE):
                reply = await self._exchange.post(content)
        except TimeoutError:
            return Attempt(error="ReadTimeout", detail="The reply trickled for too long.", retry=True)
        except ExchangeFailed as error:
            detail = _cut(self._guard.text(error.detail))
            return Attempt(error=error.name, detail=detail, status_code=error.status, retry=error.again)
        attempt = read_attempt(reply.status, reply.headers, self._guard.content(reply.body))
        # Once more where JSON was in another encoding than its bytes show.
        body = self._guard.value(attempt.body)
        return replace(attempt, body=body if isinstance(body, dict) else None)


def read_attempt(status: int, headers: Mapping[str, str], content: bytes) -> Attempt:
    """What a complete HTTP reply means."""
    if status >= 300 or status < 200:
        return Attempt(
            error=f"HTTP {status}",
            detail=_cut(error_text(content)),
            status_code=status,
            retry=status in RETRIED,
            wait_s=retry_after_s(headers.get("retry-after")) if status in BUSY_STATUSES else None,
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


def _refusal_of(attempt: Attempt) -> Refusal | None:
    return Refusal(attempt.error or "", attempt.wait_s) if attempt.retry else None


def _unseen(seconds: float, reason: str) -> None:
    """Nobody follows the waits."""


def _cut(text: str) -> str:
    return text[:DETAIL_CHARACTERS]
