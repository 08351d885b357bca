"""One short question before a model's sweep: does it start, speak and stop as a sound model does?

A model whose chat template or stop tokens are broken ends at once or never. That says nothing about how well it
would do the job, so such answers are set apart as `template_suspected` where the sweep shows the same.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from desktop.inference.backends.base import Generation, GenerationRequest
from packs.task.outcome import Cause, Outcome
from packs.task.reasoning import opens_reasoning

QUESTION = "Who are you? Answer in one sentence."
"""Even a weak chat model ends by itself here, after ten to forty tokens (one of 135M parameters: 25), while
it may well go on counting for ever when asked to count."""

MAX_TOKENS = 96
FEWEST_TOKENS = 5
"""Fewer than these, everywhere, and stop tokens or template are suspected (product page, section 4)."""

_NOT_TO_BE_TOUCHED = frozenset({Cause.CORRECT, Cause.REASONING_USED_IT_UP, Cause.INPUT_CUT})


class Health(StrEnum):
    SOUND = "sound"
    ENDS_AT_ONCE = "ends_at_once"
    NEVER_ENDS = "never_ends"


def health_request(context_tokens: int, seed: int) -> GenerationRequest:
    return GenerationRequest(QUESTION, context_tokens, MAX_TOKENS, 0.0, seed)


def health_of(answer: Generation) -> Health:
    """Judged by length alone. A model that thinks before it answers may well use up the cap."""
    if answer.reasoning.strip() or opens_reasoning(answer.text):
        return Health.SOUND
    if answer.finish_reason == "length":
        return Health.NEVER_ENDS
    return Health.ENDS_AT_ONCE if _tokens(answer) < FEWEST_TOKENS else Health.SOUND


def health_text(health: Health) -> str:
    """For a person; '' when sound."""
    if health is Health.ENDS_AT_ONCE:
        return (
            "In a first short check this model stopped almost at once. Its chat template or stop marks may be"
            " broken: answers that end as early and are not right are set apart."
        )
    if health is Health.NEVER_ENDS:
        return (
            "In a first short check this model did not stop by itself. It may be a base model, or its chat"
            " template or stop marks may be broken: answers that never end and are not right are set apart."
        )
    return ""


def with_suspicion(outcome: Outcome, answer: Generation, health: Health) -> Outcome:
    """The outcome, as `template_suspected` when this answer shows the same fault as the check did."""
    if health is Health.SOUND or outcome.passed or outcome.cause in _NOT_TO_BE_TOUCHED:
        return outcome
    if health is Health.ENDS_AT_ONCE and answer.finish_reason != "length" and _tokens(answer) < FEWEST_TOKENS:
        reason = "It ended after fewer than five tokens, as it did in the first check."
    elif health is Health.NEVER_ENDS and answer.finish_reason == "length":
        reason = "It did not end by itself, as in the first check."
    else:
        return outcome
    return replace(
        outcome,
        cause=Cause.TEMPLATE_SUSPECTED,
        reason=f"{reason} The model's chat template or stop marks may be broken. {outcome.reason}".strip(),
    )


def _tokens(answer: Generation) -> int:
    counted = answer.timing.output_tokens
    return counted if counted is not None else max(answer.timing.chunks, len(answer.text.split()))
