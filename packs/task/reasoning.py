"""Setting reasoning text aside, so that only the visible answer is scored (product rules for outcomes)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packs.task.text import BLANK_CLASS, trim

_TAGS = "think|thinking"
_BLOCK = re.compile(rf"[{BLANK_CLASS}]*<({_TAGS})>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(rf"[{BLANK_CLASS}]*<({_TAGS})>(.*)\Z", re.DOTALL | re.IGNORECASE)
_LONE_CLOSING = re.compile(rf"</({_TAGS})>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SplitAnswer:
    """visible: what is scored; the very text as it came when nothing was set aside. reasoning: the rest.

    unfinished: the reasoning was still going on when the text ended.
    """

    visible: str
    reasoning: str
    unfinished: bool = False


def split_reasoning(text: str, separate: str = "") -> SplitAnswer:
    """Blocks `<think>…</think>` at the beginning, a lone closing tag, and a server's separate field.

    A tag in the middle of an answer is part of the answer.
    """
    pieces = [trim(separate)] if trim(separate) else []
    rest, found = text, False
    while (block := _BLOCK.match(rest)) is not None:
        pieces.append(trim(block[2]))
        rest, found = rest[block.end() :], True
    opened = _OPENED.match(rest)
    if opened is not None:
        pieces.append(trim(opened[2]))
        return SplitAnswer("", "\n\n".join(filter(None, pieces)), unfinished=True)
    if not found:
        closings = list(_LONE_CLOSING.finditer(rest))
        if closings and not re.search(rf"<({_TAGS})>", rest[: closings[0].start()], re.IGNORECASE):
            pieces.append(trim(rest[: closings[0].start()]))
            rest, found = rest[closings[0].end() :], True
    visible = trim(rest) if found else text
    return SplitAnswer(visible, "\n\n".join(filter(None, pieces)))
