"""The text of a field that has many lines, without changing what nobody edited.

Qt's editors show every kind of line end as one and, asked for their text, make no-break spaces plain ones.
So what a field shows is compared with what it would show, and only what was typed goes into the text behind.

Laying out one line of a mebibyte takes Qt over half a minute, so a long line is shown cut, with its length.
"""

from __future__ import annotations

import re

from PySide6.QtWidgets import QPlainTextEdit

_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029\ufdd0\ufdd1]")
_LONG = re.compile("[^\n\r\u2028\u2029\ufdd0\ufdd1]{10001,}")
_PIECE = re.compile("\r\n|.", re.DOTALL)


MAX_LINE = 10_000
"""Characters of one line that are laid out: 20 ms at the worst, growing with the square (measured)."""


def cut_note(length: int) -> str:
    """What stands behind a line that is cut."""
    return f"… [cut here: this line has {length:,} characters]"


def cut_lines(text: str) -> str:
    """The same text with each line cut that is longer than `MAX_LINE`, and its length behind it."""
    if len(text) <= MAX_LINE:
        return text
    return _LONG.sub(lambda line: line.group()[:MAX_LINE] + cut_note(len(line.group())), text)


def fill(edit: QPlainTextEdit, text: str, *, editable: bool = True) -> None:
    """Shows a text unless it is shown already. One with a line that had to be cut cannot be edited there."""
    visible = cut_lines(text)
    if shown(visible) != text_of(edit):
        edit.setPlainText(visible)
    edit.setReadOnly(not editable or visible != text)


def shown(text: str) -> str:
    """What a field shows of it: every line end is a line feed."""
    return _LINE_ENDS.sub("\n", text)


def text_of(edit: QPlainTextEdit) -> str:
    """What stands in the field, as `shown` would say it."""
    return shown(edit.document().toRawText())


def typed_into(edit: QPlainTextEdit, before: str) -> str:
    """`before` with what was typed into the field that showed it; all other characters as they were."""
    if cut_lines(before) != before:
        return before
    after, was = text_of(edit), shown(before)
    if was == before or after == was:
        return before if after == was else after
    pieces = _PIECE.findall(before)
    maximum = min(len(after), len(pieces))
    start = next((at for at in range(maximum) if was[at] != after[at]), maximum)
    end = next((at for at in range(maximum - start) if was[-1 - at] != after[-1 - at]), maximum - start)
    middle = after[start : len(after) - end]
    found = "".join([*pieces[:start], middle, *pieces[len(pieces) - end :]])
    # Two line ends that came to stand beside each other can be one then.
    return found if shown(found) == after else after
