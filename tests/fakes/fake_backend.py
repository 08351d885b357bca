"""A backend that does what a test scripts: streams, stalls, crashes, running out of memory, wrong token counts.

No clock, no thread, no process. Answers are chosen by the prompt, so an answer depends on the example alone
unless the test wants otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from desktop.inference.backends.base import (
    BackendFault,
    Capabilities,
    FaultKind,
    Generation,
    GenerationProgress,
    GenerationRequest,
    Loaded,
    LoadSettings,
    MemorySample,
    ModelRef,
    OnProgress,
    PrimedPrefix,
    Timing,
)


@dataclass(frozen=True)
class Answer:
    """One scripted answer.

    fault: raised instead of an end, after `fault_after` pieces. stall: 'before' or 'within' the text: waits
    until cancelled or until the test sets `FakeBackend.go_on`. prompt_tokens 'lie' by whatever is given;
    None: the backend does not tell.
    """

    text: str = ""
    reasoning: str = ""
    finish_reason: str = "stop"
    fault: BackendFault | None = None
    fault_after: int = 0
    stall: str = ""
    prompt_tokens: int | None = None
    cached_tokens: int | None = 0
    output_tokens: int | None = None
    ttft_ms: float | None = 10.0
    wall_ms: float = 50.0
    tokens_per_second: float | None = 100.0


@dataclass
class FakeModel:
    """One model. answers: what it says to a prompt; `nth` counts its answers to that prompt from 0."""

    name: str
    answers: Callable[[str, int], Answer | str] = lambda prompt, nth: "ok"
    size_bytes: int | None = 100 * 2**20
    load_fault: BackendFault | None = None
    load_stalls: bool = False
    notes: tuple[str, ...] = ()
    peak_mib: float = 500.0
    remote: bool = False
    unsuitable_because: str | None = None
    digest: str | None = "sha256:" + "0" * 64
    has_chat_template: bool | None = True

    def ref(self) -> ModelRef:
        return ModelRef(
            backend="fake",
            name=self.name,
            digest=self.digest,
            size_bytes=self.size_bytes,
            quantization="Q4_1",
            parameter_count="100M",
            remote=self.remote,
            unsuitable_because=self.unsuitable_because,
        )


def fault(kind: FaultKind, detail: str = "", retry_after_s: float | None = None) -> BackendFault:
    """A fault in the words of the fake."""
    return BackendFault(
        kind, f"The fake says {kind.value}.", "Do nothing.", detail=detail, retry_after_s=retry_after_s
    )


def message(text: str) -> int:
    """The fake's tokens are words."""
    return len(text.split())


@dataclass
class FakeBackend:
    """`calls` notes what was asked: ('load', name), ('generate', prompt), ('cancelled', prompt), …."""

    models: Sequence[FakeModel]
    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(
            memory=True, exact_token_count=True, prefix_reuse=True, constraints=True, unload=True
        )
    )
    name: str = "fake"
    version_text: str = "fake 1"
    primes: bool = True
    prime_faults: list[BackendFault] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    requests: list[GenerationRequest] = field(default_factory=list)
    loads: list[LoadSettings] = field(default_factory=list)
    loaded: FakeModel | None = None
    _asked: dict[tuple[str, str], int] = field(default_factory=dict)
    _go_on: asyncio.Event | None = None
    stalled: asyncio.Event | None = None

    @property
    def go_on(self) -> asyncio.Event:
        """Set it to let a stalled answer or load go on. Made inside the running loop."""
        if self._go_on is None:
            self._go_on = asyncio.Event()
        return self._go_on

    async def version(self) -> str:
        return self.version_text

    async def list_models(self) -> list[ModelRef]:
        return [model.ref() for model in self.models]

    async def find(self, wanted: str) -> ModelRef:
        for model in self.models:
            if model.name == wanted:
                return model.ref()
        raise fault(FaultKind.NO_SUCH_MODEL)

    def default_settings(self, context_tokens: int) -> LoadSettings:
        return LoadSettings(context_tokens=context_tokens, threads=1)

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        self.calls.append(("load", model.name))
        self.loads.append(settings)
        wanted = next(entry for entry in self.models if entry.name == model.name)
        if wanted.load_stalls:
            await self._stall()
        if wanted.load_fault is not None:
            raise wanted.load_fault
        self.loaded = wanted
        return Loaded(
            engine=self.version_text,
            load_ms=12.0,
            context_tokens=settings.context_tokens,
            options={"threads": settings.threads},
            notes=wanted.notes,
            has_chat_template=wanted.has_chat_template,
            digest=wanted.digest,
        )

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        assert self.loaded is not None, "generate before load"
        self.calls.append(("generate", request.prompt))
        self.requests.append(request)
        key = (self.loaded.name, request.prompt)
        nth = self._asked.get(key, 0)
        self._asked[key] = nth + 1
        answer = self.loaded.answers(request.prompt, nth)
        if isinstance(answer, str):
            answer = Answer(answer)
        try:
            return await self._stream(answer, request, on_progress)
        except asyncio.CancelledError:
            self.calls.append(("cancelled", request.prompt))
            raise

    async def _stream(self, answer: Answer, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        total = message(request.prompt)
        on_progress(GenerationProgress(prompt_done=0, prompt_total=total))
        await asyncio.sleep(0)
        if answer.stall == "before":
            await self._stall()
        on_progress(GenerationProgress(prompt_done=total, prompt_total=total))
        if answer.reasoning:
            on_progress(GenerationProgress(reasoning=answer.reasoning))
        pieces = answer.text.split(" ")
        pieces = [piece if i == 0 else " " + piece for i, piece in enumerate(pieces)] if answer.text else []
        for i, piece in enumerate(pieces):
            if answer.fault is not None and i >= answer.fault_after:
                raise answer.fault
            if answer.stall == "within" and i == 1:
                await self._stall()
            on_progress(GenerationProgress(text=piece))
        if answer.fault is not None:
            raise answer.fault
        return Generation(
            text=answer.text,
            reasoning=answer.reasoning,
            finish_reason=answer.finish_reason,
            timing=Timing(
                ttft_ms=answer.ttft_ms,
                wall_ms=answer.wall_ms,
                tokens_per_second=answer.tokens_per_second,
                prompt_tokens=total if answer.prompt_tokens is None else answer.prompt_tokens,
                cached_tokens=answer.cached_tokens,
                output_tokens=message(answer.text) if answer.output_tokens is None else answer.output_tokens,
                prompt_ms=8.0,
                chunks=len(pieces),
                source="engine",
            ),
            request_options=request_options(request),
        )

    async def _stall(self) -> None:
        if self.stalled is not None:
            self.stalled.set()
        await self.go_on.wait()

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        self.calls.append(("prime", str(len(prompts))))
        if self.prime_faults:
            raise self.prime_faults.pop(0)
        return PrimedPrefix(tokens=7, prompt_ms=3.0, method="scripted") if self.primes else None

    async def count_tokens(self, prompt: str) -> int | None:
        return message(prompt)

    def memory(self) -> MemorySample | None:
        if self.loaded is None:
            return None
        return MemorySample(self.loaded.peak_mib * 0.9, self.loaded.peak_mib, "scripted")

    async def unload(self) -> None:
        self.calls.append(("unload", ""))
        self.loaded = None


def request_options(request: GenerationRequest) -> Mapping[str, object]:
    return {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "reuse_prefix": request.reuse_prefix,
    }
