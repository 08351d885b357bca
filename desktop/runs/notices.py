"""What in this computer's surroundings makes speed figures mislead: battery, other programs, heat."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.runs.surroundings import Surroundings

BUSY_PERCENT = 40.0
"""Other programs use more than this share of all processors while no model is at work."""

SLOW_CLOCK_PERCENT = 50.0
"""The processor runs at less than half of its clock although there is work: heat or a saving mode."""


@dataclass(frozen=True, slots=True)
class SurroundingNotice:
    code: str
    message: str


class Surrounding:
    """Which notices were told already: each is told once a run."""

    def __init__(self) -> None:
        self.told: set[str] = set()


def notices_of(surrounding: Surrounding, computer: Surroundings) -> list[SurroundingNotice]:
    """Asked while no model is loaded, so that only other programs keep the processors busy."""
    found: list[SurroundingNotice] = []
    if computer.on_battery():
        found.append(
            SurroundingNotice(
                "on_battery",
                "The computer runs on battery: it may be slower than usual, so speed figures may mislead.",
            )
        )
    busy = computer.busy_percent()
    if busy is not None and busy > BUSY_PERCENT:
        found.append(
            SurroundingNotice(
                "machine_busy",
                f"Other programs keep {busy:.0f} % of the processors busy: speed figures may mislead.",
            )
        )
        clock = computer.clock_percent()
        if clock is not None and clock < SLOW_CLOCK_PERCENT:
            found.append(
                SurroundingNotice(
                    "throttled",
                    f"The processor runs at {clock:.0f} % of its highest clock: speed figures may mislead.",
                )
            )
    new = [notice for notice in found if notice.code not in surrounding.told]
    surrounding.told.update(notice.code for notice in new)
    return new
