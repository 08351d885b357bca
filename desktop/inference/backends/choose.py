"""The table of backends: one name each, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop.inference.backends import anthropic, ollama, openai_compatible
from desktop.inference.backends.api_keys import SERVER_VARIABLE, find_key
from desktop.inference.backends.base import Backend, BackendFault, Clocks, FaultKind
from desktop.inference.backends.embedded import EmbeddedBackend

RAPID_MLX_URL = "http://localhost:8000"


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """What a backend is made from. url: None is the server's usual address."""

    model_folders: Sequence[Path] = ()
    model_files: Sequence[Path] = ()
    url: str | None = None
    remote_allowed: bool = False
    clocks: Clocks | None = None


def make_backend(name: str, wanted: BackendOptions) -> Backend:
    """A backend by its name. Raises BackendFault NOT_SUPPORTED for an unknown name,
    a missing address or key, or an address that is not allowed."""
    maker = _MAKERS.get(name)
    if maker is None:
        known = ", ".join(NAMES)
        raise BackendFault(FaultKind.NOT_SUPPORTED, f"There is no backend “{name}”.", f"Known: {known}.")
    return maker(wanted)


def _embedded(wanted: BackendOptions) -> Backend:
    if wanted.url is not None:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            "The built-in engine has no address.",
            "Leave the address out, or name the kind of server that is at it.",
        )
    return EmbeddedBackend(wanted.model_folders, wanted.model_files, clocks=wanted.clocks)


def _ollama(wanted: BackendOptions) -> Backend:
    return ollama.OllamaBackend(
        wanted.url or ollama.DEFAULT_URL, remote_allowed=wanted.remote_allowed, clocks=wanted.clocks
    )


def _openai(wanted: BackendOptions) -> Backend:
    if wanted.url is None:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            "A server needs an address.",
            "Give one such as http://localhost:8080.",
        )
    return _server_at(wanted.url, "openai", wanted)


def _server_at(url: str, name: str, wanted: BackendOptions) -> Backend:
    return openai_compatible.OpenAiCompatibleBackend(
        url,
        name=name,
        api_key=find_key(SERVER_VARIABLE),
        remote_allowed=wanted.remote_allowed,
        clocks=wanted.clocks,
    )


def _rapid_mlx(wanted: BackendOptions) -> Backend:
    return _server_at(wanted.url or RAPID_MLX_URL, "rapid-mlx", wanted)


def _anthropic(wanted: BackendOptions) -> Backend:
    return anthropic.AnthropicBackend(
        wanted.url or anthropic.DEFAULT_URL, remote_allowed=wanted.remote_allowed, clocks=wanted.clocks
    )


_MAKERS: dict[str, Callable[[BackendOptions], Backend]] = {
    "embedded": _embedded,
    "ollama": _ollama,
    "openai": _openai,
    "rapid-mlx": _rapid_mlx,
    "anthropic": _anthropic,
}
NAMES = tuple(_MAKERS)
