"""An explicit table of named things. The reader sees every entry in one place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class UnknownName(KeyError):
    """`name` is not in the table; `known` lists what is, `nearest` is the likeliest meant or None."""

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name)
        self.kind = kind
        self.name = name
        self.known = known
        self.nearest = nearest(name, known)

    def __str__(self) -> str:
        hint = f" Did you mean '{self.nearest}'?" if self.nearest else ""
        return f"Unknown {self.kind} '{self.name}'.{hint} Known: {', '.join(self.known)}."


class Registry(Generic[T]):
    """Entries by name, in the order given. A second owner of a name is refused. `entries` is for reading."""

    def __init__(self, kind: str, entries: Iterable[tuple[str, T]]) -> None:
        self.kind = kind
        self.entries: dict[str, T] = {}
        for name, entry in entries:
            if name in self.entries:
                raise ValueError(f"two entries of the {kind} table are named '{name}'")
            self.entries[name] = entry

    def __getitem__(self, name: str) -> T:
        """Raises UnknownName."""
        try:
            return self.entries[name]
        except KeyError:
            raise UnknownName(self.kind, name, self.names) from None

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[T]:
        return iter(self.entries.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.entries)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, ignoring case; None when none is near."""
    by_folded = {entry.casefold(): entry for entry in known}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None
