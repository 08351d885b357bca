"""The engine that comes along: llama.cpp in a child process of ours, one model, one request at a time."""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx

from desktop.backends import starter_model
from desktop.backends.base import (
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
from desktop.backends.chat_stream import ChatStream
from desktop.backends.engine_process import EngineProcess
from desktop.backends.engine_settings import KV_CACHE_TYPES, EngineSettings
from desktop.backends.http_client import (
    answer_json,
    fault_from_status,
    fault_from_transport,
    make_client,
    not_an_answer,
    read_all,
)
from desktop.backends.model_files import (
    BACKEND,
    distinct_names,
    find_by_name,
    find_model_files,
    model_ref,
    sha256_of,
)
from desktop.backends.process_memory import ProcessMemory
from desktop.backends.processor import check_processor, default_threads
from desktop.hardware.gguf import GgufFile, read_gguf
from desktop.hardware.gguf_cursor import GgufError

log = logging.getLogger(__name__)

SERVER = "The built-in engine"
RESTARTS_IN_A_ROW = 3
IDLE_WAIT_S = 0.4
SIDE_CALL_S = 30.0
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
        self._process: EngineProcess | None = None
        self._client: httpx.AsyncClient | None = None
        self._memory: ProcessMemory | None = None
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
            found = self._process.version if self._process else ""
        return engine_words(found)

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
        by_path = await asyncio.to_thread(_model_at, wanted)
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
        header = await asyncio.to_thread(_read_header, path)
        digest = await self._digest(header)
        known = _check_known_weights(path, header, digest)
        engine = _engine_settings(path, settings, check_tensors=not known)
        try:
            process = await self._start(model, engine)
        except BaseException:
            await self.unload()
            raise
        return Loaded(
            engine=engine_words(process.version),
            load_ms=process.load_ms or 0.0,
            context_tokens=settings.context_tokens,
            options={**engine.recorded(), "engine_features": process.system},
            notes=_notes(header, settings),
            has_chat_template=header.chat_template is not None,
            digest=digest,
        )

    async def _start(self, model: ModelRef, engine: EngineSettings) -> EngineProcess:
        process = EngineProcess(model.name, engine)
        self._model, self._settings, self._process = model, engine, process
        self._memory = ProcessMemory(process.pid)
        await process.wait_until_ready(self._clocks.load_s)
        assert process.address is not None
        self._client = make_client(
            process.address, local=True, headers={"Authorization": f"Bearer {process.api_key}"}
        )
        self._abandoned = False
        return process

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

    async def generate(self, request: GenerationRequest, on_progress: OnProgress) -> Generation:
        process = await self._ready()
        assert self._client is not None
        reading_prompt = True

        def watch(progress: GenerationProgress) -> None:
            nonlocal reading_prompt
            if progress.text or progress.reasoning:
                reading_prompt = False
            on_progress(progress)

        try:
            stream = ChatStream(self._client, SERVER, self._clocks)
            answer = await stream.generate(self._body(request), watch)
        except asyncio.CancelledError:
            # The closed connection stops the engine within a token once it writes, but only between batches
            # while it reads: ending it is the only quick way then.
            self._abandoned = True
            if reading_prompt:
                process.kill()
            raise
        except BackendFault as fault:
            raise await self._true_fault(fault) from fault
        self._restarts = 0
        return answer

    async def _true_fault(self, fault: BackendFault) -> BackendFault:
        """The reason behind a broken connection, where the child's end tells it."""
        if fault.kind is FaultKind.TIMED_OUT and self._process is not None:
            self._process.kill()
            return fault
        if fault.kind not in (FaultKind.CRASHED, FaultKind.NOT_REACHABLE) or self._process is None:
            return fault
        gone = await self._process.fault_if_gone()
        if gone is None:
            return fault
        await self._end_process()
        return gone

    def _body(self, request: GenerationRequest) -> dict[str, JsonValue]:
        assert self._settings is not None
        body: dict[str, JsonValue] = {
            "model": "model",
            "messages": [{"role": "user", "content": request.prompt}],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            **_SAMPLING,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
            "cache_prompt": False,
            "chat_template_kwargs": {"enable_thinking": self._settings.thinking},
        }
        if request.constraint is not None:
            if request.constraint.json_schema is not None:
                body["response_format"] = {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": dict(request.constraint.json_schema)},
                }
            elif request.constraint.grammar is not None:
                body["grammar"] = request.constraint.grammar
        return body

    async def _ready(self) -> EngineProcess:
        """The running child, idle. Starts it again when it went away. Raises BackendFault."""
        if self._process is None and self._settings is None:
            raise RuntimeError("generate() before load()")
        process = self._process
        if process is not None and process.usable():
            if not self._abandoned or await self._idle_soon():
                self._abandoned = False
                return process
            process.kill()
        return await self._start_again()

    async def _start_again(self) -> EngineProcess:
        assert self._model is not None and self._settings is not None
        model, settings = self._model, self._settings
        if self._process is None or not self._process.killed_by_us:
            self._restarts += 1
        if self._restarts > RESTARTS_IN_A_ROW:
            raise BackendFault(
                FaultKind.CRASHED,
                f"{model.name}: the engine went away {RESTARTS_IN_A_ROW} times in a row.",
                "Choose another model.",
            )
        await self._end_process()
        return await self._start(model, settings)

    async def _idle_soon(self) -> bool:
        deadline = asyncio.get_running_loop().time() + IDLE_WAIT_S
        while asyncio.get_running_loop().time() < deadline:
            try:
                async with asyncio.timeout_at(deadline):
                    slots = await self._ask("GET", "/slots")
            except (BackendFault, TimeoutError):
                return False
            if isinstance(slots, list) and not any(
                isinstance(slot, dict) and slot.get("is_processing") for slot in slots
            ):
                return True
            await asyncio.sleep(0.02)
        return False

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        return None

    async def count_tokens(self, prompt: str) -> int | None:
        return len(await self.prompt_tokens(prompt))

    async def prompt_tokens(self, prompt: str) -> list[int]:
        """The exact tokens the model is sent for one user message, template included. Raises BackendFault."""
        await self._ready()
        assert self._settings is not None
        asked = await self._ask(
            "POST",
            "/apply-template",
            {
                "messages": [{"role": "user", "content": prompt}],
                "chat_template_kwargs": {"enable_thinking": self._settings.thinking},
            },
        )
        text = asked.get("prompt") if isinstance(asked, dict) else None
        if not isinstance(text, str):
            raise not_an_answer(str(asked), SERVER)
        return await self.tokenize(text, special=True)

    async def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Token numbers of a text. special: with the tokens of the template read as such and a beginning added
        where the model wants one. Raises BackendFault."""
        await self._ready()
        body = {"content": text, "add_special": special, "parse_special": special}
        asked = await self._ask("POST", "/tokenize", body)
        tokens = asked.get("tokens") if isinstance(asked, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
            raise not_an_answer(str(asked), SERVER)
        return tokens

    async def _ask(self, method: str, path: str, body: Mapping[str, JsonValue] | None = None) -> object:
        """A short question beside the answers. Raises BackendFault."""
        assert self._client is not None
        try:
            async with asyncio.timeout(SIDE_CALL_S), self._client.stream(method, path, json=body) as response:
                content = await read_all(response)
        except httpx.HTTPError as error:
            raise await self._true_fault(fault_from_transport(error, SERVER, in_answer=False)) from error
        except TimeoutError as error:
            raise BackendFault(
                FaultKind.TIMED_OUT, f"{SERVER} was silent for {SIDE_CALL_S:g} seconds.", "Try again."
            ) from error
        if response.status_code != 200:
            raise fault_from_status(response.status_code, response.headers, content, SERVER, "model")
        return answer_json(content, SERVER)

    def memory(self) -> MemorySample | None:
        sample = self._memory.sample() if self._memory is not None else None
        if sample is None:
            return None
        self._peak_mib = max(self._peak_mib, sample.peak_mib)
        return MemorySample(sample.used_mib, self._peak_mib, sample.method)

    async def unload(self) -> None:
        await self._end_process()
        self._settings = self._model = self._memory = None
        self._peak_mib = 0.0
        self._restarts = 0

    async def _end_process(self) -> None:
        self.memory()
        process, client = self._process, self._client
        self._process = self._client = None
        if process is not None:
            process.kill()
        try:
            if client is not None:
                await client.aclose()
        except Exception:
            log.exception("closing the engine's connections failed")
        if process is not None:
            await process.end()


def engine_words(version: str) -> str:
    """'llama.cpp b11549 (xllamacpp 2026.10.11549)': the binding's version ends in llama.cpp's build number."""
    if not version:
        return "llama.cpp (xllamacpp)"
    return f"llama.cpp b{version.rpartition('.')[2]} (xllamacpp {version})"


def _model_at(wanted: str) -> ModelRef | None:
    path = Path(wanted).expanduser()
    return model_ref(path) if path.is_file() else None


def _read_header(path: Path) -> GgufFile:
    try:
        return read_gguf(path)
    except GgufError as error:
        raise BackendFault(FaultKind.BAD_MODEL_FILE, error.message, error.fix, detail=error.code) from error


def _check_known_weights(path: Path, header: GgufFile, digest: str | None) -> bool:
    """True for a known file with the right weights. Raises BackendFault when a known file was changed."""
    if path.name != starter_model.FILE_NAME:
        return False
    if header.file_bytes == starter_model.SIZE_BYTES and digest == f"sha256:{starter_model.SHA256}":
        return True
    raise BackendFault(
        FaultKind.BAD_MODEL_FILE,
        f"{path.name} carries the starter model's name, but its contents are damaged or other ones.",
        "Fetch the starter model again, or give this file another name.",
        detail=f"{header.file_bytes} bytes, {digest}",
    )


def _engine_settings(path: Path, settings: LoadSettings, *, check_tensors: bool) -> EngineSettings:
    if settings.kv_cache_type not in KV_CACHE_TYPES:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            f"The engine has no KV cache type “{settings.kv_cache_type}”.",
            f"Use one of: {', '.join(KV_CACHE_TYPES)}.",
        )
    return EngineSettings(
        model_path=str(path),
        api_key="",
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        batch_tokens=settings.batch_tokens,
        slots=settings.slots,
        kv_cache_type=settings.kv_cache_type,
        check_tensors=check_tensors,
        thinking=settings.thinking,
    )


def _notes(header: GgufFile, settings: LoadSettings) -> tuple[str, ...]:
    notes = []
    if header.chat_template is None:
        notes.append(
            "This file has no chat template. The engine asks it in ChatML form, which it may never have been "
            "trained on: it may be a base model that continues text instead of answering."
        )
    trained = header.metadata.get(f"{header.architecture}.context_length")
    if isinstance(trained, int) and 0 < trained < settings.context_tokens:
        notes.append(
            f"The context of {settings.context_tokens:,} tokens is larger than the {trained:,} this model was "
            "trained with; beyond that its answers get worse."
        )
    return tuple(notes)
