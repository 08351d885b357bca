"""How large a context a pack needs, where the runner may choose it."""

from __future__ import annotations

from packs.qualification.pack import QualificationPack

CONTEXT_STEP = 1024
BYTES_PER_TOKEN = 2
"""On the careful side for every script, so that a prompt is not refused or cut for want of context."""


def context_for(pack: QualificationPack, system_prompt: str, max_tokens: int) -> int:
    """Tokens that surely hold the longest case, its answer and the system prompt, in steps of 1,024."""
    longest = max(
        (
            sum(len(message["content"].encode("utf-8", "replace")) for message in case.messages)
            for listed in pack.cases.values()
            for case in listed
        ),
        default=0,
    )
    wanted = (longest + len(system_prompt.encode("utf-8", "replace"))) // BYTES_PER_TOKEN + max_tokens + 256
    return max(2 * CONTEXT_STEP, -(-wanted // CONTEXT_STEP) * CONTEXT_STEP)
