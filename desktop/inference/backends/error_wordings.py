"""What model servers say when the prompt is too long for them, and when they ask to be tried again.

One reading for all backends and all places where an error may stand: a status, an event in a stream, a plain
line of JSON. Seen from llama.cpp, LM Studio, vLLM, SGLang, Ollama, lemonade, TGI, TabbyAPI, Anthropic.
"""

from __future__ import annotations

import re

_TOO_LONG = re.compile(
    r"exceed_context_size|context_length_exceeded"
    r"|context[ _](?:length|size|window|limit)|context the overflows|maximum context"
    r"|max(?:imum)?[ _](?:model[ _]len|seq(?:uence)?[ _]len|input[ _]len)"
    r"|(?:prompt|input|request)s? (?:\S+ ){0,4}?(?:is|are|was)? ?too (?:long|large)"
    r"|`?inputs`? (?:tokens|must have less than)"
    r"|too many (?:input |prompt )?tokens",
    re.IGNORECASE,
)
_BUSY = re.compile(
    r"(?:server|service|model|engine|system)s? (?:\w+ ){0,3}(?:busy|overloaded)|\boverloaded(?:_error)?\b"
    r"|rate[ _-]?limit|try (?:again|it again) (?:later|in|shortly)|please (?:try again|retry)"
    r"|maximum pending requests|no (?:free |available )?slots?\b|queue (?:is )?full|temporarily unavailable"
    r"|too many (?:\w+ )?requests|loading (?:the )?model|model is (?:still )?loading",
    re.IGNORECASE,
)


def says_input_too_long(text: str) -> bool:
    """text: of an error, the server's own words or the whole body."""
    return _TOO_LONG.search(text) is not None


def says_busy(text: str) -> bool:
    """The same request may be answered a little later."""
    return _BUSY.search(text) is not None
