"""The one rule for asking a server again: after what, how often, and how long is waited.

Task runs, qualifications and judges all ask through `ask_patiently`; adapters never ask again on their own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

BUSY_STATUSES = frozenset({429, 502, 503, 504, 529})
"""HTTP: 'not now'. 502 and 504 are a proxy whose server is being started, 529 is an overloaded one."""


@dataclass(frozen=True, slots=True)
class RetryRule:
    """attempts: in all, the first one included. first_pause_s: doubled with each attempt, up to
    `longest_pause_s`. longest_asked_s: of a server's own `Retry-After`; a longer one is cut when `cuts_longer`,
    else it is not waited for."""

    attempts: int
    first_pause_s: float
    longest_pause_s: float
    longest_asked_s: float
    cuts_longer: bool

    def wait_s(self, attempts: int, asked_s: float | None = None) -> float | None:
        """Seconds to wait after so many attempts, at least the pause; None: do not ask again."""
        if attempts >= self.attempts:
            return None
        if asked_s is not None and asked_s > self.longest_asked_s and not self.cuts_longer:
            return None
        pause = min(self.first_pause_s * 2.0 ** (attempts - 1), self.longest_pause_s)
        return max(pause, min(asked_s or 0.0, self.longest_asked_s))


TASK_RUN = RetryRule(3, 1.0, 2.0, 60.0, cuts_longer=False)
"""Task-pack format, section 14. A server that asks for more patience is not waited for: a run is watched."""


def qualification_rule(max_retries: int) -> RetryRule:
    """Qualification-pack format, section 7.6. One failed case makes the decision indeterminate, so a longer
    `Retry-After` is cut rather than given up (section 28, W22)."""
    return RetryRule(max_retries + 1, 0.2, 2.0, 120.0, cuts_longer=True)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An attempt that is worth another one. reason: for a person. asked_s: as the server asks, in seconds."""

    reason: str
    asked_s: float | None = None


async def ask_patiently(
    attempt: Callable[[], Awaitable[T]],
    refusal_of: Callable[[T], Refusal | None],
    rule: RetryRule,
    sleep: Callable[[float], Awaitable[None]],
    on_wait: Callable[[float, str], None],
) -> tuple[T, int]:
    """The last attempt's result, and how many were made. on_wait: (seconds, reason) before each wait."""
    attempts = 0
    while True:
        attempts += 1
        result = await attempt()
        refusal = refusal_of(result)
        wait = None if refusal is None else rule.wait_s(attempts, refusal.asked_s)
        if refusal is None or wait is None:
            return result, attempts
        on_wait(wait, refusal.reason)
        await sleep(wait)
