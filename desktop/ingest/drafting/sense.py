"""Does a drafted text read like something a person wrote? Small models fall into loops and codes."""

from __future__ import annotations

from collections import Counter

_FEWEST_WORDS = 3
_LEAST_LETTERS = 0.65
_MOST_REPEATED = 0.34


def reads_like_text(text: str) -> bool:
    """False for codes, links, and texts in which a few words go round and round. Any script is fine."""
    if any(mark in text for mark in ("{{", "}}", "http:", "https:", "</", "\\u")):
        return False
    letters = sum(sign.isalpha() or sign.isspace() for sign in text)
    if not text or letters < len(text) * _LEAST_LETTERS:
        return False
    words = text.casefold().split()
    if len(words) == 1:
        # Chinese, Japanese and Thai have no blanks between words.
        return len(text) >= 8 and not text.isascii() and len(set(text)) > len(text) * 0.3
    if len(words) < _FEWEST_WORDS:
        return False
    triples = Counter(zip(words, words[1:], words[2:], strict=False))
    total = sum(triples.values())
    repeated = total - len(triples)
    return total < 6 or repeated <= total * _MOST_REPEATED
