"""Is the reply neither too short nor too long, counted in code points?"""

from __future__ import annotations

from collections.abc import Mapping

from packs.canonical import JsonValue
from packs.qualification.evaluators.base import EvaluatorOutcome, failing, passing
from packs.qualification.pack import Case
from packs.qualification.replies import Reply


class LengthBounds:
    kind = "deterministic"
    type = "length_bounds"
    settings = ("min_chars", "max_chars")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        low, high = config.get("min_chars"), config.get("max_chars")
        wanted: JsonValue = {"min_chars": low, "max_chars": high}
        length = len(reply.content)
        if _bound(low, length, -1) and _bound(high, length, 1):
            return passing(wanted, length, f"{length} characters.")
        return failing("length_bounds", wanted, length, f"{length} characters are outside the bounds.")


def _bound(limit: JsonValue, length: int, side: int) -> bool:
    if limit is None:
        return True
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise TypeError(f"a length bound must be a number, not {limit!r}")
    return length >= limit if side < 0 else length <= limit
