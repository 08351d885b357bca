"""Any server that speaks OpenAI's chat protocol: llama-server, LM Studio, vLLM, Rapid-MLX, Jan, a cluster.

Only `/v1/models` and `/v1/chat/completions` are needed. Everything else is tried once when a model is loaded
and used where the server knows it; what the server can do is found out with very short requests, not assumed.
Answers may be asked for side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from desktop.inference.backends.base import (
    BackendFault,
    Capabilities,
    Clocks,
    Constraint,
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
from desktop.inference.backends.chat_stream import ChatStream
from desktop.inference.backends.http_client import Resolver, not_an_answer, resolve
from desktop.inference.backends.openai_extras import (
    ServerExtras,
    count_tokens,
    mlx_memory_mib,
    models_of,
    probe_extras,
)
from desktop.inference.backends.server_memory import ServerMemory
from desktop.inference.backends.server_session import ServerSession

BACKEND = "openai"
SERVER = "The server"
_HOW_TO_START = "Start the server and load a model in it, then try again."
_PROBE_WORD = "packbench"
_PROBE_TOKENS = 16


class OpenAiCompatibleBackend:
    """One server at one address. The key, if any, is only ever sent as a header to that address."""

    def __init__(
        self,
        url: str,
        *,
        name: str = BACKEND,
        api_key: str | None = None,
        remote_allowed: bool = False,
        clocks: Clocks | None = None,
        resolver: Resolver = resolve,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """url: with or without `/v1` at its end. name: under which a run is recorded.

        Raises BackendFault NOT_SUPPORTED for an address that is not allowed.
        """
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._session = ServerSession(
            url.strip().rstrip("/").removesuffix("/v1"),
            SERVER,
            remote_allowed=remote_allowed,
            headers=headers,
            key=api_key,
            resolver=resolver,
        )
        self._name = name
        self._clocks = clocks or Clocks()
        self._now = now
        self._model: str | None = None
        self._extras = ServerExtras()
        self._body_extras: Mapping[str, JsonValue] = {}
        self._constraints = False
        self._memory = ServerMemory(self._session.url) if self._session.local else None
        self._reported_memory: MemorySample | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        """Before `load` only what is known without asking."""
        unknown = self._memory.unknown_because if self._memory is not None else ""
        reported = self._extras.kind == "rapid-mlx"
        return Capabilities(
            memory=reported or (self._memory is not None and not unknown),
            memory_unknown_because="" if reported else unknown,
            exact_token_count=self._extras.counts_tokens,
            prefix_reuse=False,
            constraints=self._constraints,
            unload=False,
            local=self._session.local,
        )

    async def version(self) -> str:
        """Raises BackendFault when nothing answers."""
        await self._models()
        return (await probe_extras(self._session)).message

    async def list_models(self) -> list[ModelRef]:
        return models_of(await self._models(), remote=not self._session.local)

    async def find(self, wanted: str) -> ModelRef:
        """By its name; a server that lists no models is asked for whatever is wanted. Raises BackendFault."""
        models = await self.list_models()
        for model in models:
            if model.name == wanted:
                return model
        if not models:
            return ModelRef(BACKEND, wanted, remote=not self._session.local)
        known = ", ".join(model.name for model in models[:20])
        raise BackendFault(
            FaultKind.NO_SUCH_MODEL,
            f"{SERVER} has no model called “{wanted}”.",
            f"It has: {known}.",
        )

    def default_settings(self, context_tokens: int) -> LoadSettings:
        """The server chooses the threads itself: 0."""
        return LoadSettings(context_tokens=context_tokens, threads=0)

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        """Nothing is loaded by us: asks the server what it knows and tries one very short answer."""
        await self.unload()
        self._session.open()
        self._model = model.name
        started = self._now()
        try:
            self._extras = await probe_extras(self._session)
            if self._extras.model_loaded is False:
                raise BackendFault(FaultKind.BUSY, f"{SERVER} has no model loaded yet.", _HOW_TO_START)
            self._body_extras = await self._accepted_extras(settings)
            self._constraints = await self._keeps_to_schema()
        except BaseException:
            await self.unload()
            raise
        if self._memory is not None:
            self._memory.forget_peak()
        context = self._extras.context_tokens
        return Loaded(
            engine=self._extras.message,
            load_ms=(self._now() - started) * 1000,
            context_tokens=context,
            options={"extras": dict(self._body_extras), "constraints": self._constraints},
            notes=_notes(context, settings),
            has_chat_template=self._extras.has_chat_template,
            digest=model.digest,
        )

    async def _accepted_extras(self, settings: LoadSettings) -> Mapping[str, JsonValue]:
        """The largest set of additional fields that the server accepts, found by asking. Raises BackendFault
        when it refuses the plain request as well."""
        refusal: BackendFault | None = None
        for extras in self._extras.body_extras(thinking=settings.thinking):
            try:
                await self._try_out(extras, None)
            except BackendFault as fault:
                if fault.kind is not FaultKind.SERVER_ERROR:
                    raise _with_remedy(fault) from fault
                refusal = fault
            else:
                return extras
        assert refusal is not None
        raise refusal

    async def _keeps_to_schema(self) -> bool:
        """Does the server hold an answer to a JSON schema? Some accept the field and ignore it."""
        try:
            answer = await self._try_out(self._body_extras, Constraint(json_schema={"enum": [_PROBE_WORD]}))
        except BackendFault:
            return False
        return answer.text.strip() == f'"{_PROBE_WORD}"'

    async def _try_out(self, extras: Mapping[str, JsonValue], constraint: Constraint | None) -> Generation:
        request = GenerationRequest("Say ok.", 0, _PROBE_TOKENS, 0.0, 1, constraint)
        clocks = Clocks(first_token_s=self._clocks.load_s, between_tokens_s=self._clocks.between_tokens_s)
        stream = ChatStream(self._session.open(), SERVER, clocks, self._now, guard=self._session.guard)
        return await stream.generate(self._body(request, extras), _unseen)

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        if self._model is None:
            raise RuntimeError("nothing is loaded")
        if request.constraint is not None and not self._constraints:
            raise BackendFault(
                FaultKind.NOT_SUPPORTED,
                f"{SERVER} does not hold answers to a form.",
                "Run with free answers, or use the built-in engine.",
            )
        if self._extras.clears_cache:
            # Without it the time to the first token would depend on the prompt before.
            await self._session.ask_if_known("POST", "/v1/cache/clear", {})
        stream = ChatStream(
            self._session.open(),
            SERVER,
            self._clocks,
            self._now,
            keeps_connection=self._session.local,
            guard=self._session.guard,
        )
        try:
            answer = await stream.generate(self._body(request, self._body_extras), on_progress)
        except BackendFault as fault:
            raise _with_remedy(fault) from fault
        await self._note_own_memory()
        return answer

    async def _note_own_memory(self) -> None:
        """Rapid-MLX tells what its graphics memory holds, which no process figure shows."""
        if self._extras.kind != "rapid-mlx":
            return
        mib = mlx_memory_mib(await self._session.ask_if_known("GET", "/v1/status"))
        if mib is not None:
            peak = max(mib, self._reported_memory.peak_mib if self._reported_memory else 0.0)
            method = "graphics memory as the server tells it after each answer (metal.active_memory_gb)"
            self._reported_memory = MemorySample(mib, peak, method)

    def _body(self, request: GenerationRequest, extras: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {
            "model": self._model,
            "messages": [{"role": "user", "content": request.prompt}],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            "stream": True,
            **extras,
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if request.constraint is not None:
            if request.constraint.json_schema is not None:
                schema = dict(request.constraint.json_schema)
                body["response_format"] = {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": schema},
                }
            elif self._extras.grammar_field is not None:
                body[self._extras.grammar_field] = request.constraint.grammar
            else:
                raise BackendFault(
                    FaultKind.NOT_SUPPORTED,
                    f"{SERVER} can hold answers to a JSON schema, not to a grammar.",
                    "Run with free answers, or use the built-in engine.",
                )
        return body

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        """A server's own cache cannot be pinned to one state."""
        return None

    async def count_tokens(self, prompt: str) -> int | None:
        if self._model is None or not self._extras.counts_tokens:
            return None
        return await count_tokens(self._session, self._extras, self._model, prompt)

    def memory(self) -> MemorySample | None:
        if self._reported_memory is not None:
            return self._reported_memory
        return self._memory.sample() if self._memory is not None else None

    async def unload(self) -> None:
        self._model = None
        self._extras = ServerExtras()
        self._body_extras = {}
        self._constraints = False
        self._reported_memory = None
        with suppress(Exception):
            await self._session.close()

    async def _models(self) -> object:
        try:
            found = await self._session.ask("GET", "/v1/models")
        except BackendFault as fault:
            raise _with_remedy(fault) from fault
        if not isinstance(found, dict):
            raise not_an_answer(str(found)[:200], SERVER)
        return found


def _with_remedy(fault: BackendFault) -> BackendFault:
    if fault.kind is not FaultKind.NOT_REACHABLE:
        return fault
    return BackendFault(fault.kind, fault.message, _HOW_TO_START, detail=fault.detail)


def _unseen(progress: GenerationProgress) -> None:
    """A trial answer is for nobody."""


def _notes(context: int | None, settings: LoadSettings) -> tuple[str, ...]:
    if context is None:
        return ("The server does not tell how large its context is.",)
    if context < settings.context_tokens:
        return (
            f"The server has a context of {context:,} tokens, the pack wants {settings.context_tokens:,}: "
            "longer prompts will be refused or cut.",
        )
    return ()
