"""Ollama through its native API. Never through its `/v1` path: that one ignores `num_ctx` and cuts prompts."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace

import httpx

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
from desktop.inference.backends.cloud_names import is_cloud_name
from desktop.inference.backends.finish_reasons import fault_of_finish, kept_text
from desktop.inference.backends.http_client import (
    Resolver,
    fault_from_status,
    fault_from_text,
    fault_from_transport,
    fault_of_odd_line,
    line_batches,
    not_an_answer,
    read_some,
    resolve,
)
from desktop.inference.backends.ollama_lines import (
    BACKEND,
    End,
    NotUnderstood,
    OllamaChunk,
    ServerSaysError,
    error_body,
    find_model,
    generate_line,
    model_list,
)
from desktop.inference.backends.server_memory import ServerMemory
from desktop.inference.backends.server_session import ServerSession
from desktop.inference.backends.stream_clock import ChunkTimes, Patience

SERVER = "Ollama"
KEEP_ALIVE = "30m"
"""Long enough for a pause of the person; the model is unloaded at the end of the candidate anyway."""
UNLOAD_S = 5.0
HOW_TO_START = "Start Ollama (the app, or `ollama serve` in a terminal), then try again."
HOW_TO_GET = "Fetch it with `ollama pull NAME` while you are online, or choose one of the models that are here."


class OllamaBackend:
    """One Ollama server. Models that Ollama runs elsewhere are marked `remote` and are refused by `load` unless
    other computers are allowed."""

    def __init__(
        self,
        url: str,
        *,
        remote_allowed: bool = False,
        clocks: Clocks | None = None,
        resolver: Resolver = resolve,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Raises BackendFault NOT_SUPPORTED for an address that is not allowed."""
        self._session = ServerSession(url, SERVER, remote_allowed=remote_allowed, resolver=resolver)
        self._remote_allowed = remote_allowed
        self._clocks = clocks or Clocks()
        self._now = now
        self._model: str | None = None
        self._thinks = False
        self._thinking = False
        self._memory = ServerMemory(self._session.url, ("ollama",)) if self._session.local else None

    @property
    def name(self) -> str:
        return BACKEND

    @property
    def capabilities(self) -> Capabilities:
        unknown = self._memory.unknown_because if self._memory is not None else ""
        return Capabilities(
            memory=self._memory is not None and not unknown,
            memory_unknown_because=unknown,
            exact_token_count=False,
            prefix_reuse=False,
            constraints=True,
            unload=True,
            local=self._session.local,
        )

    async def version(self) -> str:
        found = await self._ask("GET", "/api/version")
        version = found.get("version")
        return f"{SERVER} {version}" if isinstance(version, str) else SERVER

    async def list_models(self) -> list[ModelRef]:
        listed = model_list(await self._ask("GET", "/api/tags"))
        # A list that does not say where a model runs may still tell it by the name.
        return [replace(model, remote=model.remote or is_cloud_name(model.name)) for model in listed]

    async def find(self, wanted: str) -> ModelRef:
        """By name, with `:latest` where no tag is given. Raises BackendFault NO_SUCH_MODEL."""
        models = await self.list_models()
        found = find_model(models, wanted)
        if found is None:
            raise _no_such_model(wanted, models)
        return found

    def default_settings(self, context_tokens: int) -> LoadSettings:
        """Ollama chooses the threads itself: 0."""
        return LoadSettings(context_tokens=context_tokens, threads=0)

    async def metadata(self, model: str) -> Mapping[str, JsonValue]:
        """The flat `key: value` metadata of the model file. Raises BackendFault."""
        info = (await self._show(model)).get("model_info")
        return info if isinstance(info, dict) else {}

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        await self.unload()
        shown = await self._show(model.name)
        if model.remote or shown.get("remote_host") or shown.get("remote_model"):
            self._refuse_remote(model.name)
        self._session.open()
        self._model = model.name
        abilities = shown.get("capabilities")
        self._thinks = isinstance(abilities, list) and "thinking" in abilities
        self._thinking = settings.thinking
        options = {"num_ctx": settings.context_tokens}
        body = {
            "model": model.name,
            "prompt": "",
            "stream": False,
            "keep_alive": KEEP_ALIVE,
            "options": options,
        }
        started = self._now()
        try:
            await self._ask("POST", "/api/generate", body, timeout_s=self._clocks.load_s)
            load_ms = (self._now() - started) * 1000
            granted = await self._granted_context(model.name)
            version = await self.version()
        except BaseException:
            await self.unload()
            raise
        if self._memory is not None:
            self._memory.forget_peak()
        return Loaded(
            engine=version,
            load_ms=load_ms,
            context_tokens=granted if granted is not None else settings.context_tokens,
            options={"num_ctx": settings.context_tokens, "keep_alive": KEEP_ALIVE},
            notes=_notes(shown, granted, settings),
            has_chat_template=_has_template(shown),
            digest=model.digest,
        )

    async def _granted_context(self, model: str) -> int | None:
        """Newer versions tell how large a context they gave, which may be less than was asked for."""
        running = await self._session.ask_if_known("GET", "/api/ps") or {}
        entries = running.get("models")
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict) and model in (entry.get("name"), entry.get("model")):
                return count(entry.get("context_length")) or None
        return None

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        if self._model is None:
            raise RuntimeError("nothing is loaded")
        text: list[str] = []
        with kept_text(text):
            return await self._read(self._body(request, self._model), self._model, text, on_progress)

    async def _read(
        self, body: Mapping[str, JsonValue], model: str, text: list[str], on_progress: OnProgress
    ) -> Generation:
        """text: takes the pieces as they come."""
        times = ChunkTimes(self._now)
        patience = Patience(self._clocks, SERVER)
        reasoning: list[str] = []
        end: End | None = None
        async with aclosing(self._batches(self._session.open(), "/api/generate", body, model)) as batches:
            async for line in patience.each(batches):
                said = generate_line(line)
                match said:
                    case OllamaChunk():
                        patience.answer_began = True
                        times.chunk()
                        text.append(said.text)
                        reasoning.append(said.thinking)
                        if said.text or said.thinking:
                            on_progress(GenerationProgress(text=said.text, reasoning=said.thinking))
                    case End():
                        end = said
                        break
                    case ServerSaysError():
                        raise fault_from_text(said.message, SERVER, model)
                    case NotUnderstood():
                        raise fault_of_odd_line(said.line, SERVER)
        if end is None:
            raise BackendFault(
                FaultKind.CRASHED,
                f"{SERVER}: the answer broke off before its end. The model's runner may have crashed.",
                "See Ollama's log. It may lack memory for this model at this context.",
                detail=f"no closing record after {times.chunks} pieces",
            )
        fault = fault_of_finish(end.stop, SERVER)
        if fault is not None:
            raise fault
        return Generation(
            text="".join(text),
            reasoning="".join(reasoning),
            finish_reason=end.stop,
            timing=times.timing(
                prompt_tokens=end.prompt_tokens,
                output_tokens=end.output_tokens,
                prompt_ms=end.prompt_ms,
                engine_tokens_per_second=end.tokens_per_second,
            ),
            request_options={name: value for name, value in body.items() if name != "prompt"},
        )

    def _body(self, request: GenerationRequest, model: str) -> dict[str, JsonValue]:
        if request.constraint is not None and request.constraint.json_schema is None:
            raise BackendFault(
                FaultKind.NOT_SUPPORTED,
                f"{SERVER} can limit answers to a JSON schema, not to a grammar.",
                "Run with free answers, or use the built-in engine.",
            )
        body: dict[str, JsonValue] = {
            "model": model,
            "prompt": request.prompt,
            "stream": True,
            "keep_alive": KEEP_ALIVE,
            "options": {
                "temperature": request.temperature,
                "seed": request.seed,
                "num_predict": request.max_tokens,
                "num_ctx": request.context_tokens,
                **({"stop": list(request.stop)} if request.stop else {}),
            },
        }
        if request.constraint is not None and request.constraint.json_schema is not None:
            body["format"] = dict(request.constraint.json_schema)
        if self._thinks:
            body["think"] = self._thinking
        return body

    async def _batches(
        self, client: httpx.AsyncClient, path: str, body: Mapping[str, JsonValue], model: str
    ) -> AsyncGenerator[list[str], None]:
        """The lines of a streamed answer as they arrive. Raises BackendFault."""
        began = False
        try:
            async with client.stream("POST", path, json=body) as response:
                if response.status_code != 200:
                    error = await read_some(response)
                    raise _with_remedy(
                        fault_from_status(
                            response.status_code, response.headers, error, SERVER, model, error_body
                        )
                    )
                began = True
                async for batch in line_batches(response):
                    yield batch
        except httpx.HTTPError as error:
            raise _with_remedy(fault_from_transport(error, SERVER, in_answer=began)) from error

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        """Ollama keeps prompts in its own way, which cannot be pinned to one state."""
        return None

    async def count_tokens(self, prompt: str) -> int | None:
        return None

    def memory(self) -> MemorySample | None:
        return self._memory.sample() if self._memory is not None else None

    async def unload(self) -> None:
        model, self._model = self._model, None
        if model is not None:
            with suppress(BackendFault):
                body = {"model": model, "keep_alive": 0}
                await self._session.ask("POST", "/api/generate", body, timeout_s=UNLOAD_S)
        with suppress(Exception):
            await self._session.close()

    async def _show(self, model: str) -> dict[str, object]:
        return await self._ask("POST", "/api/show", {"model": model}, model=model)

    async def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, JsonValue] | None = None,
        *,
        timeout_s: float = 15.0,
        model: str = "",
    ) -> dict[str, object]:
        try:
            found = await self._session.ask(
                method, path, body, timeout_s=timeout_s, model=model or self._model or ""
            )
        except BackendFault as fault:
            raise _with_remedy(fault) from fault
        if not isinstance(found, dict):
            raise not_an_answer(str(found)[:200], SERVER)
        return found

    def _refuse_remote(self, model: str) -> None:
        if not self._remote_allowed:
            raise BackendFault(
                FaultKind.NOT_SUPPORTED,
                f"{model} is a cloud model: Ollama would send the prompts to another computer.",
                "Choose a model that runs here, or allow other computers for this run.",
            )


def _with_remedy(fault: BackendFault) -> BackendFault:
    """The same fault with what to do about it in Ollama's case."""
    remedies = {FaultKind.NOT_REACHABLE: HOW_TO_START, FaultKind.NO_SUCH_MODEL: HOW_TO_GET}
    fix = remedies.get(fault.kind, fault.fix)
    return BackendFault(fault.kind, fault.message, fix, detail=fault.detail, retry_after_s=fault.retry_after_s)


def _no_such_model(wanted: str, models: Sequence[ModelRef]) -> BackendFault:
    known = ", ".join(model.name for model in models) or "none"
    return BackendFault(
        FaultKind.NO_SUCH_MODEL, f"{SERVER} has no model called “{wanted}”. It has: {known}.", HOW_TO_GET
    )


def _has_template(shown: Mapping[str, object]) -> bool | None:
    """A bare `{{ .Prompt }}` only hands the prompt on: no chat template."""
    template = shown.get("template")
    if not isinstance(template, str):
        return None
    return bool(template.strip()) and "".join(template.split()) != "{{.Prompt}}"


def _notes(shown: Mapping[str, object], granted: int | None, settings: LoadSettings) -> tuple[str, ...]:
    notes = []
    if _has_template(shown) is False:
        notes.append(
            "Ollama has no chat template for this model: it may be a base model that continues text instead of "
            "answering."
        )
    if granted is not None and granted < settings.context_tokens:
        notes.append(
            f"Ollama gave a context of {granted:,} tokens instead of {settings.context_tokens:,}: longer "
            "prompts will be cut."
        )
    return tuple(notes)
