"""How figures are written. Unknown is a dash, never a zero.

Rounding by the task-pack format, section 17.5: halves go away from zero on the exact binary value.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

UNKNOWN = "–"
Writer = Callable[[float], str]


def rounded(value: float, places: int) -> str:
    """0.125 with 2 places gives '0.13', 12.5 with none gives '13'; no '-0'."""
    step = Decimal(1).scaleb(-places)
    result = Decimal(value).quantize(step, rounding=ROUND_HALF_UP)
    return f"{abs(result) if result == 0 else result:f}"


def quality(value: float | None) -> str:
    """Three decimals."""
    return UNKNOWN if value is None else rounded(value, 3)


def percent(proportion: float | None) -> str:
    """One decimal, with the sign: '83.3 %'."""
    return UNKNOWN if proportion is None else f"{rounded(proportion * 100, 1)} %"


def whole_percent(proportion: float | None) -> str:
    """'83 %', for sentences and axes."""
    return UNKNOWN if proportion is None else f"{rounded(proportion * 100, 0)} %"


def interval(low: float, high: float) -> str:
    """'74 – 97 %'."""
    return f"{rounded(low * 100, 0)} – {rounded(high * 100, 0)} %"


def milliseconds(value: float | None) -> str:
    return UNKNOWN if value is None else f"{rounded(value, 0)} ms"


def mebibytes(value: float | None) -> str:
    return UNKNOWN if value is None else f"{rounded(value, 0)} MiB"


def gibibytes(mib: float | None) -> str:
    """From MiB: '1.94 GiB'."""
    return UNKNOWN if mib is None else f"{rounded(mib / 1024, 2)} GiB"


def rate(tokens_per_second: float | None) -> str:
    return UNKNOWN if tokens_per_second is None else f"{rounded(tokens_per_second, 1)} tok/s"


def signed_percent(value: float | None) -> str:
    """Already in percent, with its sign: '+12.4 %'."""
    if value is None:
        return UNKNOWN
    text = rounded(value, 1)
    return f"{text} %" if text.startswith("-") else f"+{text} %"


def duration(seconds: float | None) -> str:
    """'42 s', '11 min 40 s', '2 h 5 min'."""
    if seconds is None:
        return UNKNOWN
    total = int(rounded(max(0.0, seconds), 0))
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s" if total % 60 else f"{total // 60} min"
    minutes = total % 3600 // 60
    return f"{total // 3600} h {minutes} min" if minutes else f"{total // 3600} h"


def count(number: int, singular: str, plural: str = "") -> str:
    """'1 example', '12,000 units'."""
    word = singular if number == 1 else plural or f"{singular}s"
    return f"{number:,} {word}"


def seconds(milliseconds_taken: float | None) -> str:
    """From milliseconds: '0.8 s' below ten seconds, else as `duration`."""
    if milliseconds_taken is None:
        return UNKNOWN
    taken = milliseconds_taken / 1000
    return f"{rounded(taken, 1)} s" if taken < 10 else duration(taken)


def moment(iso: str) -> str:
    """'2026-11-30 10:21 UTC' from ISO 8601 in UTC; anything else as it is."""
    return f"{iso[:10]} {iso[11:16]} UTC" if len(iso) >= 16 and iso[10] == "T" else iso
