"""Takes keys out of what comes back from servers: the one guard for every request of the program.

Some proxies repeat the key in their error messages, and a model behind one may be shown the request's headers.
What a server says is stored, logged, shown and passed on in bundles; a key must not be in it, in no form that
anybody could read it from.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from desktop.inference.backends.base import (
    BackendFault,
    Generation,
    GenerationProgress,
    JsonValue,
    OnProgress,
)

INSTEAD = "[key removed]"
_SHORTEST = 8
"""Characters. A shorter key ('none', 'test') is none that matters, and stands in texts by chance."""
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[^\w\s]")


class KeyGuard:
    """For the keys in use; without one it guards nothing.

    Found are the keys as they are, URL-encoded, as escaped in JSON, and in Base64 (both alphabets, wherever in
    the encoded text they begin).
    """

    def __init__(self, *keys: str | None) -> None:
        """None and keys of fewer than 8 characters are passed over. Keys are ASCII, as headers are."""
        wanted = {key.strip() for key in keys if key is not None}
        self._keys = tuple(sorted(key for key in wanted if len(key) >= _SHORTEST and key.isascii()))
        self._forms = tuple(dict.fromkeys(form for key in self._keys for form in _forms(key)))

    def __repr__(self) -> str:
        return f"KeyGuard({len(self._keys)} keys)"

    def text(self, text: str) -> str:
        if not self._keys:
            return text
        if any(form in text for form in self._forms):
            text = _literal_pattern(self._keys).sub(INSTEAD, text)
        # Reading escapes is slow and seldom needed.
        return _escaped_forms(self._keys).sub(INSTEAD, text) if _ENCODED.search(text) else text

    def content(self, content: bytes) -> bytes:
        """Of any encoding that has ASCII in it; bytes that are no text stay as they are."""
        if not self._keys:
            return content
        return self.text(content.decode("latin-1")).encode("latin-1")

    def value(self, value: JsonValue) -> JsonValue:
        """Every text and every name in it. However deep it is: no recursion."""
        if not self._keys:
            return value
        whole = [value]
        unread: list[list[Any] | dict[Any, Any]] = [whole]
        while unread:
            group = unread.pop()
            for place, entry in list(group.items() if isinstance(group, dict) else enumerate(group)):
                cleaned: JsonValue = entry
                match entry:
                    case str():
                        cleaned = self.text(entry)
                    case list():
                        cleaned = list(entry)
                        unread.append(cleaned)
                    case dict():
                        cleaned = {self.text(str(name)): inner for name, inner in entry.items()}
                        unread.append(cleaned)
                group[place] = cleaned
        return whole[0]

    def answer(self, answer: Generation) -> Generation:
        """The whole texts: in a stream the key may come in pieces."""
        if not self._keys:
            return answer
        return replace(answer, text=self.text(answer.text), reasoning=self.text(answer.reasoning))

    @contextmanager
    def progress(self, on_progress: OnProgress) -> Iterator[OnProgress]:
        """Around reading a stream: tells its pieces on without keys. A piece that may end in the beginning of a
        key waits for the next one; what waits at the end of a whole answer is told then."""
        if not self._keys:
            yield on_progress
            return
        text, reasoning = _Pieces(self), _Pieces(self)

        def tell(progress: GenerationProgress) -> None:
            on_progress(
                replace(progress, text=text.take(progress.text), reasoning=reasoning.take(progress.reasoning))
            )

        yield tell
        last = GenerationProgress(text=text.rest(), reasoning=reasoning.rest())
        if last.text or last.reasoning:
            on_progress(last)

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Around asking: a fault that repeats the key is raised without it, and without the one behind it."""
        try:
            yield
        except BackendFault as fault:
            if not self._keys:
                raise
            message, fix, detail = map(self.closed, (fault.message, fault.fix, fault.detail))
            raise BackendFault(
                fault.kind, message, fix, detail=detail, retry_after_s=fault.retry_after_s
            ) from None

    def closed(self, text: str) -> str:
        """A text that was cut: also without the beginning of a key that it may end in."""
        text = self.text(text)
        begun = self.open_end(text)
        return text[: len(text) - begun] + INSTEAD if begun >= _SHORTEST else text

    def open_end(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a key; 0 for none."""
        return max((_overlap(text, form) for form in self._forms), default=0)


class _Pieces:
    """One text that comes in pieces."""

    def __init__(self, guard: KeyGuard) -> None:
        self._guard = guard
        self._waiting = ""

    def take(self, piece: str) -> str:
        if not piece:
            return ""
        text = self._guard.text(self._waiting + piece)
        begun = self._guard.open_end(text)
        self._waiting = text[len(text) - begun :]
        return text[: len(text) - begun]

    def rest(self) -> str:
        rest, self._waiting = self._waiting, ""
        return rest


_SHARED = r"[A-Za-z0-9+/_-]{0,2}={0,2}"
"""What may follow the part of a Base64 text that is the key's alone: what the key shares with its neighbour."""


def _forms(key: str) -> tuple[str, ...]:
    return (key, quote(key, safe=""), *_base64_parts(key))


@lru_cache(maxsize=16)
def _literal_pattern(keys: Sequence[str]) -> re.Pattern[str]:
    plain = [re.escape(form) for key in keys for form in (key, quote(key, safe=""))]
    encoded = [re.escape(part) + _SHARED for key in keys for part in _base64_parts(key)]
    return re.compile("|".join([*plain, *encoded]))


@lru_cache(maxsize=64)
def _base64_parts(key: str) -> tuple[str, ...]:
    """In both alphabets, for each of the three places in a group at which the key may begin."""
    return tuple(
        dict.fromkeys(_base64_part(key, at, alphabet) for at in range(3) for alphabet in (b"+/", b"-_"))
    )


def _base64_part(key: str, at: int, alphabet: bytes) -> str:
    """The characters that are the same whatever stands before and after the key. at: its place modulo 3."""
    whole = base64.b64encode(b"\0" * at + key.encode(), alphabet).decode().rstrip("=")
    return whole[-(-at * 8 // 6) : (at + len(key)) * 8 // 6]


@lru_cache(maxsize=16)
def _escaped_forms(keys: Sequence[str]) -> re.Pattern[str]:
    """Any mixture of a form's characters and their escapes."""
    forms = [form for key in keys for form in (key, *_base64_parts(key))]
    return re.compile("|".join("".join(map(_escaped, form)) for form in forms))


def _escaped(character: str) -> str:
    code = f"{ord(character):02x}"
    either = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in code)
    before = "" if character.isalnum() else r"\\*"
    return rf"(?:{before}{re.escape(character)}|%(?:25)*{either}|\\+u00{either})"


def _overlap(text: str, form: str) -> int:
    """The longest end of `text` that `form` begins with, and is longer than."""
    for length in range(min(len(text), len(form) - 1), 0, -1):
        if text.endswith(form[:length]):
            return length
    return 0
