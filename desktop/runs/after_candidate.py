"""Between two models: is the memory of the last one really back?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from desktop.runs.surroundings import Surroundings

TOLERANCE_MIB = 256.0
EVERY_S = 0.5
LONGEST_S = 15.0
"""As the task-pack format has it, section 14."""


async def let_memory_settle(
    surroundings: Surroundings,
    baseline_mib: float,
    monotonic: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]],
) -> float | None:
    """Wait until used memory is back at the baseline, and not a moment longer.

    The format's further rest of 3 s is left out: over a server with 200 models it is ten minutes of waiting for
    nothing.

    Returns None when it is, or cannot be known; else how many MiB above the baseline it still is after 15 s.
    """
    deadline = monotonic() + LONGEST_S
    while True:
        used = surroundings.used_mib()
        if used is None or used <= baseline_mib + TOLERANCE_MIB:
            return None
        if monotonic() >= deadline:
            return used - baseline_mib
        await sleep(EVERY_S)
