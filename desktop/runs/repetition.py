"""Are repetitions worth their time? At temperature 0 they add nothing once they prove to be identical."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.runs.records import UnitKey

FEWEST_REPEATED = 5
SHARE_REPEATED = 0.2
"""After the first pass this share of the examples, spread over the pack, is repeated first."""


class AdaptiveRepetition:
    """One per candidate. Orders the units, is told each answer, and says when no more are needed.

    sample: the examples repeated first. identical: None until every one of them was repeated.
    """

    def __init__(self, examples: Sequence[str]) -> None:
        count = min(len(examples), max(FEWEST_REPEATED, round(len(examples) * SHARE_REPEATED)))
        places = [(2 * number + 1) * len(examples) // (2 * count) for number in range(count)] if count else []
        self.sample = tuple(examples[place] for place in places)
        self._first: dict[str, str] = {}
        self._waiting = set(self.sample)
        self._differs = False

    def order(self, keys: Sequence[UnitKey]) -> list[UnitKey]:
        """First passes, then the sample's second, then the rest, each in the order given."""
        sample = set(self.sample)

        def turn(key: UnitKey) -> int:
            if key.repetition == 1:
                return 0
            return 1 if key.repetition == 2 and key.example in sample else 2

        return sorted(keys, key=turn)

    def note(self, key: UnitKey, text: str | None) -> None:
        """An answer's text as it came; None when none came."""
        if key.repetition == 1:
            if text is not None:
                self._first[key.example] = text
        elif key.repetition == 2 and key.example in self._waiting:
            self._waiting.discard(key.example)
            if text is None or self._first.get(key.example) != text:
                self._differs = True

    @property
    def identical(self) -> bool | None:
        if self._differs:
            return False
        return True if self.sample and not self._waiting else None

    @property
    def message(self) -> str:
        return (
            f"{len(self.sample)} examples were asked twice and answered with the same text to the byte: further"
            " repetitions would add nothing and were left out."
        )
