"""Did the server read the whole prompt? Some cut a long one without a word; such an answer is no evidence.

Ways to know: the backend can count a prompt's tokens itself; the number it reports is the whole context, which
leaves no room for an answer; or the number is too small for the text, compared with what it reported for other
prompts or, for the first, with what any language takes.
"""

from __future__ import annotations

import re
import statistics

TEMPLATE_TOKENS = 256
"""Room for a chat template's own tokens."""

COUNT_TOLERANCE = 2
"""Servers differ by a begin or end mark in what they count."""

SHORTER_THAN_USUAL = 1.7
"""So many times the usual bytes a token, and the text cannot have been read whole."""

MAX_CHARACTERS = 8.5
"""No language takes so many characters a token over a long text: about 4.5 in English, fewer in others."""

NEAR_CONTEXT = 0.4
"""A cut prompt still fills about half of the context or more; a smaller one was not cut for length."""


def cannot_be_cut(prompt: str, max_tokens: int, context_tokens: int | None) -> bool:
    """Is the prompt short enough to fit whatever the tokenizer does? A token stands for a byte at least."""
    if context_tokens is None:
        return False
    return len(prompt.encode("utf-8", "replace")) + TEMPLATE_TOKENS + max_tokens <= context_tokens


class InputCanary:
    """One per candidate: remembers how many bytes a token usually stands for.

    loaded: the context that the backend says it has loaded; None when it does not say.
    """

    def __init__(self, context_tokens: int | None, *, loaded: int | None = None) -> None:
        self._context_tokens = context_tokens
        self._loaded = loaded
        self._usual: list[float] = []

    def cut(self, prompt: str, read_tokens: int | None, counted_tokens: int | None) -> str:
        """A sentence when fewer tokens were read than were sent, else ''.

        read_tokens: as the server reports them for this answer. counted_tokens: the backend's exact count.
        """
        if read_tokens is None or read_tokens <= 0:
            return ""
        if counted_tokens is not None:
            if read_tokens + COUNT_TOLERANCE < counted_tokens:
                return f"The server read {read_tokens:,} of {counted_tokens:,} prompt tokens: it cut the input."
            return ""
        if self._loaded is not None and read_tokens >= self._loaded:
            return (
                f"The server read {read_tokens:,} tokens, all that its context holds:"
                " the input was cut, or left no room for an answer."
            )
        ratio = len(prompt.encode("utf-8", "replace")) / read_tokens
        usual = statistics.median(self._usual) if self._usual else None
        near = self._context_tokens is None or read_tokens >= NEAR_CONTEXT * self._context_tokens
        if usual is not None and near and ratio > SHORTER_THAN_USUAL * usual:
            return (
                f"The server read {read_tokens:,} tokens, about {len(prompt.encode()) / usual:,.0f} were sent:"
                " the input was cut."
            )
        if usual is None and near and _characters(prompt) > MAX_CHARACTERS * read_tokens:
            return (
                f"The server read {read_tokens:,} tokens of a text of {len(prompt):,} characters,"
                " which must be more: the input was cut."
            )
        if len(self._usual) < 200:
            self._usual.append(ratio)
        return ""


def _characters(text: str) -> int:
    """How many, with a run of one sign (blanks, lines of dashes) as two: a token may hold a long run."""
    return len(re.sub(r"([\W_])\1{2,}", r"\1\1", text))
