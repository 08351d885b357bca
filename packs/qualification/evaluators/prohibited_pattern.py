"""Does the reply say what it must not? Patterns are regular expressions, searched with a time limit."""

from __future__ import annotations

import re
from collections.abc import Mapping

import regex

from packs.canonical import JsonValue
from packs.qualification.evaluators.base import EvaluatorOutcome, failing, passing
from packs.qualification.pack import Case
from packs.qualification.replies import Reply

SECONDS_PER_PATTERN = 0.1
"""A pattern from outside may not hold up a run: product page, section 9."""


class PatternTooSlow(Exception):
    """The pattern did not finish on this reply within its time."""


class ProhibitedPattern:
    kind = "deterministic"
    type = "prohibited_pattern"
    settings = ("patterns",)

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        patterns = _listed(config.get("patterns")) + _listed(case.expected.get("prohibited_claims"))
        found = [pattern for pattern in patterns if pattern and search(pattern, reply.content)]
        if found:
            return failing("prohibited_claim", patterns, found, "The reply holds a pattern that it must not.")
        return passing(patterns, [], "No prohibited pattern occurs.")


def _listed(value: JsonValue) -> list[str]:
    return list(value) if isinstance(value, list | tuple) else []


def search(pattern: str, text: str) -> bool:
    """As Python's `re.search` without flags.

    Raises re.error or TypeError for what is no pattern, PatternTooSlow after the time limit.
    """
    simple = re.compile(pattern)
    if not _could_be_slow(pattern):
        return simple.search(text) is not None
    try:
        return regex.search(pattern, text, timeout=SECONDS_PER_PATTERN) is not None
    except TimeoutError:
        raise PatternTooSlow(
            f"the pattern {pattern!r} took longer than {SECONDS_PER_PATTERN * 1000:.0f} ms"
        ) from None


def _could_be_slow(pattern: str) -> bool:
    """A pattern without repeats and choices reads the text once; any other can take its square or worse."""
    return any(sign in pattern for sign in "*+{?|")
