"""A pack made of nothing but code: its answers are right when they repeat the example's id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from desktop.inference.backends.base import Constraint, Generation, JsonValue
from desktop.runs.work import Sampling
from packs.task.outcome import Cause, Outcome


class PlainWork:
    """`examples` of them, ids '0001', '0002', …; the prompt ends in the id."""

    name = "plain"
    folder = "/packs/plain"
    kind = "test"
    scorer = "exact-label"
    wants_constrained = False

    def __init__(
        self,
        examples: int = 3,
        *,
        repetitions: int = 1,
        max_tokens: int = 64,
        fingerprint: str = "f" * 64,
        labels: Mapping[str, str] | None = None,
        filler: str = "",
    ) -> None:
        self.example_ids: Sequence[str] = [f"{number:04}" for number in range(1, examples + 1)]
        self.fingerprint = fingerprint
        self.sampling = Sampling(4096, max_tokens, 0.0, 42, repetitions)
        self._labels = labels or {}
        self._filler = filler

    def snapshot(self, example_ids: Sequence[str]) -> Mapping[str, JsonValue]:
        return {"kind": "plain", "examples": list(example_ids)}

    def label(self, example_id: str) -> str:
        return self._labels.get(example_id, "")

    def prompt(self, example_id: str) -> str:
        return f"Repeat this number.{self._filler} {example_id}"

    def judge(self, example_id: str, generation: Generation) -> Outcome:
        right = generation.text == example_id
        outcome = Outcome(Cause.CORRECT, 1.0, True, "Right.", 1.0, True, scored_text=generation.text)
        if right:
            return outcome
        if not generation.text:
            return replace(outcome, cause=Cause.EMPTY, score=0.0, passed=False, reason="No text.")
        cause = Cause.ANSWER_CUT if generation.finish_reason == "length" else Cause.WRONG
        return replace(outcome, cause=cause, score=0.0, passed=False, reason="Not the number.")

    def constraint(self) -> Constraint | None:
        return Constraint(grammar='root ::= "a"')
