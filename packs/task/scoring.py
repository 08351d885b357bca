"""A pack's scorer and gates as one object that scores an answer (task-pack format, section 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packs.errors import AppError
from packs.registry import UnknownName
from packs.task.scorers import SCORERS, BadParams, Score, Scorer


@dataclass(frozen=True, slots=True)
class ScorerSpec:
    """One scorer as written, with a `schema` path already replaced by its content. Plain JSON."""

    scorer: str
    params: Mapping[str, Any]

    def build(self) -> Scorer:
        """Raises BadParams or UnknownName."""
        return SCORERS[self.scorer](self.params)

    def as_json(self) -> dict[str, Any]:
        return {"scorer": self.scorer, "params": dict(self.params)}


@dataclass(frozen=True, slots=True)
class GatedScore:
    """Score of one answer with gates applied.

    failed_gate: name of the first gate that did not pass. primary: the scorer's own score, gates left aside.
    timed_out: the pattern that ran out of time, empty where it was the work on a schema; score and passed are
    None then.
    """

    score: float | None
    passed: bool | None
    failed_gate: str | None
    primary: Score
    gates: tuple[tuple[str, Score], ...]
    timed_out: str | None = None


class Scoring:
    """Made once for a pack. Raises BadParams or UnknownName when a scorer cannot be made."""

    def __init__(
        self, primary: ScorerSpec, gates: Sequence[ScorerSpec] = (), built: Sequence[Scorer] | None = None
    ) -> None:
        """built: the scorers of `gates` and then of `primary` where they have been made already."""
        self.primary_spec = primary
        self.gate_specs = tuple(gates)
        *made_gates, made = built if built is not None else [spec.build() for spec in (*gates, primary)]
        self.primary: Scorer = made
        self.gates: tuple[Scorer, ...] = tuple(made_gates)

    @classmethod
    def from_snapshot(cls, snapshot: Mapping[str, Any]) -> Scoring:
        """From what `as_json` gave, as journals and bundles keep it. Raises AppError when it is damaged."""
        try:
            primary = ScorerSpec(str(snapshot["scorer"]), dict(snapshot["params"]))
            gates = [
                ScorerSpec(str(gate["scorer"]), dict(gate["params"])) for gate in snapshot.get("gates", [])
            ]
            return cls(primary, gates)
        except (KeyError, TypeError, ValueError, BadParams, UnknownName) as error:
            raise AppError(
                f"The stored scorer cannot be read: {error}.",
                "Use the program version that made this record.",
                code="bad_snapshot",
            ) from None

    def as_json(self) -> dict[str, Any]:
        """`scorer`, `params`, `gates`: plain JSON that `from_snapshot` reads."""
        return {**self.primary_spec.as_json(), "gates": [gate.as_json() for gate in self.gate_specs]}

    def check_expected(self, expected: object) -> None:
        """Raises BadExpected for the first scorer, gates first, that `expected` does not suit."""
        for scorer in (*self.gates, self.primary):
            scorer.check_expected(expected)

    def is_answer(self, text: str) -> bool | None:
        """Is the text as a whole what the scorer or a gate asks for? None: any text might be."""
        told = {scorer.is_answer(text) for scorer in (*self.gates, self.primary)}
        return True if True in told else False if False in told else None

    def reads(self, text: str) -> bool:
        """Is there in the text what the scorer and all gates can score?"""
        return all(scorer.reads(text) for scorer in (*self.gates, self.primary))

    def score(self, output: str, expected: object) -> GatedScore:
        """All gates in order, then always the primary. `expected` must suit all of them."""
        gates = tuple((gate.name, gate.score(output, expected)) for gate in self.gates)
        primary = self.primary.score(output, expected)
        for score in (*(score for _, score in gates), primary):
            if score.score is None:
                return GatedScore(None, None, None, primary, gates, str(score.detail.get("timed_out", "")))
        failed = next((name for name, score in gates if not score.passed), None)
        if failed is not None:
            return GatedScore(0.0, False, failed, primary, gates)
        return GatedScore(primary.score, primary.passed, None, primary, gates)
