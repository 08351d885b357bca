"""Canonical JSON and the hashes made from it: the one form in which things are compared by content.

Rules: qualification-pack format, section 5. Cases: qualification/canonical.json in the conformance files.
"""

from __future__ import annotations

import hashlib
import json

JsonValue = object
"""Plain JSON: None, bool, int, float, str, list, dict with text keys."""


def canonical_text(value: JsonValue) -> str:
    """JSON with keys sorted by code point, no spaces and raw non-ASCII characters, without a line end.

    Numbers keep their spelling as Python prints them, so 0 and 0.0 differ. Raises ValueError for NaN and
    infinities, TypeError for what is not JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_bytes(value: JsonValue) -> bytes:
    """`canonical_text` as UTF-8 with one LF at the end.

    Raises ValueError also for half a surrogate pair, which UTF-8 cannot hold.
    """
    return canonical_text(value).encode("utf-8") + b"\n"


def digest(content: bytes) -> str:
    """'sha256:' and 64 lower-case hex digits of the bytes as they are."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def structured_hash(value: JsonValue) -> str:
    """Digest of the canonical bytes. Raises as `canonical_bytes`."""
    return digest(canonical_bytes(value))


def text_hash(text: str) -> str:
    """Digest of the UTF-8 bytes after CRLF and CR became LF; nothing else is trimmed or added."""
    return digest(text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8"))
