"""Numbers as people write them in tables: decimal point or comma, groups, currency and percent signs."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CURRENCY = "$€£¥₹"
_POINT = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[+-]?\.\d+")
_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:[.'’ \u00a0\u202f]\d{3})+|\d+)(?:,\d+)?|[+-]?,\d+")
_GROUPS_POINT = re.compile(r"[+-]?(?:\d{1,3}(?:['’ \u00a0\u202f]\d{3})+)(?:\.\d+)?")


def parse_number(text: str, decimal: str) -> float | int | None:
    """The number that the whole text is, written with `decimal` ('.' or ','), or None.

    Currency signs, a percent sign and blanks around the number are passed over; parentheses or a leading
    minus (also U+2212) make it negative. Texts with a leading zero such as '007' are codes, not numbers.
    """
    body = text.strip().replace("\u2212", "-")
    negative = body.startswith("(") and body.endswith(")")
    if negative:
        body = body[1:-1].strip()
    body = body.rstrip("%").strip()
    sign = ""
    if body[:1] in "+-":
        sign, body = body[:1], body[1:].strip()
    body = body.strip(_CURRENCY + " \u00a0\u202f")
    body = sign + body
    patterns = (_POINT, _GROUPS_POINT) if decimal == "." else (_COMMA,)
    if not any(pattern.fullmatch(body) for pattern in patterns):
        return None
    digits = body.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        return None
    plain = re.sub(r"['’ \u00a0\u202f]", "", body)
    plain = plain.replace(",", "") if decimal == "." else plain.replace(".", "").replace(",", ".")
    value = float(plain)
    if value in (float("inf"), float("-inf")):
        return None
    if negative:
        value = -value
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def sniff_decimal(cells: Iterable[str], delimiter: str | None) -> tuple[str, str]:
    """('.' or ',', the reason in words) from the cells that can be a number in one way only.

    '12,5' and '1.234,50' speak for the comma, '12.5' and '1,234.50' for the point; '1,234' and '7' speak for
    neither. Without evidence a semicolon between columns speaks for the comma.
    """
    comma = point = 0
    for cell in cells:
        text = cell.strip()
        if not any(sign in text for sign in ".,"):
            continue
        as_point, as_comma = parse_number(text, "."), parse_number(text, ",")
        if as_point is not None and as_comma is None:
            point += 1
        elif as_comma is not None and as_point is None:
            comma += 1
    if comma > point:
        return ",", f"{comma} numbers are written with a decimal comma"
    if point > comma:
        return ".", f"{point} numbers are written with a decimal point"
    if delimiter == ";":
        return ",", "no number shows it; with semicolons between columns the comma is usual"
    return ".", "no number shows it; the point is usual"
