"""What is checked and said about a model file before and after the engine loads it."""

from __future__ import annotations

import os
from pathlib import Path

from desktop.inference.backends.base import BackendFault, FaultKind, LoadSettings, ModelRef
from desktop.inference.backends.engine_settings import KV_CACHE_TYPES, EngineSettings
from desktop.inference.backends.model_references import model_ref
from desktop.inference.model_files import starter_model
from desktop.inference.model_files.gguf import GgufFile, read_gguf
from desktop.inference.model_files.gguf_cursor import GgufError


def engine_text(version: str) -> str:
    """'llama.cpp b11549 (xllamacpp 2026.10.11549)': the binding's version ends in llama.cpp's build number."""
    if not version:
        return "llama.cpp (xllamacpp)"
    return f"llama.cpp b{version.rpartition('.')[2]} (xllamacpp {version})"


def model_at(wanted: str) -> ModelRef | None:
    path = Path(wanted).expanduser()
    return model_ref(path) if path.is_file() else None


def read_header(path: Path) -> GgufFile:
    try:
        return read_gguf(path)
    except GgufError as error:
        raise BackendFault(FaultKind.BAD_MODEL_FILE, error.message, error.fix, detail=error.code) from error


def check_known_weights(path: Path, header: GgufFile, digest: str | None) -> bool:
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


def engine_settings(
    path: Path, settings: LoadSettings, *, load_mode: str, check_tensors: bool, folder: Path
) -> EngineSettings:
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
        load_mode=load_mode,
        check_tensors=check_tensors,
        thinking=settings.thinking,
        slot_folder=f"{folder}{os.sep}",
    )


def looks_back_over_window(header: GgufFile) -> bool:
    """Does some layer see only the last tokens? Wrong for files that have a window the engine does not use
    (some Mistral files): what is done for such models works for all."""
    window = header.metadata.get(f"{header.architecture}.attention.sliding_window")
    return isinstance(window, int) and window > 0


def notes(header: GgufFile, settings: LoadSettings) -> tuple[str, ...]:
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
