"""Where other programs on this computer keep their models. Looked into, never written to."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """owner: whose folder it is, as a person knows the program."""

    owner: str
    path: Path


def usual_folders(
    home: Path, environment: Mapping[str, str] = os.environ, system: str = sys.platform
) -> tuple[ModelFolder, ...]:
    """Folders of LM Studio, Jan, GPT4All, llama.cpp and the Hugging Face cache, whether or not they are there.

    Sources: the programs' own documentation (GPT4All's settings page, the Hugging Face cache guide); LM Studio
    and Jan as other programs that read them have it. Ollama's store is another matter: see `ollama_store`.
    """
    data = _data_folder(home, environment, system)
    caches = _cache_folder(home, environment, system)
    hub = _from_environment(environment, "HF_HUB_CACHE")
    if hub is None:
        hf_home = _from_environment(environment, "HF_HOME")
        hub = (hf_home or home / ".cache" / "huggingface") / "hub"
    folders = [
        ModelFolder("LM Studio", home / ".lmstudio" / "models"),
        ModelFolder("LM Studio", home / ".cache" / "lm-studio" / "models"),
        ModelFolder("Jan", data / "Jan" / "data" / "llamacpp" / "models"),
        ModelFolder("Jan", data / "Jan" / "data" / "models"),
        ModelFolder("Jan", home / "jan" / "models"),
        ModelFolder("GPT4All", _gpt4all(home, environment, system)),
        ModelFolder("llama.cpp", _from_environment(environment, "LLAMA_CACHE") or caches / "llama.cpp"),
        ModelFolder("Hugging Face cache", hub),
    ]
    return tuple(folders)


def ollama_stores(
    home: Path, environment: Mapping[str, str] = os.environ, system: str = sys.platform
) -> tuple[Path, ...]:
    """Folders that may hold Ollama's `manifests` and `blobs`: the person's own, and a Linux service's."""
    named = _from_environment(environment, "OLLAMA_MODELS")
    if named is not None:
        return (named,)
    own = home / ".ollama" / "models"
    return (own, Path("/usr/share/ollama/.ollama/models")) if system == "linux" else (own,)


def _data_folder(home: Path, environment: Mapping[str, str], system: str) -> Path:
    if system == "darwin":
        return home / "Library" / "Application Support"
    if system == "win32":
        return _from_environment(environment, "APPDATA") or home / "AppData" / "Roaming"
    return _from_environment(environment, "XDG_DATA_HOME") or home / ".local" / "share"


def _cache_folder(home: Path, environment: Mapping[str, str], system: str) -> Path:
    if system == "darwin":
        return home / "Library" / "Caches"
    if system == "win32":
        return _from_environment(environment, "LOCALAPPDATA") or home / "AppData" / "Local"
    return _from_environment(environment, "XDG_CACHE_HOME") or home / ".cache"


def _gpt4all(home: Path, environment: Mapping[str, str], system: str) -> Path:
    if system == "win32":
        return _cache_folder(home, environment, system) / "nomic.ai" / "GPT4All"
    return _data_folder(home, environment, system) / "nomic.ai" / "GPT4All"


def _from_environment(environment: Mapping[str, str], name: str) -> Path | None:
    value = environment.get(name, "").strip()
    return Path(value).expanduser() if value else None
