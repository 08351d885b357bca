"""From what came back to one outcome: score, cause, and a sentence. Pure; never raises for a model's answer."""

from __future__ import annotations

from typing import Any

from packs.task.outcome import Cause, CauseKind, Outcome
from packs.task.reasoning import SplitAnswer, split_reasoning
from packs.task.scorers import Score
from packs.task.scorers.parts import Explanation
from packs.task.scoring import GatedScore, Scoring
from packs.task.text import is_blank

_CUT_TEXT = ("length", "max_tokens")
"""Stop words of servers for 'the limit of tokens was reached'."""


def judge(
    scoring: Scoring,
    expected: object,
    output: str,
    *,
    reasoning: str = "",
    finish_reason: str = "stop",
    prompt_tokens_sent: int | None = None,
    prompt_tokens_read: int | None = None,
    output_tokens: int | None = None,
    max_tokens: int | None = None,
) -> Outcome:
    """The outcome of one answer.

    expected must suit the scorer and its gates (the loader saw to it). output: the visible text as it came;
    reasoning: a server's separate field. finish_reason: the server's own word. Token counts: None if unknown;
    `prompt_tokens_sent` is our own count of the whole prompt, `prompt_tokens_read` the server's.
    """
    sent, read = prompt_tokens_sent, prompt_tokens_read
    if sent is not None and read is not None and read < sent:
        return failure_outcome(
            Cause.INPUT_CUT,
            f"The server read {read} of {sent} prompt tokens; the model did not see the whole input. Raise the "
            "context, or check the server's own limit.",
        )
    split = split_reasoning(output, reasoning, scoring)
    verdict = scoring.score(split.visible, expected)
    strict = verdict if split.visible == output else scoring.score(output, expected)
    cut = finish_reason in _CUT_TEXT
    limit = max_tokens or output_tokens
    cause, reported = _cause(scoring, expected, split.visible, verdict, cut, split.reasoning, limit)
    return Outcome(
        cause=cause,
        score=verdict.score,
        passed=verdict.passed,
        reason=reported.reason,
        strict_score=strict.score,
        strict_passed=strict.passed,
        near_misses=reported.near_misses,
        scored_text=split.visible,
        reasoning=split.reasoning,
        failed_gate=verdict.failed_gate,
        detail={**_detail(verdict), **_set_aside(split)},
    )


def failure_outcome(cause: Cause, reason: str) -> Outcome:
    """The outcome of a unit without an answer. Raises ValueError for a cause that says there was one."""
    if cause.kind is CauseKind.ANSWERED:
        raise ValueError(f"{cause} needs an answer")
    return Outcome(cause, None, None, reason)


def _cause(
    scoring: Scoring,
    expected: object,
    visible: str,
    verdict: GatedScore,
    cut: bool,
    reasoning: str,
    tokens: int | None,
) -> tuple[Cause, Explanation]:
    if verdict.timed_out == "":
        return Cause.TIMED_OUT, Explanation(
            False,
            "The schema needs more work on this answer than one answer may take; it gets no score. "
            "Make the schema simpler.",
        )
    if verdict.timed_out is not None:
        return Cause.TIMED_OUT, Explanation(
            False,
            f"The expression '{verdict.timed_out}' took longer than 100 ms on this answer; it gets no score. "
            "Make the expression simpler.",
        )
    if verdict.passed:
        return Cause.CORRECT, scoring.primary.explain(visible, expected, verdict.primary)
    limit = f" of {tokens} tokens" if tokens else ""
    if is_blank(visible):
        if cut and reasoning:
            return Cause.REASONING_USED_IT_UP, Explanation(
                False, f"The model was still thinking when the limit{limit} was reached. Raise max_tokens."
            )
        if cut:
            return Cause.REASONING_USED_IT_UP, Explanation(
                False, f"The limit{limit} was reached and nothing can be seen. Raise max_tokens."
            )
        what = "The model thought and then gave no answer." if reasoning else "The answer is empty."
        return Cause.EMPTY, Explanation(False, what)
    reported = scoring.primary.explain(visible, expected, verdict.primary)
    if cut:
        return Cause.ANSWER_CUT, Explanation(
            False,
            f"The answer was cut at the limit{limit}. {reported.reason} Raise max_tokens.",
            reported.near_misses,
        )
    if not reported.readable:
        return Cause.UNREADABLE, reported
    if verdict.failed_gate is not None:
        return Cause.GATE_FAILED, _gate(scoring, visible, expected, verdict)
    if verdict.score is not None and verdict.score > 0:
        return Cause.PARTLY_CORRECT, reported
    return Cause.WRONG, reported


def _gate(scoring: Scoring, visible: str, expected: object, verdict: GatedScore) -> Explanation:
    """Why the first failing gate did not pass."""
    for scorer, (name, score) in zip(scoring.gates, verdict.gates, strict=True):
        if not score.passed:
            reported = scorer.explain(visible, expected, score)
            return Explanation(True, f"The gate {name} did not pass: {reported.reason}", reported.near_misses)
    raise AssertionError("a failed gate is among the gates")


def _detail(verdict: GatedScore) -> dict[str, object]:
    if not verdict.gates:
        return dict(verdict.primary.detail)
    gates: list[dict[str, Any]] = [{"scorer": name, **_record(score)} for name, score in verdict.gates]
    primary = {"score": verdict.primary.score, "passed": verdict.primary.passed}
    return {**verdict.primary.detail, "primary": primary, "gates": gates}


def _set_aside(split: SplitAnswer) -> dict[str, object]:
    """What of the text itself was not scored, and why. end: of that part, in code points of the text."""
    return {"set_aside": {"form": split.form, "why": split.why, "end": split.end}} if split.form else {}


def _record(score: Score) -> dict[str, Any]:
    return {"score": score.score, "passed": score.passed, "detail": dict(score.detail)}
