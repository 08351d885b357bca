"""Addresses as they may be kept: a journal holds no user name, password or key, also none inside an address."""

from __future__ import annotations

import re

_USER = re.compile(r"(?<=://)[^/?#\s@]*@")
_SECRET = re.compile(r"(?i)([?&;](?:[a-z_\-]*(?:key|token|secret|password|auth)[a-z_\-]*)=)[^&;#\s]*")


def without_secrets(text: str) -> str:
    """The address, or a command line with one, without user and password and with secret parameters emptied."""
    return _SECRET.sub(r"\1…", _USER.sub("", text))
