"""What all prompts of a pack begin with, in tokens."""

from __future__ import annotations

from collections.abc import Sequence

MIN_TOKENS = 32
"""A shorter beginning is not worth a state of its own."""
LOOKED_AT = 64
"""Prompts that are turned into tokens to find the beginning. An answer stays dependent on its own prompt alone
when another prompt leaves the beginning earlier: the engine then drops the rest of it."""


def spread(prompts: Sequence[str], limit: int = LOOKED_AT) -> list[str]:
    """At most `limit` different prompts in sorted order, evenly spaced, the first and last of them included.

    Neighbours in sorted order share most; the first and the last share least, and so decide the beginning.
    """
    distinct = sorted(set(prompts))
    if len(distinct) <= limit:
        return distinct
    step = (len(distinct) - 1) / (limit - 1)
    return [distinct[round(i * step)] for i in range(limit)]


def common_prefix(token_lists: Sequence[Sequence[int]]) -> list[int]:
    """The tokens that all lists begin with, at least one token short of each list; empty for no lists."""
    if not token_lists:
        return []
    longest = min(len(tokens) for tokens in token_lists) - 1
    first = token_lists[0]
    length = 0
    while length < longest and all(tokens[length] == first[length] for tokens in token_lists):
        length += 1
    return list(first[:length])
