"""Ollama's own files: which model name stands for which GGUF file. Read without asking its server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packs.documents.regular_file import open_regular

_MODEL_LAYER = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_MAX_MANIFEST = 1_000_000
_MAX_MODELS = 2_000
_DEFAULT_HOST = ("registry.ollama.ai", "library")


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """name: as Ollama calls it, 'llama3.2:3b'. digest: 'sha256:…' of the file's content."""

    name: str
    path: Path
    digest: str


def ollama_models(store: Path) -> tuple[OllamaModel, ...]:
    """All models of a store that have a weights file of their own. A store that cannot be read has none.

    Manifests are small JSON files; what is not one, names another kind of layer, or a digest that is no digest
    is passed over. Nothing outside `blobs` is ever named.
    """
    found: list[OllamaModel] = []
    for manifest in _manifests(store / "manifests"):
        model = _read(store, manifest)
        if model is not None:
            found.append(model)
        if len(found) >= _MAX_MODELS:
            break
    return tuple(sorted(found, key=lambda model: model.name))


def _manifests(folder: Path) -> Iterator[Path]:
    """host / owner / name / tag."""
    try:
        yield from sorted(path for path in folder.glob("*/*/*/*") if path.is_file())
    except OSError:
        return


def _read(store: Path, manifest: Path) -> OllamaModel | None:
    try:
        with open_regular(manifest) as file:
            content = json.loads(file.read(_MAX_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return None
    layers = content.get("layers") if isinstance(content, dict) else None
    for layer in layers if isinstance(layers, list) else []:
        if not isinstance(layer, dict) or layer.get("mediaType") != _MODEL_LAYER:
            continue
        match = _DIGEST.fullmatch(str(layer.get("digest")))
        if match:
            blob = store / "blobs" / f"sha256-{match[1]}"
            if blob.is_file():
                return OllamaModel(_name(manifest), blob, f"sha256:{match[1]}")
    return None


def _name(manifest: Path) -> str:
    host, owner, name, tag = manifest.parts[-4:]
    if (host, owner) == _DEFAULT_HOST:
        return f"{name}:{tag}"
    return f"{owner}/{name}:{tag}" if host == _DEFAULT_HOST[0] else f"{host}/{owner}/{name}:{tag}"
