"""The prompt of a task pack: a text with a place for the input (task-pack format, section 3)."""

from __future__ import annotations

import re

PLACEHOLDER = "{{input}}"
_ALMOST = re.compile(
    r"\{{1,3}\s*input\s*\}{1,3}|<\s*input\s*>|\[\s*input\s*\]|\$\{\s*input\s*\}", re.IGNORECASE
)
_BYTES_PER_TOKEN = 5
"""On the generous side for every script, so that what is told not to fit surely does not."""


def render(template: str, text: str) -> str:
    """Every placeholder replaced by the input, once and literally; nothing is trimmed or read again."""
    return text.join(template.split(PLACEHOLDER))


def lookalikes(template: str) -> list[tuple[str, int]]:
    """Pieces that look like the placeholder and are not, with their place in code points."""
    return [(match[0], match.start()) for match in _ALMOST.finditer(template) if match[0] != PLACEHOLDER]


def least_tokens(text: str) -> int:
    """A number of tokens that the text has at least, about; for warnings where no model is at hand."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
