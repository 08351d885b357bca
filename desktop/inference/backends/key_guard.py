"""Takes a server's key out of what comes back from it.

Some proxies repeat the key in their error messages, and a model behind one may be shown the request's headers.
What an adapter hands on is stored, reported and passed on in bundles; the key must not be in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from desktop.inference.backends.base import BackendFault, Generation

INSTEAD = "[key removed]"
_SHORTEST = 8
"""Characters. A shorter key ('none', 'test') is none that matters, and stands in texts by chance."""


class KeyGuard:
    """For one key; None guards nothing."""

    def __init__(self, key: str | None) -> None:
        self._key = key if key is not None and len(key) >= _SHORTEST else None

    def text(self, text: str) -> str:
        return text.replace(self._key, INSTEAD) if self._key else text

    def content(self, content: bytes) -> bytes:
        return content.replace(self._key.encode(), INSTEAD.encode()) if self._key else content

    def answer(self, answer: Generation) -> Generation:
        """The whole texts: in a stream the key may come in pieces."""
        if self._key is None:
            return answer
        return replace(answer, text=self.text(answer.text), reasoning=self.text(answer.reasoning))

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Around asking: a fault that repeats the key is raised without it, and without the one behind it."""
        try:
            yield
        except BackendFault as fault:
            if self._key is None or self._key not in f"{fault.message}{fault.fix}{fault.detail}":
                raise
            raise BackendFault(
                fault.kind,
                self.text(fault.message),
                self.text(fault.fix),
                detail=self.text(fault.detail),
                retry_after_s=fault.retry_after_s,
            ) from None
