"""Secrets and reasoning in texts that are shown or stored. Format, sections 18.1 and 18.3."""

from __future__ import annotations

import re

from packs.canonical import JsonValue

SECRET_PLACEHOLDER = "[secret-excluded]"
REASONING_PLACEHOLDER = "[reasoning-stripped]"
REASONING_KEYS = frozenset({"reasoning", "reasoning_content", "thinking"})

_PEER_PATTERNS = (
    re.compile(r"bearer\s+[A-Za-z0-9._~+/=-]+", re.IGNORECASE),
    re.compile(r"\b(?:api[_-]?key|secret|token|password)\s*[:=]\s*\S+", re.IGNORECASE),
    re.compile(r"\bsk-[A-Za-z0-9]{16,}"),
    re.compile(r"\bAKIA[A-Z0-9]{16}"),
)
"""In this order; a later pattern may replace what an earlier one left."""

_FURTHER_PATTERNS = (
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    re.compile(r"\bhf_[A-Za-z0-9]{16,}"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    re.compile(r'(?<="token":")[^"]+|(?<="api_key":")[^"]+|(?<="password":")[^"]+|(?<="secret":")[^"]+'),
)
"""What the public tool lets through (section 28, W5); used only where something is shown."""


def scrub_text(text: str) -> tuple[str, int]:
    """The text without secrets as the format defines them, and how many were replaced."""
    return _replace(text, _PEER_PATTERNS)


def scrub_shown(text: str) -> tuple[str, int]:
    """As `scrub_text`, and further forms of keys; for what is shown or exported, never for what is scored."""
    first, count = _replace(text, _FURTHER_PATTERNS)
    second, more = _replace(first, _PEER_PATTERNS)
    return second, count + more


def _replace(text: str, patterns: tuple[re.Pattern[str], ...]) -> tuple[str, int]:
    total = 0
    for pattern in patterns:
        text, count = pattern.subn(SECRET_PLACEHOLDER, text)
        total += count
    return text, total


def scrub(value: JsonValue) -> tuple[JsonValue, int]:
    """`scrub_text` on every text value of a JSON tree; keys are left alone."""
    if isinstance(value, str):
        return scrub_text(value)
    if isinstance(value, list):
        items = [scrub(item) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    if isinstance(value, dict):
        pairs = {key: scrub(item) for key, item in value.items()}
        return {key: item for key, (item, _) in pairs.items()}, sum(count for _, count in pairs.values())
    return value, 0


def strip_reasoning(value: JsonValue) -> tuple[JsonValue, int]:
    """Non-empty values of reasoning keys at any depth become a placeholder; also how many did."""
    if isinstance(value, list):
        items = [strip_reasoning(item) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    if not isinstance(value, dict):
        return value, 0
    result: dict[str, JsonValue] = {}
    total = 0
    for key, item in value.items():
        if key in REASONING_KEYS and item and item != REASONING_PLACEHOLDER:
            result[key] = REASONING_PLACEHOLDER
            total += 1
        else:
            result[key], count = strip_reasoning(item)
            total += count
    return result, total
