"""Where a model is that is to be asked: the engine that comes along, or a server by its kind and address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

_KINDS = {"ollama": "Ollama", "anthropic": "Anthropic", "rapid-mlx": "Rapid-MLX"}


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Which engine or server runs the models. endpoint: its address, None for the usual one.

    remote_allowed: what is sent may leave this computer, for this run.
    """

    kind: str = "embedded"
    endpoint: str | None = None
    remote_allowed: bool = False

    @property
    def host(self) -> str:
        """The other computer that examples are sent to; empty when all stays here."""
        if self.kind == "anthropic" and self.endpoint is None:
            return "api.anthropic.com"
        name = urlsplit(self.endpoint or "").hostname or ""
        return "" if name == "localhost" or name == "::1" or name.startswith("127.") else name

    @property
    def message(self) -> str:
        """As a person calls it: 'Ollama', 'Ollama at 10.0.0.7:11434', 'localhost:8080'; empty when built in."""
        if self.kind == "embedded":
            return ""
        kind, address = _KINDS.get(self.kind, ""), urlsplit(self.endpoint or "").netloc
        return f"{kind} at {address}" if kind and address else kind or address or self.kind


BUILT_IN = ModelSource()
