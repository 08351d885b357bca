"""The engine that comes along: llama.cpp in a child process of ours, one model, one request at a time."""

from __future__ import annotations

import asyncio
import importlib.metadata
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

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
from desktop.inference.backends.embedded_model import (
    check_known_weights,
    engine_settings,
    engine_text,
    looks_back_over_window,
    model_at,
    notes,
    read_header,
)
from desktop.inference.backends.engine_link import EngineLink
from desktop.inference.backends.engine_settings import EngineSettings
from desktop.inference.backends.kept_prefix import SNAPSHOTS, KeptPrefix
from desktop.inference.backends.model_references import (
    BACKEND,
    distinct_names,
    find_by_name,
    find_model_files,
    model_ref,
    sha256_of,
)
from desktop.inference.backends.private_folder import PrivateFolder
from desktop.inference.backends.process_memory import ProcessMemory
from desktop.inference.backends.processor import check_processor
from desktop.inference.backends.shared_prefix import MIN_TOKENS, common_prefix, spread
from desktop.inference.machine.probe_processor import default_threads
from desktop.inference.memory_fit.load_mode import load_mode_of
from desktop.inference.model_files.gguf import GgufFile

RESTARTS_IN_A_ROW = 3
DIGEST_UP_TO_BYTES = 16 * 2**30
"""Larger files are loaded without a digest: taking it would cost minutes on a slow disk."""

# None of these is left to the engine's default, so that a newer engine does not change an answer unseen.
_SAMPLING: Mapping[str, JsonValue] = {
    "top_k": 40,
    "top_p": 0.95,
    "min_p": 0.05,
    "repeat_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}


class EmbeddedBackend:
    """GGUF files answered by the engine child. Use one object inside one event loop from load to unload.

    folders, files: where models are looked for, the program's own models folder first.
    A child that went away (killed, crashed, ended to skip a unit) is started again with the same model by the
    next request, three times in a row at most.
    """

    def __init__(
        self, folders: Sequence[Path], files: Sequence[Path] = (), *, clocks: Clocks | None = None
    ) -> None:
        self._folders = tuple(folders)
        self._files = tuple(files)
        self._clocks = clocks or Clocks()
        self._settings: EngineSettings | None = None
        self._model: ModelRef | None = None
        self._link: EngineLink | None = None
        self._folder: PrivateFolder | None = None
        self._memory: ProcessMemory | None = None
        self._kept: KeptPrefix | None = None
        self._looks_back_over_window = False
        self._peak_mib = 0.0
        self._abandoned = False
        self._restarts = 0

    @property
    def name(self) -> str:
        return BACKEND

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            memory=True,
            exact_token_count=True,
            prefix_reuse=True,
            constraints=True,
            unload=True,
            local=True,
        )

    async def version(self) -> str:
        try:
            found = importlib.metadata.version("xllamacpp")
        except importlib.metadata.PackageNotFoundError:
            found = self._link.process.version if self._link else ""
        return engine_text(found)

    async def list_models(self) -> list[ModelRef]:
        return await asyncio.to_thread(self._list_models)

    def _list_models(self) -> list[ModelRef]:
        return distinct_names([model_ref(file) for file in find_model_files(self._folders, self._files)])

    async def find(self, wanted: str) -> ModelRef:
        """A model by its name, 'starter', or the path of a GGUF file. Raises BackendFault NO_SUCH_MODEL."""
        models = await self.list_models()
        found = find_by_name(models, wanted)
        if found is not None:
            return found
        by_path = await asyncio.to_thread(model_at, wanted)
        if by_path is not None:
            return by_path
        known = ", ".join(model.name for model in models) or "none"
        raise BackendFault(
            FaultKind.NO_SUCH_MODEL,
            f"There is no model called “{wanted}” on this computer.",
            f"Known models: {known}. Or give the path of a GGUF file.",
        )

    def default_settings(self, context_tokens: int) -> LoadSettings:
        """What suits this computer: physical cores less one."""
        return LoadSettings(context_tokens=context_tokens, threads=default_threads())

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        await self.unload()
        check_processor()
        if model.path is None:
            raise BackendFault(FaultKind.NO_SUCH_MODEL, f"{model.name} has no file.", "Choose a GGUF file.")
        path = model.path.absolute()
        header = await asyncio.to_thread(read_header, path)
        digest = await self._digest(header)
        known = check_known_weights(path, header, digest)
        self._folder = await asyncio.to_thread(PrivateFolder)
        load_mode = await asyncio.to_thread(load_mode_of, header)
        engine = engine_settings(
            path, settings, load_mode=load_mode, check_tensors=not known, folder=self._folder.path
        )
        self._model, self._settings = model, engine
        self._looks_back_over_window = looks_back_over_window(header)
        try:
            link = await self._start()
        except BaseException:
            await self.unload()
            raise
        return Loaded(
            engine=engine_text(link.process.version),
            load_ms=link.process.load_ms or 0.0,
            context_tokens=settings.context_tokens,
            options={**engine.recorded(), "engine_features": link.process.system},
            notes=notes(header, settings),
            has_chat_template=header.chat_template is not None,
            digest=digest,
        )

    async def _digest(self, header: GgufFile) -> str | None:
        if header.file_bytes > DIGEST_UP_TO_BYTES:
            return None
        stop = threading.Event()
        try:
            return await asyncio.to_thread(sha256_of, header.parts, stop.is_set)
        except OSError as error:
            raise BackendFault(
                FaultKind.BAD_MODEL_FILE,
                f"{header.parts[0].name} could not be read to its end.",
                "Check the disk, or get the file again.",
                detail=str(error),
            ) from error
        finally:
            stop.set()

    async def _start(self) -> EngineLink:
        assert self._model is not None and self._settings is not None
        self._link = await EngineLink.start(self._model.name, self._settings, self._clocks)
        self._memory = ProcessMemory(self._link.process.pid)
        self._abandoned = False
        return self._link

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        link = await self._ready()
        reuse = request.reuse_prefix and self._kept is not None
        if self._kept is not None:
            if reuse:
                await self._kept.restore(link)
            else:
                self._kept.disturbed()
        reading_prompt = True

        def watch(progress: GenerationProgress) -> None:
            nonlocal reading_prompt
            if progress.text or progress.reasoning:
                reading_prompt = False
            on_progress(progress)

        try:
            answer = await link.generate(self._body(request, reuse=reuse), watch)
        except asyncio.CancelledError:
            # The closed connection stops the engine within a token once it writes, but only between batches
            # while it reads: ending it is the only quick way then.
            self._abandoned = True
            if reading_prompt:
                link.process.kill()
            raise
        self._restarts = 0
        return answer

    def _body(self, request: GenerationRequest, *, reuse: bool) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {
            **self._chat(request.prompt),
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            **_SAMPLING,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
            "cache_prompt": reuse,
            "id_slot": 0,
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if request.constraint is not None:
            if request.constraint.json_schema is not None:
                body["response_format"] = {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": dict(request.constraint.json_schema)},
                }
            elif request.constraint.grammar is not None:
                body["grammar"] = request.constraint.grammar
        return body

    def _chat(self, prompt: str) -> dict[str, JsonValue]:
        assert self._settings is not None
        return {
            "model": "model",
            "messages": [{"role": "user", "content": prompt}],
            "chat_template_kwargs": {"enable_thinking": self._settings.thinking},
        }

    async def _ready(self) -> EngineLink:
        """The running child, idle. Starts it again when it went away. Raises BackendFault."""
        if self._settings is None:
            raise RuntimeError("nothing is loaded")
        link = self._link
        if link is not None and link.process.usable():
            if not self._abandoned or await link.idle_soon():
                self._abandoned = False
                return link
            link.process.kill()
        return await self._start_again()

    async def _start_again(self) -> EngineLink:
        assert self._model is not None
        if self._link is None or not self._link.process.killed_by_us:
            self._restarts += 1
        if self._restarts > RESTARTS_IN_A_ROW:
            raise BackendFault(
                FaultKind.CRASHED,
                f"{self._model.name}: the engine went away {RESTARTS_IN_A_ROW} times in a row.",
                "Choose another model.",
            )
        await self._end_link()
        return await self._start()

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        """Reads the shared beginning in the engine, keeps its state and tries it with two answers.

        None for fewer than 32 shared tokens, and for models that cannot go on from a kept state: their prompts
        are all read from nothing. May start the child again with other settings (`KeptPrefix`).
        """
        self._kept = None
        link = await self._ready()
        looked_at = spread(prompts)
        tokens = common_prefix([await link.prompt_tokens(self._chat(prompt)) for prompt in looked_at])
        if len(tokens) < MIN_TOKENS:
            return None
        trials = (looked_at[0], looked_at[-1])
        if not self._looks_back_over_window:
            primed = await self._keep(KeptPrefix(tokens, by_snapshot=False), trials)
            if primed is not None:
                return primed
        return await self._keep(KeptPrefix(tokens, by_snapshot=True), trials)

    async def _keep(self, kept: KeptPrefix, trials: Sequence[str]) -> PrimedPrefix | None:
        """Read and keep one beginning, and see whether answers start from it. Raises BackendFault."""
        assert self._settings is not None
        snapshots = SNAPSHOTS if kept.by_snapshot else 0
        if self._settings.context_checkpoints != snapshots:
            self._settings = replace(self._settings, context_checkpoints=snapshots)
            await self._end_link()
            await self._start()
        link = await self._ready()
        took_ms = await kept.read(link)
        if took_ms is None:
            return None
        self._kept = kept
        cached = []
        for prompt in trials:
            trial = GenerationRequest(prompt, 0, max_tokens=1, temperature=0.0, seed=0, reuse_prefix=True)
            cached.append((await self.generate(trial, _unseen)).timing.cached_tokens)
        if not kept.is_reused(cached):
            self._kept = None
            return None
        message = f"the {cached[0]} tokens that all prompts share were read once; each answer starts from there"
        if kept.by_snapshot:
            message += f" (from the engine's own snapshots, {SNAPSHOTS} at most, which take memory)"
        return PrimedPrefix(cached[0] or 0, took_ms, message)

    async def count_tokens(self, prompt: str) -> int | None:
        return len(await self.prompt_tokens(prompt))

    async def prompt_tokens(self, prompt: str) -> list[int]:
        """The exact tokens the model is sent for one user message, template included. Raises BackendFault."""
        link = await self._ready()
        return await link.prompt_tokens(self._chat(prompt))

    async def tokenize(self, text: str) -> list[int]:
        """Token numbers of a bare text. Raises BackendFault."""
        link = await self._ready()
        return await link.tokenize(text, special=False)

    def memory(self) -> MemorySample | None:
        sample = self._memory.sample() if self._memory is not None else None
        if sample is None:
            return None
        self._peak_mib = max(self._peak_mib, sample.peak_mib)
        return MemorySample(sample.used_mib, self._peak_mib, sample.method)

    async def unload(self) -> None:
        await self._end_link()
        if self._folder is not None:
            self._folder.remove()
        self._folder = self._settings = self._model = self._memory = self._kept = None
        self._peak_mib = 0.0
        self._restarts = 0

    async def _end_link(self) -> None:
        self.memory()
        link, self._link = self._link, None
        if link is not None:
            await link.close()


def _unseen(progress: GenerationProgress) -> None:
    """The trial answer is for nobody."""
