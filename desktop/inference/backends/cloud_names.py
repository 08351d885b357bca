"""Models whose names say that they run elsewhere, whichever server on this computer lists them."""

from __future__ import annotations

import re

_CLOUD_TAG = re.compile(r"[:-]cloud$", re.IGNORECASE)


def is_cloud_name(name: str) -> bool:
    """Ollama marks what it passes on to its own service by the tag: 'big:cloud', 'giant:671b-cloud'.

    Its OpenAI-compatible address, or a proxy before it, tells nothing but the name.
    """
    tag = name.rsplit("/", 1)[-1]
    return ":" in tag and _CLOUD_TAG.search(tag) is not None
