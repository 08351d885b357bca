"""Speaks with one running engine child: answers, questions beside them, the state after a shared beginning."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

import httpx

from desktop.inference.backends.base import BackendFault, Clocks, FaultKind, Generation, JsonValue, OnProgress
from desktop.inference.backends.chat_stream import ChatStream, count
from desktop.inference.backends.engine_process import EngineProcess
from desktop.inference.backends.engine_settings import EngineSettings
from desktop.inference.backends.http_client import (
    answer_json,
    fault_from_status,
    fault_from_transport,
    make_client,
    not_an_answer,
    read_all,
)

log = logging.getLogger(__name__)

SERVER = "The built-in engine"
SIDE_CALL_S = 30.0
IDLE_WAIT_S = 0.4
_STATE_FILE = "prefix.state"


class EngineLink:
    """One child that is ready, and the connection to it. Made by `start`."""

    def __init__(self, process: EngineProcess, client: httpx.AsyncClient, clocks: Clocks) -> None:
        self.process = process
        self._client = client
        self._clocks = clocks

    @classmethod
    async def start(cls, model_name: str, settings: EngineSettings, clocks: Clocks) -> EngineLink:
        """Start a child and wait for its model. Raises BackendFault; no child is left then."""
        process = EngineProcess(model_name, settings)
        await process.wait_until_ready(clocks.load_s)
        assert process.address is not None
        headers = {"Authorization": f"Bearer {process.api_key}"}
        # The engine's server closes kept connections as it likes; a new one costs 0.2 ms.
        return cls(process, make_client(process.address, local=True, headers=headers, keep=False), clocks)

    async def close(self) -> None:
        """End the child and free everything. Never raises."""
        self.process.kill()
        try:
            await self._client.aclose()
        except Exception:
            log.exception("closing the engine's connections failed")
        await self.process.end()

    async def generate(self, body: Mapping[str, JsonValue], on_progress: OnProgress) -> Generation:
        """One answer. Raises BackendFault with the true reason when the child went away."""
        try:
            return await ChatStream(self._client, SERVER, self._clocks).generate(body, on_progress)
        except BackendFault as fault:
            raise await self._true_fault(fault) from fault

    async def tokenize(self, text: str, *, special: bool) -> list[int]:
        """special: the template's tokens are read as such, and a beginning added where the model wants one."""
        asked = await self._ask(
            "POST", "/tokenize", {"content": text, "add_special": special, "parse_special": special}
        )
        tokens = asked.get("tokens") if isinstance(asked, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
            raise not_an_answer(str(asked), SERVER)
        return tokens

    async def prompt_tokens(self, body: Mapping[str, JsonValue]) -> list[int]:
        """The tokens the model is sent for a chat request's messages. Raises BackendFault."""
        names = ("messages", "chat_template_kwargs")
        asked = await self._ask("POST", "/apply-template", {name: body[name] for name in names if name in body})
        text = asked.get("prompt") if isinstance(asked, dict) else None
        if not isinstance(text, str):
            raise not_an_answer(str(asked), SERVER)
        return await self.tokenize(text, special=True)

    async def keep_state_after(self, tokens: list[int]) -> float | None:
        """Read exactly `tokens` from nothing and keep the state. Milliseconds it took; None when not kept."""
        await self._ask("POST", "/slots/0?action=erase", {})
        read = await self._ask(
            "POST",
            "/completion",
            {"prompt": tokens, "n_predict": 0, "temperature": 0.0, "cache_prompt": True, "id_slot": 0},
            timeout_s=self._clocks.load_s,
        )
        timings = read.get("timings") if isinstance(read, dict) else None
        if not isinstance(timings, dict) or count(timings.get("prompt_n")) != len(tokens):
            return None
        saved = await self._ask("POST", "/slots/0?action=save", {"filename": _STATE_FILE})
        if not isinstance(saved, dict) or count(saved.get("n_saved")) != len(tokens):
            return None
        return float(timings.get("prompt_ms") or 0.0)

    async def restore_state(self) -> int:
        """Put the kept state back, whatever was read since. Tokens it holds. Raises BackendFault."""
        asked = await self._ask("POST", "/slots/0?action=restore", {"filename": _STATE_FILE})
        return (count(asked.get("n_restored")) if isinstance(asked, dict) else None) or 0

    async def idle_soon(self) -> bool:
        """True once no answer is in work any more; False when one still is after 0.4 seconds."""
        deadline = asyncio.get_running_loop().time() + IDLE_WAIT_S
        while asyncio.get_running_loop().time() < deadline:
            try:
                async with asyncio.timeout_at(deadline):
                    slots = await self._ask("GET", "/slots")
            except (BackendFault, TimeoutError):
                return False
            if isinstance(slots, list) and not any(_busy(slot) for slot in slots):
                return True
            await asyncio.sleep(0.02)
        return False

    async def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, JsonValue] | None = None,
        *,
        timeout_s: float = SIDE_CALL_S,
    ) -> object:
        try:
            async with asyncio.timeout(timeout_s), self._client.stream(method, path, json=body) as response:
                content = await read_all(response)
        except httpx.HTTPError as error:
            raise await self._true_fault(fault_from_transport(error, SERVER, in_answer=False)) from error
        except TimeoutError as error:
            raise BackendFault(
                FaultKind.TIMED_OUT, f"{SERVER} was silent for {timeout_s:g} seconds.", "Try again."
            ) from error
        if response.status_code != 200:
            raise fault_from_status(response.status_code, response.headers, content, SERVER, "model")
        return answer_json(content, SERVER)

    async def _true_fault(self, fault: BackendFault) -> BackendFault:
        """The reason behind a broken connection, where the child's end tells it."""
        if fault.kind is FaultKind.TIMED_OUT:
            self.process.kill()
            return fault
        if fault.kind not in (FaultKind.CRASHED, FaultKind.NOT_REACHABLE):
            return fault
        return await self.process.fault_if_gone() or fault


def _busy(slot: object) -> bool:
    return isinstance(slot, dict) and bool(slot.get("is_processing"))
