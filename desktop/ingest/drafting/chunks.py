"""Long documents are read in chunks that fit a small context, not cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.ingest.documents.model import Passage


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Neighbouring passages. first, last: their positions in the document, `last` included."""

    text: str
    first: int
    last: int
    where: str
    """'page 3' or 'page 3 to page 5'; empty when the passages do not know."""


def chunks_of(passages: Sequence[Passage], max_characters: int) -> tuple[TextChunk, ...]:
    """Neighbours together until a chunk is full; a passage longer than a chunk is split at blanks.

    max_characters >= 1. Every character of every passage is in one chunk; order is kept.
    """
    made: list[TextChunk] = []
    texts: list[str] = []
    first = 0

    def close(last: int) -> None:
        if texts:
            made.append(TextChunk("\n\n".join(texts), first, last, _where(passages, first, last)))
            texts.clear()

    size = 0
    for position, passage in enumerate(passages):
        for piece in _pieces(passage.text, max_characters):
            if texts and size + len(piece) + 2 > max_characters:
                close(position - 1 if len(piece) == len(passage.text) else position)
            if not texts:
                first, size = position, 0
            texts.append(piece)
            size += len(piece) + 2
    close(len(passages) - 1)
    return tuple(made)


def _pieces(text: str, limit: int) -> list[str]:
    pieces = []
    while len(text) > limit:
        cut = text.rfind(" ", limit // 2, limit)
        cut = limit if cut < 0 else cut + 1
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]


def _where(passages: Sequence[Passage], first: int, last: int) -> str:
    start, end = passages[first].where, passages[last].where
    return start if start == end or not end else f"{start} to {end}"
