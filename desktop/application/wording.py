"""Figures and times of a run in words, as the window shows them. Pure; unknown is a dash."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta

UNKNOWN = "–"

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def right_text(right: float | None, judged: int) -> str:
    """'18 of 30 right'; a fraction where repetitions of one example differ: '17.5 of 30 right'."""
    if right is None or judged < 1:
        return UNKNOWN
    number = f"{right:.0f}" if math.isclose(right, round(right)) else f"{right:.1f}"
    return f"{number} of {judged:,} right"


def so_far(seconds: float) -> str:
    """'6 min 12 s so far'."""
    return f"{clock(seconds)} so far"


def clock(seconds: float) -> str:
    """'41 s', '6 min 12 s', '2 h 5 min'."""
    total = max(0, int(seconds))
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s"
    return f"{total // 3600} h {total % 3600 // 60} min"


def remaining(low_s: float | None, high_s: float | None) -> str:
    """An honest range of what is left: '4 to 7 minutes left'. Never a single false figure."""
    if low_s is None or high_s is None:
        return "time left not known yet"
    return f"{time_range(low_s, high_s)} left"


def time_range(low_s: float, high_s: float) -> str:
    """'20 to 40 seconds', '4 to 7 minutes', 'about 2 hours'. Rounded outwards, so that it holds."""
    low, high = max(0.0, min(low_s, high_s)), max(0.0, low_s, high_s)
    if high < 10:
        return "less than 10 seconds"
    if high < 90:
        return _span(math.floor(low / 10) * 10, math.ceil(high / 10) * 10, "seconds")
    if high < 5400:
        if low < 60:
            return f"up to {math.ceil(high / 60)} minutes"
        return _span(math.floor(low / 60), math.ceil(high / 60), "minutes")
    if low < 3600:
        return f"{math.floor(low / 60)} minutes to {math.ceil(high / 3600)} hours"
    return _span(math.floor(low / 3600), math.ceil(high / 3600), "hours")


def _span(low: int, high: int, unit: str) -> str:
    if low == high:
        return f"about {high} {unit if high != 1 else unit.rstrip('s')}"
    if low == 0:
        return f"up to {high} {unit}"
    return f"{low} to {high} {unit}"


def milliseconds(value: float | None) -> str:
    """'140 ms', from ten seconds on '12.3 s'."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f} ms" if value < 10_000 else f"{value / 1000:.1f} s"


def rate(tokens_per_second: float | None) -> str:
    """'94', below ten with one decimal; the column names the unit."""
    if tokens_per_second is None:
        return UNKNOWN
    return f"{tokens_per_second:.0f}" if tokens_per_second >= 10 else f"{tokens_per_second:.1f}"


def gib(mib: float | None) -> str:
    """'0.38', from MiB; the column names the unit."""
    return UNKNOWN if mib is None else f"{mib / 1024:.2f}"


def size(bytes_: float) -> str:
    """Disk use: '98 kB', '12 MB'."""
    value = float(bytes_)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def moment(iso_utc: str, now: datetime) -> str:
    """'Today 09:12', 'Yesterday 18:03', 'Thu 26 Nov', '26 Nov 2025' in the local time of `now` (aware)."""
    at = local(iso_utc, now)
    if at is None:
        return iso_utc
    today = now.date()
    if at.date() == today:
        return f"Today {at:%H:%M}"
    if at.date() == today - timedelta(days=1):
        return f"Yesterday {at:%H:%M}"
    if at.date() > today - timedelta(days=300):
        return f"{_DAYS[at.weekday()]} {_day(at.date())}"
    return f"{_day(at.date())} {at.year}"


def full_moment(iso_utc: str, now: datetime) -> str:
    """'30 Nov, 10:21'."""
    at = local(iso_utc, now)
    return iso_utc if at is None else f"{_day(at.date())}, {at:%H:%M}"


def local(iso_utc: str, now: datetime) -> datetime | None:
    """None for what is no time."""
    try:
        return datetime.fromisoformat(iso_utc).astimezone(now.tzinfo)
    except ValueError:
        return None


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]}"


def counted(number: int, singular: str, plural: str = "") -> str:
    """'1 example', '30 examples'."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
