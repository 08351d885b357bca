"""What every engine or server must be able to do, and the records that pass between it and a run.

An adapter is one class behind the `Backend` protocol. It never scores, never journals and never retries on its
own: the run decides. All calls are coroutines and end with `asyncio.CancelledError` at once when cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from packs.errors import AppError

JsonValue = object
"""Plain JSON: None, bool, int, float, str, list, dict with text keys."""


class FaultKind(StrEnum):
    """Why a backend could not do what was asked. The run turns it into a cause."""

    NOT_REACHABLE = "not_reachable"
    """Nothing listens, or the connection broke before an answer began: may be tried again."""
    SERVER_ERROR = "server_error"
    """The server answered with an error of its own, or with something that is no answer."""
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    """The engine's process ended, or the stream broke off in mid-answer."""
    INPUT_TOO_LONG = "input_too_long"
    """The server refused the length; nothing was cut."""
    NO_SUCH_MODEL = "no_such_model"
    BAD_MODEL_FILE = "bad_model_file"
    """Missing, cut, corrupt, of an unknown architecture."""
    NOT_SUPPORTED = "not_supported"
    """This machine or this server cannot do it (no AVX2, no grammar)."""
    FILTERED = "filtered"
    """A filter of the server stopped the answer. The server works; the next answer may well come."""
    BUSY = "busy"
    """429 or the like; `retry_after_s` may say how long."""


class BackendFault(AppError):
    """A backend could not do it. `message` and `fix` are for a person, `detail` are the server's own words."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        fix: str = "",
        *,
        detail: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, fix, code=kind.value)
        self.kind = kind
        self.detail = detail
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class ModelRef:
    """One model a backend can run.

    name: as the backend calls it and as a person sees it. path: the GGUF file where there is one.
    digest: 'sha256:…' or the server's own; size_bytes: weights on disk. Unknown is None.
    """

    backend: str
    name: str
    path: Path | None = None
    digest: str | None = None
    size_bytes: int | None = None
    quantization: str | None = None
    parameter_count: str | None = None
    remote: bool = False
    """Runs on somebody else's machine (a cloud model behind a local server)."""
    unsuitable_because: str | None = None
    """Why it cannot answer prompts (an embedding model, a broken file), as a sentence. None: it can."""


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How a model is loaded; every value is set and recorded, none is left to the engine's default."""

    context_tokens: int
    threads: int
    batch_tokens: int = 128
    kv_cache_type: str = "f16"
    slots: int = 1
    thinking: bool = False
    """Let a model that can think before it answers do so."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What is known once a model is ready. Unknown is None."""

    engine: str
    """Name and version: 'llama.cpp b11549 (xllamacpp 2026.10.11549)'."""
    load_ms: float
    context_tokens: int | None
    options: Mapping[str, JsonValue]
    """Everything that was asked for, as sent."""
    notes: tuple[str, ...] = ()
    """Sentences for a person: 'This file has no chat template; …'."""
    has_chat_template: bool | None = None
    digest: str | None = None
    """'sha256:…' of the weights that were loaded; None where it was not taken."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """Limits what the answer may look like, where the backend can (`Capabilities.constraints`)."""

    json_schema: Mapping[str, JsonValue] | None = None
    grammar: str | None = None
    """GBNF."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One answer wanted: a single user message, no system message."""

    prompt: str
    context_tokens: int
    max_tokens: int
    temperature: float
    seed: int
    constraint: Constraint | None = None
    reuse_prefix: bool = False
    """Start from the primed prefix (`Backend.prime`) and from nothing else, so that the answer depends on this
    prompt alone. Off: the prompt is read from nothing, where the backend can."""
    stop: tuple[str, ...] = ()
    """The answer ends before the first of these texts."""


@dataclass(frozen=True, slots=True)
class PrimedPrefix:
    """The beginning that all prompts of a pack share, read once and kept.

    tokens: its length. prompt_ms: what reading it took. method: in words, for the report.
    """

    tokens: int
    prompt_ms: float
    method: str


@dataclass(frozen=True, slots=True)
class Timing:
    """Figures of one generation, milliseconds and tokens; None where the backend cannot tell.

    ttft_ms: request sent until the first piece of text. tokens_per_second: by the backend's own counts and
    time when `source` is 'engine', by its counts and our clock ('counts'), else by chunks ('chunks').
    prompt_ms: reading the prompt.
    """

    ttft_ms: float | None
    wall_ms: float
    tokens_per_second: float | None
    prompt_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    prompt_ms: float | None = None
    chunks: int = 0
    source: str = "chunks"


@dataclass(frozen=True, slots=True)
class Generation:
    """One answer as it came. `text` is the visible answer, `reasoning` a server's separate field, raw both."""

    text: str
    reasoning: str
    finish_reason: str
    timing: Timing
    request_options: Mapping[str, JsonValue]
    """The exact options sent, without the prompt and without any key."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can tell or do. Probed, not assumed."""

    memory: bool = False
    exact_token_count: bool = False
    prefix_reuse: bool = False
    constraints: bool = False
    unload: bool = False
    local: bool = True
    """False: what is sent leaves this computer."""
    memory_unknown_because: str = ""
    """Why `memory` is False, as a sentence, where more is known than that the backend does not tell."""


@dataclass(frozen=True, slots=True)
class MemorySample:
    """used_mib: of the engine's own process or device; method: in words, for the report."""

    used_mib: float
    peak_mib: float
    method: str


@dataclass(frozen=True, slots=True)
class Clocks:
    """How long to wait, in seconds, before a silent server is given up. All can be set by the person."""

    load_s: float = 600.0
    first_token_s: float = 120.0
    between_tokens_s: float = 60.0


@dataclass(frozen=True, slots=True)
class GenerationProgress:
    """What has come so far. `text` is the new piece; prompt_done/prompt_total count prompt tokens read."""

    text: str = ""
    reasoning: str = ""
    prompt_done: int | None = None
    prompt_total: int | None = None


OnProgress = Callable[[GenerationProgress], None]


class Backend(Protocol):
    """One engine or server. Made with its address and its `Clocks`; holds at most one loaded model."""

    @property
    def name(self) -> str:
        """As in the table of backends."""

    @property
    def capabilities(self) -> Capabilities: ...

    async def version(self) -> str:
        """Name and version of the server. Raises BackendFault."""

    async def list_models(self) -> list[ModelRef]:
        """What can be run, remote ones included and marked. Raises BackendFault."""

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        """Make `model` ready. Raises BackendFault; nothing stays behind then."""

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        """One answer, streamed. Raises BackendFault. Cancelling stops the server's work as well.

        An engine that went away (it crashed, or a cancelled answer cost it its model) is made ready by the
        next call, a few times in a row at most."""

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        """Read once what all prompts begin with, for requests with `reuse_prefix`.

        prompts: all of the pack, always the same ones, so that the prefix depends on the pack alone. None:
        this backend cannot, or they share too little; requests with `reuse_prefix` are then answered as
        without. Raises BackendFault when the engine failed over it.
        """

    async def count_tokens(self, prompt: str) -> int | None:
        """Tokens of the whole prompt as the model is sent it, template included; None where unknown."""

    def memory(self) -> MemorySample | None:
        """Now and the highest so far; None where it cannot be measured. Cheap, any thread."""

    async def unload(self) -> None:
        """Free everything. Never raises."""


@runtime_checkable
class TellsMetadata(Protocol):
    """A backend that tells what stands in its models' files, so that memory can be reckoned before loading."""

    async def metadata(self, model: str) -> Mapping[str, JsonValue]:
        """The flat `key: value` metadata of the model file. Raises BackendFault."""


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """For journal and report."""

    name: str
    version: str
    address: str | None = None
    local: bool = True
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
