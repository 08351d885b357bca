"""Line ends of an edited text: a line that stays keeps the one it had, also where a file mixes both kinds."""

from __future__ import annotations

import difflib

_MAX_COMPARED = 3000
"""Changed lines, above and below which nothing changed; beyond that they end as most of the file does."""


def with_line_ends(text: str, before: str) -> str:
    """`text`, whose lines end in LF, with the line ends of `before`; new lines end as most of `before` do."""
    windows = before.count("\r\n")
    plain = before.count("\n") - windows
    if not windows:
        return text
    usual = "\r\n" if windows >= plain else "\n"
    if not plain:
        return text.replace("\n", usual)
    ends = [usual] * text.count("\n")
    old, new = before.split("\n"), text.split("\n")
    were = ["\r\n" if line.endswith("\r") else "\n" for line in old[:-1]]
    old = [line.removesuffix("\r") for line in old]
    for first, start, count in _equal_runs(old, new):
        for offset in range(count):
            if first + offset < len(were) and start + offset < len(ends):
                ends[start + offset] = were[first + offset]
    return "".join(line + end for line, end in zip(new, [*ends, ""], strict=True))


def _equal_runs(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    """(first line in old, in new, how many) of the lines that stayed."""
    shorter = min(len(old), len(new))
    head = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    runs = [(0, 0, head), (len(old) - tail, len(new) - tail, tail)]
    if max(len(middle_old), len(middle_new)) <= _MAX_COMPARED:
        matcher = difflib.SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        runs += [(head + a, head + b, size) for a, b, size in matcher.get_matching_blocks()]
    return runs
