"""Where a drafted example comes from in its passage: the longest piece that both have. Free of Qt."""

from __future__ import annotations

LEAST = 6
"""Characters in common; fewer say nothing."""
MAX_PASSAGE, MAX_DRAFTED = 8_000, 800
"""Characters that are compared, so that a long passage does not hold up the window."""


def shared_piece(passage: str, drafted: str) -> tuple[int, int] | None:
    """(start, length) in `passage` of what it shares with `drafted`; None when it is too little.

    Capital and small letters count alike, every blank and line end as one blank. Works for scripts without
    blanks between words as well.
    """
    one, two = _plain(passage[:MAX_PASSAGE]), _plain(drafted[:MAX_DRAFTED])
    # Where a piece of some length is shared, shorter ones are too: the longest is found by halving.
    start, least, maximum = 0, 0, min(len(one), len(two))
    while least < maximum:
        length = (least + maximum + 1) // 2
        place = _first_shared(one, two, length)
        if place is None:
            maximum = length - 1
        else:
            start, least = place, length
    piece = one[start : start + least]
    length = len(piece.strip())
    start += len(piece) - len(piece.lstrip())
    return (start, length) if length >= min(LEAST, max(len(two.strip()), 3)) else None


def _first_shared(one: str, two: str, length: int) -> int | None:
    """Where the first piece of this length in `one` starts that is in `two` as well."""
    pieces = {two[at : at + length] for at in range(len(two) - length + 1)}
    return next((at for at in range(len(one) - length + 1) if one[at : at + length] in pieces), None)


def _plain(text: str) -> str:
    """As long as `text`, so that places stay."""
    return "".join(
        " " if sign.isspace() else small if len(small := sign.lower()) == 1 else sign for sign in text
    )
