"""What an endpoint says of itself: its models, and the digest of a runtime that tells one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from desktop.inference.backends.key_guard import KeyGuard
from desktop.inference.backends.ollama_chat import runtime_digests
from packs.canonical import JsonValue
from packs.qualification.fingerprint import Envelope, known, unavailable
from packs.qualification.requests import models_url, tags_url

LIST_BYTES = 8 * 2**20
LIST_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Discovery:
    """models: ids as listed. reached: the endpoint answered at all. trouble: why the list is empty."""

    models: tuple[str, ...]
    reached: bool
    trouble: str
    digests: Mapping[str, str]
    """Runtime digest by model name, with its 'sha256:'."""


async def discover(
    endpoint: str, key: str | None, transport: httpx.AsyncBaseTransport | None = None
) -> Discovery:
    """Asks for the models and for runtime digests. Never raises for what the endpoint does."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    guard = KeyGuard(key)
    async with httpx.AsyncClient(
        timeout=LIST_TIMEOUT_S, trust_env=False, follow_redirects=False, transport=transport
    ) as client:
        listed, trouble, reached = await _get(client, models_url(endpoint), headers)
        models: tuple[str, ...] = ()
        listed = guard.value(listed)
        data = listed.get("data") if isinstance(listed, dict) else None
        if isinstance(data, list):
            models = tuple(
                str(entry["id"])
                for entry in data
                if isinstance(entry, dict) and isinstance(entry.get("id"), str)
            )
        elif not trouble:
            trouble = "the models list has another form"
        tags, _, tags_reached = await _get(client, tags_url(endpoint), headers)
    return Discovery(models, reached or tags_reached, trouble, runtime_digests(guard.value(tags)))


async def _get(client: httpx.AsyncClient, url: str, headers: Mapping[str, str]) -> tuple[JsonValue, str, bool]:
    """(value or None, why not, whether anything answered)."""
    try:
        async with client.stream("GET", url, headers=dict(headers)) as response:
            received = bytearray()
            async for piece in response.aiter_bytes():
                received += piece
                if len(received) > LIST_BYTES:
                    return None, "the list is too long", True
            if response.status_code != 200:
                return None, f"HTTP {response.status_code}", True
            value: JsonValue = json.loads(bytes(received))
            return value, "", True
    except httpx.TransportError as error:
        return None, type(error).__name__, False
    except (httpx.RequestError, httpx.InvalidURL, ValueError, RecursionError) as error:
        return None, type(error).__name__, True


def runtime_digest(discovery: Discovery, model: str) -> Envelope:
    digest = discovery.digests.get(model) or discovery.digests.get(f"{model}:latest")
    return known(digest, "/api/tags") if digest else unavailable("the endpoint does not tell a digest")


def identifier(model: str, models: tuple[str, ...], at: str) -> Envelope:
    """Known when the endpoint lists it, else the operator's word: format, section 7.5."""
    if model in models:
        return known(model, "endpoint")
    return {
        "state": "externally_supplied",
        "value": model,
        "source": "command line",
        "supplied_by": "operator",
        "supplied_at": at,
    }
