"""The table of backends: everything that others must know of one without making it.

Window, commands, run configurations, discovery and qualification read these records; nobody else knows a
backend by its name. What a backend does stands in its own file, which is imported when one is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.inference.backends.api_keys import ANTHROPIC_VARIABLE, SERVER_VARIABLE, find_key
from desktop.inference.backends.base import Backend, BackendFault, Clocks, FaultKind

if TYPE_CHECKING:
    from desktop.inference.backends.chat_api import ChatApi


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """What a backend is made from. url: None is the server's usual address."""

    model_folders: Sequence[Path] = ()
    model_files: Sequence[Path] = ()
    url: str | None = None
    remote_allowed: bool = False
    clocks: Clocks | None = None


@dataclass(frozen=True, slots=True)
class BackendRecord:
    """One backend as it is chosen, called and found.

    name: in commands, files and journals. label: where it is chosen. make: gets options whose `url` is the
    record's address where none was given; raises BackendFault.
    """

    name: str
    label: str
    make: Callable[[BackendOptions], Backend]
    product: str = ""
    """The one program that is behind it, as people call it; empty where many are, told apart by address."""
    address: str | None = None
    """Asked when none is given; None: one has to be."""
    example: str = ""
    """Stands as an example where an address is written."""
    key_variable: str | None = None
    """Environment variable, or name in the keyring, of its key."""
    built_in: bool = False
    """The engine that comes along: it has no address, and runs files of this computer."""
    elsewhere: bool = False
    """Runs on other people's computers: it has no models of this one, and a key leaves as well."""
    one_at_a_time: bool = False
    """Several requests at once gain nothing."""
    places: tuple[tuple[str, str], ...] = ()
    """(name of a program, address that it has by default) to look for it on this computer."""
    found_empty: bool = False
    """An answer without any model is a sign of this server too, not only of some other program."""
    chat_api: Callable[[], ChatApi] | None = None
    """How a qualification speaks to it; None: it cannot."""


def make_backend(name: str, options: BackendOptions) -> Backend:
    """A backend by its name. Raises BackendFault NOT_SUPPORTED for an unknown name, a missing address or key,
    or an address that is not allowed."""
    record = find_record(name)
    if record is None:
        known = ", ".join(backend_names())
        raise BackendFault(FaultKind.NOT_SUPPORTED, f"There is no backend “{name}”.", f"Known: {known}.")
    if record.built_in and options.url is not None:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            "The built-in engine has no address.",
            "Leave the address out, or name the kind of server that is at it.",
        )
    if not record.built_in and options.url is None and record.address is None:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED, "A server needs an address.", f"Give one such as {record.example}."
        )
    return record.make(options)


def find_record(name: str) -> BackendRecord | None:
    """None for a name that is not known, as a journal of another program may hold."""
    return next((record for record in BACKENDS if record.name == name), None)


def backend_names() -> tuple[str, ...]:
    return tuple(record.name for record in BACKENDS)


def all_records() -> tuple[BackendRecord, ...]:
    """In the order in which they are offered."""
    return BACKENDS


def chat_apis() -> dict[str, Callable[[], ChatApi]]:
    """How a qualification can speak to a server, by the backend's name."""
    return {record.name: record.chat_api for record in BACKENDS if record.chat_api is not None}


def _make_embedded(options: BackendOptions) -> Backend:
    from desktop.inference.backends.embedded import EmbeddedBackend

    return EmbeddedBackend(options.model_folders, options.model_files, clocks=options.clocks)


def _make_ollama(options: BackendOptions) -> Backend:
    from desktop.inference.backends.ollama import OllamaBackend

    url = options.url or _OLLAMA.address or ""
    return OllamaBackend(url, remote_allowed=options.remote_allowed, clocks=options.clocks)


def _make_openai(options: BackendOptions) -> Backend:
    return _server_at(options.url or "", _OPENAI, options)


def _make_rapid_mlx(options: BackendOptions) -> Backend:
    return _server_at(options.url or _RAPID_MLX.address or "", _RAPID_MLX, options)


def _server_at(url: str, record: BackendRecord, options: BackendOptions) -> Backend:
    from desktop.inference.backends.openai_compatible import OpenAiCompatibleBackend

    return OpenAiCompatibleBackend(
        url,
        name=record.name,
        api_key=find_key(record.key_variable or ""),
        remote_allowed=options.remote_allowed,
        clocks=options.clocks,
    )


def _make_anthropic(options: BackendOptions) -> Backend:
    from desktop.inference.backends.anthropic import AnthropicBackend

    url = options.url or _ANTHROPIC.address or ""
    return AnthropicBackend(url, remote_allowed=options.remote_allowed, clocks=options.clocks)


def _openai_chat() -> ChatApi:
    from desktop.inference.backends.chat_api import OpenAiChatApi

    return OpenAiChatApi()


def _ollama_chat() -> ChatApi:
    from desktop.inference.backends.ollama_chat import OllamaChatApi

    return OllamaChatApi()


# One at a time: several at once only read the shared beginning again; 547 and 784 ms an example were measured
# with 2 and 4 at once, 371 one by one.
_EMBEDDED = BackendRecord("embedded", "built-in engine", _make_embedded, built_in=True, one_at_a_time=True)
_OLLAMA = BackendRecord(
    "ollama",
    "Ollama",
    _make_ollama,
    product="Ollama",
    address="http://127.0.0.1:11434",
    example="http://127.0.0.1:11434",
    places=(("Ollama", "http://127.0.0.1:11434"),),
    found_empty=True,
    chat_api=_ollama_chat,
)
_OPENAI = BackendRecord(
    "openai",
    "OpenAI-compatible server",
    _make_openai,
    example="http://127.0.0.1:8080",
    key_variable=SERVER_VARIABLE,
    places=(
        ("LM Studio", "http://127.0.0.1:1234"),
        ("Jan", "http://127.0.0.1:1337"),
        ("llama.cpp server", "http://127.0.0.1:8080"),
        ("vLLM or Rapid-MLX", "http://127.0.0.1:8000"),
    ),
    chat_api=_openai_chat,
)
_RAPID_MLX = BackendRecord(
    "rapid-mlx",
    "Rapid-MLX",
    _make_rapid_mlx,
    product="Rapid-MLX",
    address="http://127.0.0.1:8000",
    example="http://127.0.0.1:8000",
    key_variable=SERVER_VARIABLE,
)
_ANTHROPIC = BackendRecord(
    "anthropic",
    "Anthropic (key from the environment)",
    _make_anthropic,
    product="Anthropic",
    address="https://api.anthropic.com",
    key_variable=ANTHROPIC_VARIABLE,
    elsewhere=True,
)

BACKENDS: tuple[BackendRecord, ...] = (_EMBEDDED, _OLLAMA, _OPENAI, _RAPID_MLX, _ANTHROPIC)

USUAL_CHAT_API = _OPENAI.name
"""Of `chat_apis`, where none is named."""
EXAMPLE_ADDRESS = _OPENAI.example
"""Of a server, where only an address is asked for."""
