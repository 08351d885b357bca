"""From bytes to text: the encoding is found, said, and can be corrected by the person."""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass

from packs.errors import AppError

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "windows-1252")
"""The choices offered; `decode` takes any name that Python knows."""

_MARKS = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_NO_TEXT = frozenset({"Cc", "Cn", "Co", "Cs"})


@dataclass(frozen=True, slots=True)
class Decoded:
    """text without a byte order mark; encoding as one of `ENCODINGS`; reason: how it was found, in words."""

    text: str
    encoding: str
    reason: str


def decode(data: bytes, encoding: str | None = None, *, name: str = "the file") -> Decoded:
    """Turn `data` into text, by `encoding` or by what the bytes show.

    Order: byte order mark; UTF-16 without a mark, by its zero bytes; UTF-8 if every byte fits; else
    Windows-1252. Raises AppError (`not_text`) for binary content and (`wrong_encoding`) when the encoding
    asked for does not fit.
    """
    if encoding is not None:
        return _as_asked(data, encoding, name)
    for mark, found in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], found, "by the byte order mark", name)
    utf16 = _utf16_without_mark(data)
    if utf16:
        return _strict(data, utf16, "by zero bytes at every second place", name)
    if b"\0" in data[:_SAMPLE]:
        utf16 = _utf16_in_any_script(data)
        if utf16 is None:
            raise _not_text(name)
        return _strict(data, utf16, "it reads as UTF-16", name)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", "every byte fits UTF-8")
    except UnicodeDecodeError:
        pass
    if _looks_binary(data):
        raise _not_text(name)
    # The five bytes that Windows-1252 leaves open become control characters, as in every browser.
    text = data.decode("windows-1252", errors="replace")
    return Decoded(text, "windows-1252", "not UTF-8; read as Windows-1252, the usual one for older files")


def _as_asked(data: bytes, encoding: str, name: str) -> Decoded:
    for mark, found in _MARKS:
        if found == encoding and data.startswith(mark):
            data = data[len(mark) :]
            break
    return _strict(data, encoding, "as chosen", name)


def _strict(data: bytes, encoding: str, reason: str, name: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, reason)
    except LookupError:
        raise AppError(
            f"There is no encoding called '{encoding}'.",
            f"Choose one of {', '.join(ENCODINGS)}.",
            code="wrong_encoding",
        ) from None
    except UnicodeDecodeError as error:
        raise AppError(
            f"{name} does not fit the encoding {encoding}: byte {error.start} is not allowed there.",
            "Choose another encoding.",
            code="wrong_encoding",
        ) from None


def _utf16_without_mark(data: bytes) -> str | None:
    sample = data[: _SAMPLE - _SAMPLE % 2]
    if len(sample) < 4 or len(data) % 2:
        return None
    pairs = len(sample) // 2
    low, high = sample[0::2].count(0), sample[1::2].count(0)
    if high > pairs * 0.4 and low < pairs * 0.05:
        return "utf-16-le"
    if low > pairs * 0.4 and high < pairs * 0.05:
        return "utf-16-be"
    return None


def _utf16_in_any_script(data: bytes) -> str | None:
    """For scripts beyond Latin, where only blanks, commas and line ends have a zero byte.

    Read the wrong way round, these become signs that no text has.
    """
    if len(data) % 2:
        return None
    plain = {encoding: _plain_signs(data[:_SAMPLE], encoding) for encoding in ("utf-16-le", "utf-16-be")}
    best = max(plain, key=lambda encoding: plain[encoding])
    return best if plain[best] > 0 else None


def _plain_signs(sample: bytes, encoding: str) -> int:
    """How many signs of ASCII there are; 0 when it is no text at all."""
    # The sample may end in the middle of a pair.
    text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
    odd = sum(unicodedata.category(sign) in _NO_TEXT and sign not in "\t\n\r\f" for sign in text)
    return 0 if odd or "\ufffd" in text else sum(sign.isascii() for sign in text)


def _looks_binary(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    odd = sum(byte < 32 and byte not in b"\t\n\r\f\v\x1b" for byte in sample)
    return odd > len(sample) * 0.02


def _not_text(name: str) -> AppError:
    return AppError(
        f"{name} is not a text file.",
        "Save it as text, CSV, Markdown, HTML, DOCX, PDF or XLSX first.",
        code="not_text",
    )
