"""Numbers as reports and windows show them (task-pack format, section 17.5)."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal


def fixed(value: float, decimals: int) -> str:
    """Halves round away from zero on the exact binary value: 12.5 → '13', 2.675 → '2.67'. Finite values only.

    Python's own formatting rounds exact halves to even. A result of zero has no sign.
    """
    step = Decimal(1).scaleb(-decimals)
    rounded = Decimal(value).quantize(step, rounding=ROUND_HALF_UP)
    return format(abs(rounded) if rounded == 0 else rounded, "f")


def quality(value: float | None) -> str:
    """Three decimals; '–' when unknown."""
    return "–" if value is None else fixed(value, 3)


def whole(value: float | None) -> str:
    """Milliseconds and MiB: no decimals, no grouping."""
    return "–" if value is None else fixed(value, 0)


def one_decimal(value: float | None) -> str:
    """Tokens per second and percent."""
    return "–" if value is None else fixed(value, 1)


def signed(value: float | None) -> str:
    """One decimal with its sign, as the memory delta: '+3.0', '-12.5', '0.0'."""
    if value is None:
        return "–"
    text = fixed(value, 1)
    return text if float(text) <= 0 else f"+{text}"


def rounded(value: float, decimals: int) -> float:
    """The number that `fixed` shows."""
    return float(fixed(value, decimals))


def percent(share: float) -> str:
    """A probability or share in [0, 1] in whole percent: '83 %'; 0 and 100 only when exact."""
    value = share * 100
    if 0 < value < 1:
        return "less than 1 %"
    if 99 < value < 100:
        return "more than 99 %"
    return f"{fixed(value, 0)} %"


def gib(mib: float) -> str:
    """A size given in MiB as a person reads it: '0.67 GiB', '340 MiB'."""
    return f"{fixed(mib / 1024, 2)} GiB" if abs(mib) >= 512 else f"{fixed(mib, 0)} MiB"


def about(value: float) -> int:
    """A count rounded for 'about N': to tens below 200, fifties below 1,000, hundreds beyond; at least 1."""
    if not math.isfinite(value) or value < 0:
        raise ValueError("a count must be finite and not negative")
    step = 1 if value < 10 else 10 if value < 200 else 50 if value < 1000 else 100
    return max(1, math.ceil(value / step) * step)


def counted(number: int, singular: str) -> str:
    """'1 example', '3 examples'; for words that take an s."""
    return f"{number} {singular}{'' if number == 1 else 's'}"


def grouped(count: int) -> str:
    """'12,000'."""
    return f"{count:,}"
