"""Which model servers run on this computer? Asks the addresses that the usual ones have by default."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.inference.backends.base import Backend, BackendFault, ModelRef
from desktop.inference.backends.table import BackendOptions, all_records, find_record, make_backend

PATIENCE_S = 1.5
"""A server that runs here answers within milliseconds; a busy one may take longer."""


@dataclass(frozen=True, slots=True)
class UsualServer:
    """Where a server usually is. message: how people call it; backend: the adapter's name."""

    message: str
    backend: str
    url: str


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered. models: what it lists, cloud models marked `remote`."""

    place: UsualServer
    models: tuple[ModelRef, ...]


def usual_servers() -> list[UsualServer]:
    """Of every backend, in the order of the table."""
    return [UsualServer(name, record.name, url) for record in all_records() for name, url in record.places]


async def find_local_servers(
    places: Sequence[UsualServer], patience_s: float = PATIENCE_S
) -> list[LocalServer]:
    """Those of the places where a model server answers, in their order; all asked at once. Never raises.

    What listens at such an address and is no model server is passed over.
    """
    found = await asyncio.gather(*(_ask(place, patience_s) for place in places))
    return [server for server in found if server is not None]


async def _ask(place: UsualServer, patience_s: float) -> LocalServer | None:
    try:
        backend: Backend = make_backend(place.backend, BackendOptions(url=place.url))
        async with asyncio.timeout(patience_s):
            models = await backend.list_models()
    except (BackendFault, TimeoutError):
        return None
    record = find_record(place.backend)
    if not models and not (record and record.found_empty):
        # Some other program that answers anything with JSON; a server without a model is of no use either.
        return None
    return LocalServer(place, tuple(models))
