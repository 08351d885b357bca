"""How task vectors are compared: numbers within 1e-9, booleans never equal numbers."""

from __future__ import annotations

import math
from typing import Any


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
