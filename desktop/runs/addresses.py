"""Addresses as they may be kept: a journal holds no user name, password or key, also none inside an address."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from packs.errors import AppError

_USER = re.compile(r"(?<=://)[^/?#\s@]*@")
_SECRET = re.compile(r"(?i)([?&;](?:[a-z_\-]*(?:key|token|secret|password|auth)[a-z_\-]*)=)[^&;#\s]*")


def without_secrets(text: str) -> str:
    """The address, or a command line with one, without user and password and with secret parameters emptied."""
    return _SECRET.sub(r"\1…", _USER.sub("", text))


def refuse_keys_in(endpoint: str | None) -> None:
    """An address is journalled and shown in reports, so it may hold no key. Raises AppError."""
    if endpoint is None:
        return
    parts = urlsplit(endpoint)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AppError(
            "The address holds a name, a password or a key.",
            "Give the address alone; keys are read from the environment.",
            code="key_in_address",
        )
