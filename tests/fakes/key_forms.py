"""A key, and every form in which a server may repeat it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from urllib.parse import quote

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "URL": lambda key: quote(key, safe=""),
    "URL in lower case": lambda key: re.sub("%..", lambda code: code[0].lower(), quote(key, safe="")),
    "URL, every character": lambda key: "".join(f"%{ord(char):02X}" for char in key),
    "URL, twice": lambda key: quote(quote(key, safe=""), safe=""),
    "JSON, every character": lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
    "JSON, slash": lambda key: key.replace("/", "\\/"),
    "Base64": lambda key: base64.b64encode(key.encode()).decode(),
    "Base64 of a name and the key": lambda key: base64.b64encode(f"me:{key}".encode()).decode(),
    "Base64 of the header": lambda key: base64.b64encode(f"Bearer {key}\r\n".encode()).decode(),
    "Base64 for addresses": lambda key: base64.urlsafe_b64encode(f"y{key}zz".encode()).decode(),
    "Base64 in an address": lambda key: quote(base64.b64encode(f"xy{key}".encode()).decode(), safe=""),
}


def every_form(key: str) -> str:
    return " and ".join(form(key) for form in FORMS.values())


def readable(text: str, key: str) -> list[str]:
    """The forms whose middle is in the text, and the key's own ends."""
    found = [name for name, form in FORMS.items() if _middle(form(key)) in text]
    return found + [end for end in (key[:10], key[-10:]) if end in text]


def _middle(form: str) -> str:
    """Without what the neighbours of a key change in Base64: 12 characters at the beginning, 6 at the end."""
    return form[12:-6]
