"""Where a model is that is to be asked: the engine that comes along, or a server by its kind and address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from desktop.inference.backends.table import all_records, find_record

SERVER_HERE = "a server on this computer"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Which engine or server runs the models. kind: the backend's name. endpoint: its address, None for the
    usual one.

    remote_allowed: what is sent may leave this computer, for this run.
    """

    kind: str
    endpoint: str | None = None
    remote_allowed: bool = False

    @property
    def built_in(self) -> bool:
        """The engine that comes along."""
        return self.kind == BUILT_IN.kind

    @property
    def address(self) -> str:
        """The given one, else the usual one; empty where there is none."""
        record = find_record(self.kind)
        return self.endpoint or (record.address if record else None) or ""

    @property
    def host(self) -> str:
        """The other computer that examples are sent to; empty when all stays here."""
        name = urlsplit(self.address).hostname or ""
        return "" if name == "localhost" or name == "::1" or name.startswith("127.") else name

    @property
    def receiver(self) -> str:
        """Who is sent the examples; empty for the built-in engine alone: what a server here passes on is not
        known."""
        return "" if self.built_in else self.host or SERVER_HERE

    @property
    def message(self) -> str:
        """As a person calls it: 'Ollama', 'Ollama at 10.0.0.7:11434', 'localhost:8080'; empty when built in."""
        if self.built_in:
            return ""
        record = find_record(self.kind)
        product, netloc = record.product if record else "", urlsplit(self.endpoint or "").netloc
        return f"{product} at {netloc}" if product and netloc else product or netloc or self.kind


BUILT_IN = ModelSource(next(record.name for record in all_records() if record.built_in))
