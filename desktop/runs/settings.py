"""How a run is asked for. Journalled as it stands, so that a run can be repeated and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from desktop.inference.backends.base import JsonValue
from desktop.runs.addresses import without_secrets

MAX_CONFIG_BYTES = 2**20
"""Of a run configuration, when a run begins and when it goes on."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Everything a person chose. None: as the pack or the program has it.

    models: named ones, in their order; empty: all that are found. configured: those of a run configuration
    file. limit: so many examples, spread over labels. repetitions: instead of the pack's. force: also models
    that do not fit. adaptive: stop repeating once repetitions prove to be identical. cold: read every prompt
    from nothing. constrained: limit answers to the form that the scorer reads. parallel: units in flight at
    once, at least 1; for servers that batch.
    """

    models: tuple[str, ...] = ()
    configured: tuple[str, ...] = ()
    use_local_models: bool = True
    allow_remote: bool = False
    endpoint: str | None = None
    config_path: str | None = None
    config_sha256: str | None = None
    limit: int | None = None
    repetitions: int | None = None
    force: bool = False
    strict: bool = False
    adaptive: bool = False
    cold: bool = False
    constrained: bool = False
    parallel: int = 1
    threads: int | None = None
    batch_tokens: int = 128
    kv_cache_type: str = "f16"
    health_check: bool = True

    def as_json(self) -> dict[str, JsonValue]:
        """As it is stored; holds no key and no password."""
        stored: dict[str, JsonValue] = {}
        for name, value in asdict(self).items():
            stored[name] = list(value) if isinstance(value, tuple) else value
        stored["endpoint"] = None if self.endpoint is None else without_secrets(self.endpoint)
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, JsonValue]) -> RunSettings:
        """What an older journal lacks is as it was before it could be chosen."""
        known: dict[str, object] = {}
        for entry in fields(cls):
            if entry.name in stored:
                value = stored[entry.name]
                known[entry.name] = tuple(value) if isinstance(value, list) else value
        return cls(**known)  # type: ignore[arg-type]
