"""Entries of a list with the other spellings of each, as they are edited: a rename takes its spellings along.

In a pack they are two parameters: the list of entries, and a mapping from a spelling to the entry that it
stands for. Spellings keep their place in the mapping, so that an edit changes no more lines than it must.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from packs.task.text import normalise


@dataclass(frozen=True, slots=True)
class Spellings:
    """entries: as they stand in the pack, texts or not. others: the entry that each spelling stands for.

    Every method gives another `Spellings`; this one stays.
    """

    entries: Sequence[Any] = ()
    others: Mapping[str, Any] = field(default_factory=dict)

    def owners(self) -> dict[str, int | None]:
        """The entry that each spelling stands for, case and blanks around aside; None where there is none."""
        exact: dict[str, int] = {}
        near: dict[str, int] = {}
        for place, entry in enumerate(self.entries):
            exact.setdefault(repr(entry), place)
            if isinstance(entry, str):
                near.setdefault(normalise(entry), place)
        found: dict[str, int | None] = {}
        for spelling, target in self.others.items():
            nearly = near.get(normalise(target)) if isinstance(target, str) else None
            found[spelling] = exact.get(repr(target), nearly)
        return found

    def of(self, place: int) -> tuple[str, ...]:
        """The spellings of an entry, in the order of the mapping."""
        return tuple(spelling for spelling, owner in self.owners().items() if owner == place)

    def strays(self) -> dict[str, tuple[str, ...]]:
        """Spellings that stand for no entry, by what they stand for."""
        found: dict[str, tuple[str, ...]] = {}
        for spelling, owner in self.owners().items():
            if owner is None:
                target = str(self.others[spelling])
                found[target] = (*found.get(target, ()), spelling)
        return found

    def add(self, at: int, entries: Sequence[str]) -> Spellings:
        return replace(self, entries=(*self.entries[:at], *entries, *self.entries[at:]))

    def rename(self, place: int, entry: str) -> Spellings:
        """Its spellings stand for the new name then."""
        own = self.of(place)
        entries = (*self.entries[:place], entry, *self.entries[place + 1 :])
        return Spellings(entries, {**self.others, **dict.fromkeys(own, entry)})

    def move(self, place: int, target: int) -> Spellings:
        """target: its number when it has moved."""
        entries = list(self.entries)
        entries.insert(target, entries.pop(place))
        return replace(self, entries=tuple(entries))

    def remove(self, place: int) -> Spellings:
        """Its spellings go with it."""
        own = self.of(place)
        entries = (*self.entries[:place], *self.entries[place + 1 :])
        return Spellings(entries, {key: value for key, value in self.others.items() if key not in own})

    def add_spellings(self, spellings: Sequence[str], entry: Any) -> Spellings:
        return replace(self, others={**self.others, **dict.fromkeys(spellings, entry)})

    def rename_spelling(self, spelling: str, new: str) -> Spellings:
        return replace(
            self, others={new if key == spelling else key: value for key, value in self.others.items()}
        )

    def remove_spellings(self, spellings: Sequence[str]) -> Spellings:
        return replace(self, others={key: value for key, value in self.others.items() if key not in spellings})
