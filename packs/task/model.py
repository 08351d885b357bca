"""A task pack that was read and found usable, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packs.documents.problems import Problem, has_errors
from packs.errors import AppError
from packs.task.prompt import render
from packs.task.scoring import ScorerSpec, Scoring

MANIFEST = "task.yaml"


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How answers are asked for. context and max_tokens in tokens.

    answer: 'free' or 'constrained' (labels, schema or number enforced where the backend can). stop: an answer
    ends before the first of these texts; up to 4, none empty. Both are extensions of the format that other
    programs ignore.
    """

    context: int
    max_tokens: int
    temperature: float
    seed: int
    runs_per_example: int
    answer: str = "free"
    stop: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "context": self.context,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "runs_per_example": self.runs_per_example,
            "answer": self.answer,
            **({"stop": list(self.stop)} if self.stop else {}),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> GenerationSettings:
        """What `as_json` gave. Raises TypeError for anything else."""
        return cls(**{**stored, "stop": tuple(stored.get("stop", ()))})


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who drafted a pack from what. Not reviewed: every rendering of its results must say so."""

    source: str
    source_sha256: str
    drafted_by: str
    drafted_at: str
    """UTC date, YYYY-MM-DD."""
    reviewed: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "source_sha256": self.source_sha256,
            "drafted_by": self.drafted_by,
            "drafted_at": self.drafted_at,
            "reviewed": self.reviewed,
        }

    @property
    def label(self) -> str | None:
        """The sentence that every rendering shows while the pack is not reviewed; None afterwards."""
        if self.reviewed:
            return None
        return (
            f"Drafted by {self.drafted_by} from {self.source} on {self.drafted_at} and not reviewed yet: the "
            "expected values are made by a model, so quality here means agreement with that model."
        )


@dataclass(frozen=True, slots=True)
class RecommendationSettings:
    """How the recommendation is to be made for a pack: an extension of the format that others ignore.

    margin: quality, [0, 0.5]; confidence: probability, [0.51, 0.99]. None: the run or the program decides.
    """

    margin: float | None = None
    confidence: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {"margin": self.margin, "sureness": self.confidence}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> RecommendationSettings:
        """What `as_json` made; `sureness` is the key that journals and bundles have."""
        stored = stored or {}
        return cls(stored.get("margin"), stored.get("sureness"))


@dataclass(frozen=True, slots=True)
class Example:
    """expected: plain JSON. group: the author's word for examples that stand for one, or ''; an extension."""

    id: str
    input: str
    expected: Any
    group: str = ""

    def as_json(self) -> dict[str, Any]:
        group = {"group": self.group} if self.group else {}
        return {"id": self.id, "input": self.input, "expected": self.expected, **group}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Example:
        """What `as_json` made. Raises KeyError."""
        return cls(str(stored["id"]), str(stored["input"]), stored["expected"], str(stored.get("group", "")))


@dataclass(frozen=True, slots=True)
class TaskPack:
    """folder: None when read from memory. files: every file that counts, relative with `/`, sorted.

    prompt: with its placeholder. fingerprint: SHA-256 in hex over `files` (task-pack format, section 16.3).
    """

    folder: Path | None
    name: str
    type: str
    scoring: Scoring
    generation: GenerationSettings
    prompt: str
    prompt_path: str
    examples: tuple[Example, ...]
    provenance: Provenance | None
    files: tuple[str, ...]
    fingerprint: str
    recommendation: RecommendationSettings = RecommendationSettings()

    @property
    def scorer(self) -> str:
        return self.scoring.primary_spec.scorer

    @property
    def scorer_params(self) -> Mapping[str, Any]:
        return self.scoring.primary_spec.params

    @property
    def gates(self) -> tuple[ScorerSpec, ...]:
        return self.scoring.gate_specs

    def rendered(self, example: Example) -> str:
        """What the model is sent for one example."""
        return render(self.prompt, example.input)

    def snapshot(self) -> dict[str, Any]:
        """Everything but the folder as plain JSON, so that a run can be reported when the folder is gone."""
        return {
            "name": self.name,
            "type": self.type,
            **self.scoring.as_json(),
            "generation": self.generation.as_json(),
            "prompt": self.prompt,
            "prompt_path": self.prompt_path,
            "examples": [example.as_json() for example in self.examples],
            "provenance": self.provenance.as_json() if self.provenance else None,
            "files": list(self.files),
            "fingerprint": self.fingerprint,
            "recommendation": self.recommendation.as_json(),
        }

    @classmethod
    def from_snapshot(cls, snapshot: Mapping[str, Any], folder: Path | None = None) -> TaskPack:
        """The pack as it was when `snapshot` was taken. Raises AppError when the record is damaged."""
        scoring = Scoring.from_snapshot(snapshot)
        try:
            provenance = snapshot["provenance"]
            return cls(
                folder,
                str(snapshot["name"]),
                str(snapshot["type"]),
                scoring,
                GenerationSettings.from_json(snapshot["generation"]),
                str(snapshot["prompt"]),
                str(snapshot["prompt_path"]),
                tuple(Example.from_json(entry) for entry in snapshot["examples"]),
                Provenance(**provenance) if provenance else None,
                tuple(snapshot["files"]),
                str(snapshot["fingerprint"]),
                RecommendationSettings.from_json(snapshot.get("recommendation")),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise AppError(
                f"The stored pack cannot be read: {error}.",
                "Use the program version that made this record.",
                code="bad_snapshot",
            ) from None


@dataclass(frozen=True, slots=True)
class LoadedPack:
    """pack: None when there is an error among the problems. problems: errors and warnings, in reading order.

    name: of the pack as far as it could be read. example_count: files that were read as examples.
    """

    pack: TaskPack | None
    problems: tuple[Problem, ...]
    name: str | None = None
    example_count: int = 0

    @property
    def valid(self) -> bool:
        return not has_errors(self.problems)
