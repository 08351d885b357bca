"""How task vectors are compared: numbers within 1e-9, booleans never equal numbers."""

from __future__ import annotations

import math
from typing import Any

from tests.conformance.vectors_dir import OWN, vectors_root


def same(left: Any, right: Any) -> bool:
    if left == "Infinity":
        left = math.inf
    if right == "Infinity":
        right = math.inf
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        if math.isinf(left) or math.isinf(right):
            return left == right
        return abs(left - right) <= 1e-9 * max(1.0, abs(left), abs(right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    return type(left) is type(right) and left == right


def binding(case: dict[str, Any]) -> bool:
    """Must the recorded answer be ours? A case marked `quirk` records a weakness of another tool.

    With our own copy of the vectors we know each of them and hold what is deliberately the same; in other sets
    there may be quirks we mend without knowing the case, so that one only has to be answered at all.
    """
    return "quirk" not in case or vectors_root() == OWN
