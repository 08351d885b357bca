"""How figures are written, in reports, windows and commands alike. Unknown is a dash, never a zero.

Rounding by the task-pack format, section 17.5: halves go away from zero on the exact binary value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

UNKNOWN = "–"
Writer = Callable[[float], str]


def fixed(value: float, decimals: int) -> str:
    """12.5 with none gives '13', 2.675 with 2 gives '2.67'. Finite values only.

    Python's own formatting rounds exact halves to even. A result of zero has no sign.
    """
    step = Decimal(1).scaleb(-decimals)
    rounded = Decimal(value).quantize(step, rounding=ROUND_HALF_UP)
    return format(abs(rounded) if rounded == 0 else rounded, "f")


def rounded(value: float, decimals: int) -> float:
    """The number that `fixed` shows."""
    return float(fixed(value, decimals))


def quality(value: float | None) -> str:
    """Three decimals."""
    return UNKNOWN if value is None else fixed(value, 3)


def whole(value: float | None) -> str:
    """No decimals, no grouping, no unit."""
    return UNKNOWN if value is None else fixed(value, 0)


def percent(proportion: float | None) -> str:
    """One decimal, with the sign: '83.3 %'."""
    return UNKNOWN if proportion is None else f"{fixed(proportion * 100, 1)} %"


def whole_percent(proportion: float | None) -> str:
    """'83 %', for sentences and axes."""
    return UNKNOWN if proportion is None else f"{fixed(proportion * 100, 0)} %"


def signed_percent(value: float | None) -> str:
    """Already in percent, with its sign: '+12.4 %'."""
    if value is None:
        return UNKNOWN
    text = fixed(value, 1)
    return f"{text} %" if text.startswith("-") else f"+{text} %"


def chance(probability: float) -> str:
    """A probability in [0, 1] in whole percent: '83 %'; 0 and 100 only when exact."""
    value = probability * 100
    if 0 < value < 1:
        return "less than 1 %"
    if 99 < value < 100:
        return "more than 99 %"
    return whole_percent(probability)


def interval(low: float, high: float) -> str:
    """From proportions: '74 – 97 %'."""
    return f"{fixed(low * 100, 0)} – {fixed(high * 100, 0)} %"


def mebibytes(value: float | None) -> str:
    return UNKNOWN if value is None else f"{fixed(value, 0)} MiB"


def gibibytes(mib: float | None) -> str:
    """From MiB, always in GiB, for columns: '1.94 GiB'."""
    return UNKNOWN if mib is None else f"{fixed(mib / 1024, 2)} GiB"


def memory(mib: float) -> str:
    """From MiB, in the unit that suits a sentence: '0.67 GiB', '340 MiB'."""
    return gibibytes(mib) if abs(mib) >= 512 else mebibytes(mib)


def rate(tokens_per_second: float | None) -> str:
    return UNKNOWN if tokens_per_second is None else f"{fixed(tokens_per_second, 1)} tok/s"


def milliseconds(value: float | None) -> str:
    return UNKNOWN if value is None else f"{fixed(value, 0)} ms"


def seconds(milliseconds_taken: float | None) -> str:
    """From milliseconds: '0.8 s' below ten seconds, else as `duration`."""
    if milliseconds_taken is None:
        return UNKNOWN
    taken = milliseconds_taken / 1000
    return f"{fixed(taken, 1)} s" if taken < 10 else duration(taken)


def duration(seconds: float | None) -> str:
    """'42 s', '11 min 40 s', '2 h 5 min'."""
    if seconds is None:
        return UNKNOWN
    total = int(fixed(max(0.0, seconds), 0))
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s" if total % 60 else f"{total // 60} min"
    minutes = total % 3600 // 60
    return f"{total // 3600} h {minutes} min" if minutes else f"{total // 3600} h"


def moment(iso: str) -> str:
    """'2026-11-30 10:21 UTC' from ISO 8601 in UTC; anything else as it is."""
    return f"{iso[:10]} {iso[11:16]} UTC" if len(iso) >= 16 and iso[10] == "T" else iso


def count(number: int, singular: str, plural: str = "") -> str:
    """'1 example', '12,000 units'."""
    word = singular if number == 1 else plural or f"{singular}s"
    return f"{number:,} {word}"


def about(value: float) -> int:
    """A count rounded up for 'about N': to tens below 200, fifties below 1,000, hundreds beyond; at least 1."""
    if not math.isfinite(value) or value < 0:
        raise ValueError("a count must be finite and not negative")
    step = 1 if value < 10 else 10 if value < 200 else 50 if value < 1000 else 100
    return max(1, math.ceil(value / step) * step)
