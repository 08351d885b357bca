"""A task pack as the work of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop.inference.backends.base import Constraint, Generation, JsonValue
from desktop.runs.constrain import constraint_for
from desktop.runs.work import Sampling
from packs.task.judge import judge
from packs.task.model import TaskPack
from packs.task.outcome import Outcome
from packs.task.scorers import ExpectedShape


class TaskWork:
    """Satisfies `Work`. Scores with the scorers of today, also a pack that comes from a run's snapshot."""

    def __init__(self, pack: TaskPack) -> None:
        self.pack = pack
        self._examples = {example.id: example for example in pack.examples}
        generation = pack.generation
        self.sampling = Sampling(
            generation.context,
            generation.max_tokens,
            generation.temperature,
            generation.seed,
            generation.runs_per_example,
            generation.stop,
        )

    @classmethod
    def from_snapshot(cls, snapshot: Mapping[str, JsonValue], folder: str = "") -> TaskWork:
        """The work of a run as it was planned. Raises AppError when the record is damaged."""
        return cls(TaskPack.from_snapshot(snapshot, Path(folder) if folder else None))

    @property
    def name(self) -> str:
        return self.pack.name

    @property
    def folder(self) -> str:
        return "" if self.pack.folder is None else str(self.pack.folder.absolute())

    @property
    def kind(self) -> str:
        return self.pack.type

    @property
    def scorer(self) -> str:
        return self.pack.scorer

    @property
    def fingerprint(self) -> str:
        return self.pack.fingerprint

    @property
    def example_ids(self) -> Sequence[str]:
        return tuple(self._examples)

    def snapshot(self, example_ids: Sequence[str]) -> Mapping[str, JsonValue]:
        wanted = set(example_ids)
        stored = self.pack.snapshot()
        stored["examples"] = [entry for entry in stored["examples"] if entry["id"] in wanted]
        return stored

    def label(self, example_id: str) -> str:
        """The expected label; '' for packs without labels, whose examples are spread over the pack."""
        expected = self._examples[example_id].expected
        labelled = self.pack.scoring.primary.shape is ExpectedShape.LABEL
        return expected if isinstance(expected, str) and labelled else ""

    def prompt(self, example_id: str) -> str:
        return self.pack.rendered(self._examples[example_id])

    def judge(self, example_id: str, generation: Generation) -> Outcome:
        return judge(
            self.pack.scoring,
            self._examples[example_id].expected,
            generation.text,
            reasoning=generation.reasoning,
            finish_reason=generation.finish_reason,
            output_tokens=generation.timing.output_tokens,
            max_tokens=self.sampling.max_tokens,
        )

    @property
    def wants_constrained(self) -> bool:
        return self.pack.generation.answer == "constrained"

    def constraint(self) -> Constraint | None:
        return constraint_for(self.pack)
