"""What in this computer's surroundings makes speed figures mislead: battery, other programs, heat."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.runs.surroundings import Surroundings

BUSY_PERCENT = 40.0
"""Other programs use more than this share of all processors while no model is at work."""

SLOW_CLOCK_PERCENT = 50.0
"""The processor runs at less than half of its clock although a model is at work: heat or a saving mode."""

SLOW_LOOKS = 3
"""So many looks in a row; one alone may meet a short pause."""

LOOK_EVERY_S = 10.0
"""While a model is at work."""


@dataclass(frozen=True, slots=True)
class SurroundingNotice:
    code: str
    message: str


class Surrounding:
    """Looks around; each notice is told once a run."""

    def __init__(self, computer: Surroundings) -> None:
        self._computer = computer
        self._reported: set[str] = set()
        self._slow_looks = 0

    def before_a_model(self) -> list[SurroundingNotice]:
        """While no model is loaded, so that whoever keeps the processors busy is another program."""
        busy = self._computer.busy_percent()
        found = [self._battery()]
        if busy is not None and busy > BUSY_PERCENT:
            found.append(
                SurroundingNotice(
                    "machine_busy",
                    f"Other programs keep {busy:.0f} % of the processors busy: speed figures may mislead.",
                )
            )
        return self._new(found)

    def while_working(self) -> list[SurroundingNotice]:
        """While a model is at work; asked every ten seconds."""
        clock = self._computer.clock_percent()
        slow = clock is not None and clock < SLOW_CLOCK_PERCENT
        self._slow_looks = self._slow_looks + 1 if slow else 0
        found = [self._battery()]
        if self._slow_looks >= SLOW_LOOKS:
            found.append(
                SurroundingNotice(
                    "throttled",
                    f"The processor works at {clock:.0f} % of its highest clock, as it does when it is hot or"
                    " saves power: speed figures may mislead.",
                )
            )
        return self._new(found)

    def _battery(self) -> SurroundingNotice | None:
        if not self._computer.on_battery():
            return None
        return SurroundingNotice(
            "on_battery",
            "The computer runs on battery: it may be slower than usual, so speed figures may mislead.",
        )

    def _new(self, found: list[SurroundingNotice | None]) -> list[SurroundingNotice]:
        new = [notice for notice in found if notice is not None and notice.code not in self._reported]
        self._reported.update(notice.code for notice in new)
        return new
