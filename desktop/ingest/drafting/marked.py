"""Words that a document itself marks as its categories: bold list entries, entries before a colon."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.ingest.documents.model import Passage
from packs.task.scorers.jobs import slug

_ENTRY = re.compile(
    r"^\s*(?:[-*•–]|\d+[.)])\s+"
    r"(?:\*\*|__)?(?P<word>[^\W_][\w /&-]{1,28}?)(?:\*\*|__)?\s*(?::|–|—| - )",
    re.MULTILINE,
)
_FEWEST = 3
_MOST = 12


def marked_text(passages: Sequence[Passage]) -> tuple[str, ...]:
    """As labels, in order, at most 12: the longest run of marked entries that stand together in one passage."""
    best = max((_entries(passage.text) for passage in passages), key=len, default=())
    return best[:_MOST] if len(best) >= _FEWEST else ()


def _entries(text: str) -> tuple[str, ...]:
    words = (slug(match["word"]) for match in _ENTRY.finditer(text))
    return tuple(dict.fromkeys(word for word in words if word))
