"""The state after the beginning that all prompts share, so that each answer can start from exactly there.

Two ways, since models keep their past in two ways:

- *By file.* The state is written to a file once and put back before each answer. Works in a new child as well.
- *By snapshot.* A model that looks back only over a window (Gemma 3, gpt-oss) cannot go on from a file: the
  engine finds the window one token too short and reads everything again. With snapshots of its own allowed it
  goes on from the one it took a few tokens before the end of the shared beginning, always the same one, since
  going back to the file drops all that came later. Snapshots live in the child and are lost with it, and with
  any prompt that is read from nothing: the beginning is then read again, alone and from nothing, which gives
  the same state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from desktop.inference.backends.base import BackendFault, FaultKind
from desktop.inference.backends.engine_link import SERVER, EngineLink

SNAPSHOTS = 8
"""Room for those that an answer's own prompt makes, so that the one of the beginning is not pushed out."""


class KeptPrefix:
    """One shared beginning. by_snapshot: the second way."""

    def __init__(self, tokens: Sequence[int], *, by_snapshot: bool) -> None:
        self.tokens = list(tokens)
        self.by_snapshot = by_snapshot
        self._kept_in: EngineLink | None = None

    async def read(self, link: EngineLink) -> float | None:
        """Read the beginning from nothing and keep its state: milliseconds; None when it was not kept.

        Ends the child when cancelled, since it would read on. Raises BackendFault.
        """
        self._kept_in = None
        try:
            took_ms = await link.keep_state_after(self.tokens)
        except asyncio.CancelledError:
            link.process.kill()
            raise
        if took_ms is not None:
            self._kept_in = link
        return took_ms

    async def restore(self, link: EngineLink) -> None:
        """Go back to it. Raises BackendFault."""
        if self.by_snapshot and self._kept_in is not link:
            await self.read(link)
        restored = await link.restore_state()
        if restored != len(self.tokens):
            raise BackendFault(
                FaultKind.SERVER_ERROR,
                f"{SERVER} could not go back to the shared beginning of the prompts.",
                "Run again with cold prompts.",
                detail=f"{restored} of {len(self.tokens)} tokens restored",
            )

    def disturbed(self) -> None:
        """Another prompt was read from nothing."""
        if self.by_snapshot:
            self._kept_in = None

    def is_reused(self, cached: Sequence[int | None]) -> bool:
        """Do these numbers of tokens not read again, of two trial answers, show that it works?"""
        first = cached[0]
        if first is None or any(entry != first for entry in cached):
            return False
        return 2 * first >= len(self.tokens) if self.by_snapshot else first == len(self.tokens)
