"""The engine that comes along as an endpoint: a GGUF file is qualified without any other server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

from desktop.inference.backends.base import BackendFault, FaultKind, LoadSettings
from desktop.inference.backends.embedded_model import (
    check_known_weights,
    engine_settings,
    engine_text,
    notes,
    read_header,
)
from desktop.inference.backends.engine_process import EngineProcess
from desktop.inference.backends.model_references import model_ref, sha256_of
from desktop.inference.backends.private_folder import PrivateFolder
from desktop.inference.backends.processor import check_processor
from desktop.inference.machine.probe_processor import default_threads
from desktop.inference.memory_fit.load_mode import load_mode_of
from desktop.runs.qualification.settings import ServedModel
from packs.canonical import JsonValue
from packs.qualification.fingerprint import known

LOAD_S = 600.0
EXTRAS: dict[str, JsonValue] = {"cache_prompt": False}
"""Every prompt is read from nothing, so that an answer does not depend on the one before."""


@contextlib.contextmanager
def embedded_endpoint(file: Path, context_tokens: int) -> Iterator[ServedModel]:
    """The model loaded and listening while inside. Raises BackendFault with the reason when it cannot be."""
    check_processor()
    path = file.expanduser().absolute()
    if not path.is_file():
        raise BackendFault(FaultKind.NO_SUCH_MODEL, f"There is no model file '{file}'.", "Check the path.")
    header = read_header(path)
    digest = sha256_of(header.parts, lambda: False)
    settings = LoadSettings(context_tokens=context_tokens, threads=default_threads())
    folder = PrivateFolder()
    process: EngineProcess | None = None
    try:
        engine = engine_settings(
            path,
            settings,
            load_mode=load_mode_of(header),
            check_tensors=not check_known_weights(path, header, digest),
            folder=folder.path,
        )
        process = EngineProcess(path.name, engine)
        asyncio.run(process.wait_until_ready(LOAD_S))
        assert process.address is not None
        yield ServedModel(
            name=path.name,
            address=process.address,
            key=process.api_key,
            label=f"embedded engine, {path.name}",
            serving={
                "engine": "llama.cpp",
                "engine_version": engine_text(process.version),
                "context_tokens": context_tokens,
                "threads": settings.threads,
                "batch_tokens": settings.batch_tokens,
                "kv_cache_dtype": settings.kv_cache_type,
                "max_num_seqs": settings.slots,
                **_quantization(path),
            },
            weights={**known(digest, "file"), "file_hashes": {path.name: digest}} if digest else None,
            extras=dict(EXTRAS),
            notes=notes(header, settings),
        )
    finally:
        if process is not None:
            asyncio.run(process.end())
        folder.remove()


def _quantization(path: Path) -> dict[str, object]:
    found = model_ref(path).quantization
    return {"quantization": found} if found else {}
