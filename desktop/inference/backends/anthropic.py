"""Anthropic's Messages API: quality and latency only. What is sent leaves this computer."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

import httpx

from desktop.inference.backends.api_keys import ANTHROPIC_VARIABLE, find_key
from desktop.inference.backends.base import (
    BackendFault,
    Capabilities,
    Clocks,
    FaultKind,
    Generation,
    GenerationProgress,
    GenerationRequest,
    JsonValue,
    Loaded,
    LoadSettings,
    MemorySample,
    ModelRef,
    OnProgress,
    PrimedPrefix,
)
from desktop.inference.backends.chat_stream import count
from desktop.inference.backends.finish_reasons import fault_of_finish, kept_text
from desktop.inference.backends.http_client import (
    Resolver,
    fault_from_status,
    fault_from_text,
    fault_from_transport,
    fault_of_odd_line,
    line_batches,
    not_an_answer,
    parse_json,
    read_some,
    resolve,
)
from desktop.inference.backends.server_session import ServerSession
from desktop.inference.backends.stream_clock import ChunkTimes, Patience

BACKEND = "anthropic"
SERVER = "Anthropic"
API_VERSION = "2023-06-01"
_PAGE = 1000
_STOP_WORDS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
_NOT_APPLICABLE = "not applicable"


@dataclass(slots=True)
class _Answer:
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    stop: str | None = None
    ended: bool = False
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None


class AnthropicBackend:
    """Needs a key and `remote_allowed`, since all of it runs on other computers."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        remote_allowed: bool = False,
        clocks: Clocks | None = None,
        resolver: Resolver = resolve,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """api_key: else looked for by `find_key`. Raises BackendFault NOT_SUPPORTED without a key or when other
        computers are not allowed."""
        key = api_key or find_key(ANTHROPIC_VARIABLE)
        if not key:
            raise BackendFault(
                FaultKind.NOT_SUPPORTED,
                "There is no key for Anthropic.",
                f"Set the environment variable {ANTHROPIC_VARIABLE} before starting Packbench.",
            )
        headers = {"x-api-key": key, "anthropic-version": API_VERSION}
        self._session = ServerSession(
            url,
            SERVER,
            remote_allowed=remote_allowed,
            headers=headers,
            key=key,
            key_variable=ANTHROPIC_VARIABLE,
            resolver=resolver,
        )
        self._clocks = clocks or Clocks()
        self._now = now
        self._model: str | None = None
        self._takes_temperature = True

    @property
    def name(self) -> str:
        return BACKEND

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(local=self._session.local)

    async def version(self) -> str:
        return f"{SERVER} Messages API {API_VERSION}"

    async def list_models(self) -> list[ModelRef]:
        listed = await self._session.ask("GET", f"/v1/models?limit={_PAGE}")
        entries = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(entries, list):
            raise not_an_answer(str(listed)[:200], SERVER)
        names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
        return [_ref(name) for name in names if isinstance(name, str) and name]

    async def find(self, wanted: str) -> ModelRef:
        """Looked up singly. Raises BackendFault NO_SUCH_MODEL."""
        _check_name(wanted)
        found = await self._session.ask("GET", f"/v1/models/{wanted}", model=wanted)
        name = found.get("id") if isinstance(found, dict) else None
        return _ref(name if isinstance(name, str) and name else wanted)

    def default_settings(self, context_tokens: int) -> LoadSettings:
        return LoadSettings(context_tokens=context_tokens, threads=0)

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        """Nothing is loaded; makes sure that the model is to be had."""
        await self.unload()
        await self.find(model.name)
        self._session.open()
        self._model = model.name
        self._takes_temperature = True
        return Loaded(
            engine=await self.version(),
            load_ms=0.0,
            context_tokens=None,
            options={"context": _NOT_APPLICABLE},
            notes=(
                "Runs on Anthropic's computers: memory and fit do not apply, and what is sent leaves this one.",
            ),
        )

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        if self._model is None:
            raise RuntimeError("nothing is loaded")
        if request.constraint is not None:
            raise BackendFault(
                FaultKind.NOT_SUPPORTED, f"{SERVER} does not hold answers to a form.", "Run with free answers."
            )
        try:
            return await self._answer(self._body(request, self._model), on_progress)
        except BackendFault as fault:
            # Refused before anything was streamed; some models take no temperature.
            if not (self._takes_temperature and _speaks_of_temperature(fault)):
                raise
        self._takes_temperature = False
        return await self._answer(self._body(request, self._model), on_progress)

    def _body(self, request: GenerationRequest, model: str) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {
            "model": model,
            "max_tokens": request.max_tokens,
            "messages": [{"role": "user", "content": request.prompt}],
            "stream": True,
        }
        if self._takes_temperature:
            body["temperature"] = request.temperature
        if request.stop:
            if any(not text.strip() for text in request.stop):
                raise BackendFault(
                    FaultKind.NOT_SUPPORTED,
                    f"{SERVER} cannot end an answer at blanks or line ends alone.",
                    "Give stop words that hold a letter or another sign, or none.",
                )
            body["stop_sequences"] = list(request.stop)
        return body

    async def _answer(self, body: Mapping[str, JsonValue], on_progress: OnProgress) -> Generation:
        guard = self._session.guard
        answer = _Answer()
        with guard.faults(), guard.progress(on_progress) as told, kept_text(answer.text):
            return guard.answer(await self._whole_answer(body, told, answer))

    async def _whole_answer(
        self, body: Mapping[str, JsonValue], on_progress: OnProgress, answer: _Answer
    ) -> Generation:
        times = ChunkTimes(self._now)
        patience = Patience(self._clocks, SERVER)
        async with aclosing(self._batches(self._session.open(), body)) as batches:
            try:
                async for line in patience.each(batches):
                    if line.startswith("data:"):
                        self._take_event(line[5:].strip(), answer, times, patience, on_progress)
                    elif not line.startswith("event:"):
                        raise fault_of_odd_line(line, SERVER)
                    if answer.ended:
                        break
            except BackendFault:
                # After its stop reason the answer is whole, however the connection ends.
                if answer.stop is None:
                    raise
        if answer.stop is None:
            raise BackendFault(
                FaultKind.CRASHED,
                f"{SERVER}: the answer broke off before its end.",
                "Try again.",
                detail=f"no closing record after {times.chunks} pieces",
            )
        fault = fault_of_finish(answer.stop, SERVER)
        if fault is not None:
            raise fault
        recorded = {name: value for name, value in body.items() if name != "messages"}
        recorded.setdefault("temperature", _NOT_APPLICABLE)
        return Generation(
            text="".join(answer.text),
            reasoning="".join(answer.reasoning),
            finish_reason=answer.stop,
            timing=times.timing(
                prompt_tokens=answer.prompt_tokens,
                cached_tokens=answer.cached_tokens,
                output_tokens=answer.output_tokens,
            ),
            request_options={**recorded, "seed": _NOT_APPLICABLE, "context": _NOT_APPLICABLE},
        )

    def _take_event(
        self, payload: str, answer: _Answer, times: ChunkTimes, patience: Patience, on_progress: OnProgress
    ) -> None:
        try:
            event = parse_json(payload)
        except ValueError as error:
            raise not_an_answer(payload, SERVER, str(error)) from error
        match event:
            case {"type": "error"}:
                raise fault_from_text(payload, SERVER)
            case {"type": "message_start", "message": {"usage": dict(usage)}}:
                cached = count(usage.get("cache_read_input_tokens"), 0) or 0
                created = count(usage.get("cache_creation_input_tokens"), 0) or 0
                fresh = count(usage.get("input_tokens"))
                answer.cached_tokens = cached
                answer.prompt_tokens = None if fresh is None else fresh + cached + created
            case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
                if text:
                    patience.answer_began = True
                    times.chunk()
                    answer.text.append(text)
                    on_progress(GenerationProgress(text=text))
            case {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": str(text)}}:
                patience.answer_began = True
                answer.reasoning.append(text)
                on_progress(GenerationProgress(reasoning=text))
            case {"type": "message_delta", "delta": dict(delta), **rest}:
                stop = delta.get("stop_reason")
                if isinstance(stop, str) and stop:
                    answer.stop = _STOP_WORDS.get(stop, stop)
                written = rest.get("usage")
                if isinstance(written, dict):
                    answer.output_tokens = count(written.get("output_tokens"), answer.output_tokens)
            case {"type": "message_stop"}:
                answer.ended = True
            case {"type": str()}:
                # Kinds of events may be added at any time and are to be passed over.
                pass
            case _:
                raise not_an_answer(payload, SERVER)

    async def _batches(
        self, client: httpx.AsyncClient, body: Mapping[str, JsonValue]
    ) -> AsyncGenerator[list[str], None]:
        began = False
        try:
            async with client.stream("POST", "/v1/messages", json=body) as response:
                if response.status_code != 200:
                    error = self._session.guard.content(await read_some(response))
                    raise fault_from_status(
                        response.status_code,
                        response.headers,
                        error,
                        SERVER,
                        str(body["model"]),
                        key_variable=ANTHROPIC_VARIABLE,
                    )
                began = True
                async for batch in line_batches(response):
                    yield [self._session.guard.text(line) for line in batch]
        except httpx.HTTPError as error:
            raise fault_from_transport(error, SERVER, in_answer=began) from error

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        return None

    async def count_tokens(self, prompt: str) -> int | None:
        return None

    def memory(self) -> MemorySample | None:
        return None

    async def unload(self) -> None:
        self._model = None
        with suppress(Exception):
            await self._session.close()


def _ref(name: str) -> ModelRef:
    return ModelRef(BACKEND, name, remote=True)


def _check_name(name: str) -> None:
    """The name becomes part of an address."""
    if not name or not all(char.isascii() and (char.isalnum() or char in "-._:@") for char in name):
        raise BackendFault(
            FaultKind.NO_SUCH_MODEL,
            f"“{name}” is not the name of a model of {SERVER}.",
            "See its list of models.",
        )


def _speaks_of_temperature(fault: BackendFault) -> bool:
    return fault.kind is FaultKind.SERVER_ERROR and "HTTP 400" in fault.detail and "temperature" in fault.detail
