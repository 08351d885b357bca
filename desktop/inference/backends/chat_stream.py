"""One streamed answer of an OpenAI-compatible server, read without trusting it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

import httpx

from desktop.inference.backends.base import (
    BackendFault,
    Clocks,
    FaultKind,
    Generation,
    GenerationProgress,
    JsonValue,
    OnProgress,
)
from desktop.inference.backends.finish_reasons import UNKNOWN, fault_of_finish, kept_text
from desktop.inference.backends.http_client import (
    answer_json,
    fault_from_status,
    fault_from_text,
    fault_from_transport,
    fault_of_odd_line,
    line_batches,
    not_an_answer,
    parse_json,
    read_all,
    read_some,
    tells_error,
)
from desktop.inference.backends.key_guard import KeyGuard
from desktop.inference.backends.stream_clock import ChunkTimes, Now, Patience

MAX_TEXT_CHARACTERS = 8_000_000
_END_WAIT_S = 0.02
_NOT_RECORDED = frozenset({"messages", "prompt"})
_REASONING_NAMES = ("reasoning_content", "reasoning", "thinking")


@dataclass(slots=True)
class _Answer:
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    characters: int = 0
    finish_reason: str | None = None
    done: bool = False
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    prompt_ms: float | None = None
    tokens_per_second: float | None = None


class ChatStream:
    """Sends one chat request and reads its stream.

    server: how the server is called in messages. The client's address and headers are the caller's business.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        server: str,
        clocks: Clocks,
        now: Now = time.perf_counter,
        *,
        keeps_connection: bool = False,
        guard: KeyGuard | None = None,
    ) -> None:
        """keeps_connection: the client uses a connection again, which needs the stream read to its very end.

        Half the harness's work for an answer (0.5 instead of 1.1 ms). Only for clients that send a request once
        more when the server has closed the connection meanwhile. guard: takes keys out of all that comes.
        """
        self._client = client
        self._server = server
        self._clocks = clocks
        self._now = now
        self._keeps_connection = keeps_connection
        self._guard = guard or KeyGuard()

    async def generate(
        self, body: Mapping[str, JsonValue], on_progress: OnProgress, path: str = "/v1/chat/completions"
    ) -> Generation:
        """The whole answer. Raises BackendFault; closing the connection on cancel stops the server's work."""
        answer = _Answer()
        guard = self._guard
        with guard.faults(), guard.progress(on_progress) as told, kept_text(answer.text):
            return guard.answer(await self._read(body, told, path, answer))

    async def _read(
        self, body: Mapping[str, JsonValue], on_progress: OnProgress, path: str, answer: _Answer
    ) -> Generation:
        times = ChunkTimes(self._now)
        patience = Patience(self._clocks, self._server)
        began = False
        try:
            async with AsyncExitStack() as stack:
                sent = self._client.stream("POST", path, json=body)
                response = await patience.whole(stack.enter_async_context(sent))
                if response.status_code != 200:
                    error = self._guard.content(await patience.whole(read_some(response)))
                    raise fault_from_status(
                        response.status_code, response.headers, error, self._server, str(body.get("model", ""))
                    )
                began = True
                if response.headers.get("content-type", "").startswith("application/json"):
                    whole = self._guard.content(await patience.whole(read_all(response)))
                    self._take_whole(whole, answer, on_progress)
                    return self._generation(answer, times, body)
                lines = patience.each(line_batches(response))
                try:
                    async for line in lines:
                        self._take_line(self._guard.text(line), answer, times, patience, on_progress)
                        if answer.done:
                            break
                except (httpx.HTTPError, BackendFault):
                    # After its finish reason the answer is whole, however the connection ends.
                    if answer.finish_reason is None:
                        raise
                    answer.done = False
                generation = self._generation(answer, times, body)
                if answer.done and self._keeps_connection:
                    await _read_to_the_end(lines)
                return generation
        except httpx.HTTPError as error:
            raise fault_from_transport(error, self._server, in_answer=began) from error

    def _generation(self, answer: _Answer, times: ChunkTimes, body: Mapping[str, JsonValue]) -> Generation:
        """Raises BackendFault for an answer without its end."""
        if answer.finish_reason is None and answer.done:
            raise BackendFault(
                FaultKind.SERVER_ERROR,
                f"{self._server} ended the answer without a finish reason: whether it is whole is not known.",
                "Check the server's version, or a proxy in between that leaves records out.",
                detail=f"[DONE] and no finish_reason after {answer.characters} characters",
            )
        if answer.finish_reason is None:
            raise BackendFault(
                FaultKind.CRASHED,
                f"{self._server}: the answer broke off before its end. The server may have crashed.",
                "See the server's own log. It may lack memory for this model.",
                detail=f"no finish_reason after {answer.characters} characters",
            )
        fault = fault_of_finish(answer.finish_reason, self._server)
        if fault is not None:
            raise fault
        return Generation(
            text="".join(answer.text),
            reasoning="".join(answer.reasoning),
            finish_reason=answer.finish_reason,
            timing=times.timing(
                prompt_tokens=answer.prompt_tokens,
                cached_tokens=answer.cached_tokens,
                output_tokens=answer.output_tokens,
                prompt_ms=answer.prompt_ms,
                engine_tokens_per_second=answer.tokens_per_second,
                visible_tokens=None if answer.reasoning else answer.output_tokens,
            ),
            request_options={name: value for name, value in body.items() if name not in _NOT_RECORDED},
        )

    def _take_whole(self, body: bytes, answer: _Answer, on_progress: OnProgress) -> None:
        """The answer of a server that does not stream: no first token to time, no speed."""
        data = answer_json(body, self._server)
        if not isinstance(data, dict):
            raise not_an_answer(body.decode("utf-8", "replace"), self._server)
        if tells_error(data):
            raise fault_from_text(body.decode("utf-8", "replace"), self._server)
        self._take_figures(data, answer)
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise not_an_answer(body.decode("utf-8", "replace"), self._server)
        text, thought = self._content(message)
        answer.text.append(text)
        answer.reasoning.append(thought)
        reason = choice.get("finish_reason")
        answer.finish_reason = reason if isinstance(reason, str) and reason else UNKNOWN
        on_progress(GenerationProgress(text=answer.text[0], reasoning=answer.reasoning[0]))

    def _take_line(
        self, line: str, answer: _Answer, times: ChunkTimes, patience: Patience, on_progress: OnProgress
    ) -> None:
        name, _, rest = line.partition(":")
        if name == "error":
            raise fault_from_text(rest.strip(), self._server)
        if name != "data":
            if name in ("event", "id", "retry") or answer.finish_reason is not None:
                return
            raise fault_of_odd_line(line, self._server)
        payload = rest.strip()
        if not payload:
            return
        if payload == "[DONE]":
            answer.done = True
            return
        try:
            data = parse_json(payload)
        except ValueError as error:
            data, reason = None, str(error)
        else:
            reason = ""
        if not isinstance(data, dict):
            if answer.finish_reason is not None:
                # The answer is whole. Some servers close with a line of their own, such as ["DONE"].
                return
            raise not_an_answer(payload, self._server, reason)
        if tells_error(data):
            raise fault_from_text(payload, self._server)
        self._take_figures(data, answer)
        self._take_progress(data, on_progress)
        choices = data.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._take_choice(choices[0], answer, times, patience, on_progress)

    def _take_choice(
        self,
        choice: Mapping[str, object],
        answer: _Answer,
        times: ChunkTimes,
        patience: Patience,
        on_progress: OnProgress,
    ) -> None:
        delta = choice.get("delta")
        piece = reasoning = ""
        if isinstance(delta, dict):
            piece, reasoning = self._content(delta)
        if piece or reasoning:
            patience.answer_began = True
            answer.characters += len(piece) + len(reasoning)
            if answer.characters > MAX_TEXT_CHARACTERS:
                raise BackendFault(
                    FaultKind.SERVER_ERROR,
                    f"{self._server}: the answer does not end (more than {MAX_TEXT_CHARACTERS:,} characters).",
                    "Check the server's version; it does not keep to max_tokens.",
                )
            if piece:
                times.chunk()
                answer.text.append(piece)
            if reasoning:
                answer.reasoning.append(reasoning)
            on_progress(GenerationProgress(text=piece, reasoning=reasoning))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            answer.finish_reason = reason

    def _content(self, message: Mapping[str, object]) -> tuple[str, str]:
        """(text, reasoning) of a message or a piece of one. Raises BackendFault for content of another form:
        passed over, it would look like an empty answer."""
        content = message.get("content")
        reasoning = next((found for name in _REASONING_NAMES if (found := _text(message.get(name)))), "")
        if content is None or isinstance(content, str):
            return content or "", reasoning
        try:
            text, thought = _parts(content)
        except ValueError as error:
            raise not_an_answer(repr(content)[:200], self._server, str(error)) from error
        return text, reasoning + thought

    @staticmethod
    def _take_figures(data: Mapping[str, object], answer: _Answer) -> None:
        usage = data.get("usage")
        if isinstance(usage, dict):
            answer.prompt_tokens = count(usage.get("prompt_tokens"), answer.prompt_tokens)
            answer.output_tokens = count(usage.get("completion_tokens"), answer.output_tokens)
            details = usage.get("prompt_tokens_details")
            if isinstance(details, dict):
                answer.cached_tokens = count(details.get("cached_tokens"), answer.cached_tokens)
        timings = data.get("timings")
        if isinstance(timings, dict):
            cached, read = count(timings.get("cache_n")), count(timings.get("prompt_n"))
            if cached is not None:
                answer.cached_tokens = cached
                if read is not None:
                    answer.prompt_tokens = cached + read
            answer.output_tokens = count(timings.get("predicted_n"), answer.output_tokens)
            answer.prompt_ms = positive(timings.get("prompt_ms"))
            answer.tokens_per_second = _speed(timings)

    @staticmethod
    def _take_progress(data: Mapping[str, object], on_progress: OnProgress) -> None:
        progress = data.get("prompt_progress")
        if isinstance(progress, dict):
            done, total = count(progress.get("processed")), count(progress.get("total"))
            if done is not None and total is not None:
                on_progress(GenerationProgress(prompt_done=done, prompt_total=total))


async def _read_to_the_end(lines: AsyncIterator[str]) -> None:
    """Nothing more is expected. A server that lets the stream hang costs a new connection, nothing else."""
    with suppress(TimeoutError, BackendFault, httpx.HTTPError):
        async with asyncio.timeout(_END_WAIT_S):
            async for _ in lines:
                pass


def count(value: object, otherwise: int | None = None) -> int | None:
    """A whole number from 0; `otherwise` for anything else (true and 1.5 are no counts)."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or value > 2**53:
        return otherwise
    return value


def positive(value: object) -> float | None:
    """A finite number above 0, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None


def _speed(timings: Mapping[str, object]) -> float | None:
    """Tokens after the first one, over the time from the first to the last; None below two."""
    written, taken = count(timings.get("predicted_n")), positive(timings.get("predicted_ms"))
    if written is None or taken is None or written < 2:
        return None
    return (written - 1) * 1000 / taken


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _parts(content: object) -> tuple[str, str]:
    """(text, reasoning) of a list of parts, as Mistral and others send. Raises ValueError for another form."""
    if not isinstance(content, list):
        raise ValueError("the content is neither a text nor a list of parts")
    text, reasoning = "", ""
    for part in content:
        match part:
            case str():
                text += part
            case {"type": "text" | "output_text", "text": str(piece)}:
                text += piece
            case {"type": "thinking" | "reasoning" as kind, **fields}:
                inner = fields.get(kind, fields.get("text"))
                reasoning += inner if isinstance(inner, str) else "".join(_parts(inner))
            case _:
                raise ValueError("a part of the content is neither text nor reasoning")
    return text, reasoning
