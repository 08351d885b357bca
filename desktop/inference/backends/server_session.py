"""Short questions to a server beside its answers, and one kept connection between load and unload."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx

from desktop.inference.backends.api_keys import SERVER_VARIABLE
from desktop.inference.backends.base import BackendFault, FaultKind, JsonValue
from desktop.inference.backends.http_client import (
    Resolver,
    answer_json,
    checked_base_url,
    fault_from_status,
    fault_from_transport,
    make_client,
    read_all,
    resolve,
)
from desktop.inference.backends.key_guard import KeyGuard

ASK_S = 15.0
OPTIONAL_S = 5.0


class ServerSession:
    """Where a server is, how it is called in messages, and with which headers it is asked.

    Raises BackendFault NOT_SUPPORTED when the address is none, or lies on another computer while
    `remote_allowed` is false. Connections are kept only between `open` and `close`, inside one event loop.
    """

    def __init__(
        self,
        url: str,
        server: str,
        *,
        remote_allowed: bool,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        key_variable: str = SERVER_VARIABLE,
        resolver: Resolver = resolve,
    ) -> None:
        """key: as it is in the headers, to be taken out of what comes back. key_variable: the environment
        variable that it is taken from, for messages."""
        self.url, self.local = checked_base_url(url, remote_allowed=remote_allowed, resolver=resolver)
        self.server = server
        self._headers = dict(headers or {})
        self._key_variable = key_variable
        self.guard = KeyGuard(key)
        self._kept: httpx.AsyncClient | None = None

    def open(self) -> httpx.AsyncClient:
        """The kept client, made when there is none."""
        if self._kept is None:
            self._kept = make_client(self.url, local=self.local, headers=self._headers)
        return self._kept

    async def close(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            await kept.aclose()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        """The kept client, or one for this moment."""
        if self._kept is not None:
            yield self._kept
        else:
            async with make_client(self.url, local=self.local, headers=self._headers) as client:
                yield client

    async def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, JsonValue] | None = None,
        *,
        timeout_s: float = ASK_S,
        model: str = "",
    ) -> object:
        """The JSON of the answer. Raises BackendFault."""
        with self.guard.faults():
            return self.guard.value(await self._ask(method, path, body, timeout_s, model))

    async def _ask(
        self, method: str, path: str, body: Mapping[str, JsonValue] | None, timeout_s: float, model: str
    ) -> object:
        try:
            async with (
                asyncio.timeout(timeout_s),
                self.client() as client,
                client.stream(method, path, json=body) as response,
            ):
                content = self.guard.content(await read_all(response))
        except httpx.HTTPError as error:
            raise fault_from_transport(error, self.server, in_answer=False) from error
        except TimeoutError as error:
            raise BackendFault(
                FaultKind.TIMED_OUT,
                f"{self.server} was silent for {timeout_s:g} seconds.",
                "See whether it is busy, or allow more time.",
            ) from error
        if response.status_code != 200:
            raise fault_from_status(
                response.status_code,
                response.headers,
                content,
                self.server,
                model,
                key_variable=self._key_variable,
            )
        return answer_json(content, self.server)

    async def ask_if_known(
        self, method: str, path: str, body: Mapping[str, JsonValue] | None = None
    ) -> dict[str, object] | None:
        """A question that not every server knows: the object it answers, or None."""
        try:
            found = await self.ask(method, path, body, timeout_s=OPTIONAL_S)
        except BackendFault:
            return None
        return found if isinstance(found, dict) else None
