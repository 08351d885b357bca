"""Text from packs and models is data: these functions make it harmless and visible for each kind of file.

Characters that a person cannot see, or that change how others are shown (direction marks, zero-width marks,
control characters, lone surrogates), become named boxes, so that what is read is what is there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from html import escape

from packs.numbers import UNKNOWN

_SHORT_NAMES = {
    0x00: "NUL",
    0x07: "BEL",
    0x08: "BS",
    0x09: "TAB",
    0x0B: "VT",
    0x0C: "FF",
    0x0D: "CR",
    0x1B: "ESC",
    0x7F: "DEL",
    0x85: "NEL",
    0xAD: "soft hyphen",
    0x61C: "ALM",
    0x200B: "zero-width space",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "line separator",
    0x2029: "paragraph separator",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "word joiner",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
}
_JOINERS = "\u200c\u200d"
"""Belong to Persian, Indic scripts and emoji; named only where they stand beside ASCII."""
# Everything that may need a box: controls but line feed, format marks, odd separators, surrogates, private use.
_SUSPECT = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffc\ud800-\udfff\U000e0000-\U000e0fff]"
)


def invisible(text: str, *, keep_tabs: bool = True) -> Iterator[tuple[str, str | None]]:
    """The text in pieces: `(piece, None)` as it stands, or `(character, its short name)` for one to be boxed.

    Line feeds stay; tabs stay unless `keep_tabs` is false; a carriage return before a line feed is boxed, since
    it changes what a strict scorer reads.
    """
    at = 0
    for match in _SUSPECT.finditer(text):
        mark = match.group()
        if mark == "\t" and keep_tabs:
            continue
        if mark in _JOINERS and _joins_letters(text, match.start()):
            continue
        if match.start() > at:
            yield text[at : match.start()], None
        yield mark, name_of(mark)
        at = match.end()
    if at < len(text):
        yield text[at:], None


@lru_cache(maxsize=512)
def name_of(character: str) -> str:
    """'RLM', 'ESC', 'U+FFF9'. Never empty."""
    code = ord(character)
    return _SHORT_NAMES.get(code) or f"U+{code:04X}"


@lru_cache(maxsize=512)
def long_name_of(character: str) -> str:
    """'U+200F right-to-left mark'."""
    code = ord(character)
    name = unicodedata.name(character, "").lower() if not 0xD800 <= code <= 0xDFFF else "half a character"
    return f"U+{code:04X} {name or 'control character'}"


def plain(text: str) -> str:
    """For terminals and text files: invisible characters as `[RLM]`; line feeds and tabs stay."""
    if _SUSPECT.search(text) is None:
        return text
    return "".join(piece if name is None else f"[{name}]" for piece, name in invisible(text))


def one_line(text: str, limit: int = 0) -> str:
    """Harmless and on one line: runs of blanks become one; cut in the middle of nothing, with `…`, at
    `limit`.
    """
    joined = " ".join(plain(text).split())
    return joined if not limit or len(joined) <= limit else joined[: max(1, limit - 1)] + "…"


def short_digest(digest: str | None) -> str:
    """The first 12 characters behind the kind of hash."""
    if not digest:
        return UNKNOWN
    kind, colon, value = digest.rpartition(":")
    return f"{kind}{colon}{value[:12]}"


def html(text: str) -> str:
    """Escaped for element content and for quoted attributes, invisible characters as named boxes."""
    if _SUSPECT.search(text) is None:
        return escape(text)
    return "".join(
        escape(piece)
        if name is None
        else f'<span class="mark" title="{escape(long_name_of(piece))}">{escape(name)}</span>'
        for piece, name in invisible(text)
    )


def attribute(text: str) -> str:
    """Escaped for a quoted attribute: no boxes as elements there."""
    return escape(plain(text))


_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$@])")
_MARKDOWN_LINK = re.compile(r"(?i)(https?|ftp|mailto)(:)|(www)(\.)")
_MARKDOWN_START = re.compile(r"^([#+\-=!]|\d+(?=[.)]))")


def markdown(text: str) -> str:
    """Inline Markdown that shows `text` as it is, on one line, safe in a table cell; no link comes about."""
    escaped = _MARKDOWN_SPECIAL.sub(r"\\\1", one_line(text))
    escaped = _MARKDOWN_LINK.sub(r"\1\3\\\2\4", escaped)
    return _MARKDOWN_START.sub(_escape_start, escaped)


def _escape_start(match: re.Match[str]) -> str:
    """A list number gets its backslash before the stop, every other mark before itself."""
    return f"{match.group()}\\" if match.group().isdigit() else f"\\{match.group()}"


def markdown_block(text: str) -> str:
    """A fenced block that no content can close. Ends without a line feed."""
    shown = plain(text)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


def csv_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula: one that starts like one gets an apostrophe before it.

    Source of the list: what Excel, LibreOffice and Google Sheets start a formula with, in the full-width
    forms as well, after blanks too.
    """
    shown = plain(text)
    start = shown.lstrip()[:1]
    return (
        f"'{shown}" if (start and start in "=+-@\uff1d\uff0b\uff0d\uff20") or shown[:1] in "\t\r\n" else shown
    )


_XML_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_safe(text: str) -> str:
    """Not escaped yet; what XML 1.0 cannot hold or nobody can see, as `[name]`."""
    return _XML_FORBIDDEN.sub(lambda match: f"[{name_of(match.group())}]", plain(text))


def xml(text: str) -> str:
    """Escaped for XML 1.0 content and attributes; what it cannot hold or nobody can see, as `[name]`."""
    return escape(xml_safe(text))


def _joins_letters(text: str, at: int) -> bool:
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    return bool(before and after) and not before.isascii() and not after.isascii()


def utf8_safe(text: str) -> bytes:
    """UTF-8 bytes; halves of character pairs, which UTF-8 cannot hold, as JSON escapes (`\\ud800`)."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", text).encode("utf-8")
