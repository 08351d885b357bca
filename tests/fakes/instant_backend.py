"""A backend that answers at once by a function of the prompt, and does what a test scripts for a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from desktop.backends.base import (
    BackendFault,
    Capabilities,
    Generation,
    GenerationProgress,
    GenerationRequest,
    Loaded,
    LoadSettings,
    MemorySample,
    ModelRef,
    OnProgress,
    Timing,
)

HEALTHY = "one two three four five six seven eight nine ten"
"""What a sound model says to the health check."""


def repeat_last_word(request: GenerationRequest) -> str:
    """PlainWork's right answer."""
    return request.prompt.rsplit(" ", 1)[-1] if request.prompt.startswith("Repeat") else HEALTHY


class InstantBackend:
    """answer: text for a request. faults: raised for a prompt that ends so, one a call until none is left.

    stall: prompts that end so never get an answer. load_faults: the same for a model's name.
    """

    name = "instant"

    def __init__(
        self,
        answer: Callable[[GenerationRequest], str] = repeat_last_word,
        *,
        faults: dict[str, list[BackendFault]] | None = None,
        load_faults: dict[str, list[BackendFault]] | None = None,
        stall: tuple[str, ...] = (),
        memory_mib: float | None = None,
        capabilities: Capabilities | None = None,
        finish: Callable[[GenerationRequest], str] = lambda _: "stop",
        models: tuple[ModelRef, ...] = (ModelRef("instant", "quick", size_bytes=100, digest="d1"),),
    ) -> None:
        self.answer, self.finish = answer, finish
        self.faults, self.load_faults, self.stall = faults or {}, load_faults or {}, stall
        self.memory_mib = memory_mib
        self.capabilities = capabilities or Capabilities(memory=memory_mib is not None)
        self.models = models
        self.loaded: ModelRef | None = None
        self.calls: list[str] = []
        self.requests: list[GenerationRequest] = []
        self.stalled = asyncio.Event()
        self.in_flight = 0
        self.most_in_flight = 0
        self.loses_model_when_cancelled = False
        self.prompt_tokens: Callable[[GenerationRequest], int | None] = lambda request: len(
            request.prompt.split()
        )

    async def version(self) -> str:
        return "instant 1"

    async def list_models(self) -> list[ModelRef]:
        return list(self.models)

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        self.calls.append(f"load {model.name}")
        if self.load_faults.get(model.name):
            raise self.load_faults[model.name].pop(0)
        self.loaded = model
        return Loaded("instant 1", 1.0, settings.context_tokens, {"threads": settings.threads})

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._generate(request, on_progress)
        finally:
            self.in_flight -= 1

    async def _generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        for ending, faults in self.faults.items():
            if request.prompt.endswith(ending) and faults:
                raise faults.pop(0)
        if request.prompt.endswith(self.stall) and self.stall:
            self.stalled.set()
            try:
                await asyncio.Event().wait()
            finally:
                if self.loses_model_when_cancelled:
                    self.loaded = None
        await asyncio.sleep(0)
        text = self.answer(request)
        on_progress(GenerationProgress(text=text))
        words = len(text.split())
        timing = Timing(
            5.0, 10.0, 100.0, self.prompt_tokens(request), 0, max(words, 0), 4.0, max(words, 1), "engine"
        )
        return Generation(text, "", self.finish(request), timing, {"seed": request.seed})

    async def count_tokens(self, prompt: str) -> int | None:
        return len(prompt.split()) if self.capabilities.exact_token_count else None

    def memory(self) -> MemorySample | None:
        if self.memory_mib is None:
            return None
        return MemorySample(self.memory_mib, self.memory_mib, "as the test says")

    async def unload(self) -> None:
        self.calls.append(f"unload {self.loaded.name if self.loaded else '-'}")
        self.loaded = None
