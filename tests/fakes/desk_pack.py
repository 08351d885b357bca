"""A small pack on disk, and models that answer it as a test wants."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tests.fakes.fake_backend import Answer, FakeModel
from tests.fakes.runs import HEALTHY

LABELS = ("billing", "delivery", "other")
SIZE = 6

_MANIFEST = """name: desk
type: classification
scorer: exact-label
scorer_params:
  labels: [billing, delivery, other]
prompt_template: ./prompt.md
examples_dir: ./examples
generation: {{context: 2048, max_tokens: 12, temperature: 0, seed: 42, runs_per_example: {repetitions}}}
"""


def write_desk_pack(folder: Path, *, repetitions: int = 1, provenance: str = "", size: int = SIZE) -> Path:
    """Letters for three desks; ids 001, 002 and so on."""
    (folder / "examples").mkdir(parents=True)
    (folder / "task.yaml").write_text(_MANIFEST.format(repetitions=repetitions) + provenance, encoding="utf-8")
    (folder / "prompt.md").write_text("billing, delivery or other?\n{{input}}\n", encoding="utf-8")
    for number in range(1, size + 1):
        example = {"input": f"letter {number}", "expected": LABELS[number % 3]}
        (folder / "examples" / f"{number:03}.json").write_text(json.dumps(example), encoding="utf-8")
    return folder


def desk_model(
    name: str = "quick", said: Mapping[int, Answer | str] | None = None, **facts: object
) -> FakeModel:
    """Answers every letter rightly, but those in `said` (by number)."""

    def answers(prompt: str, nth: int) -> Answer | str:
        found = re.search(r"letter (\d+)", prompt)
        if found is None:
            return HEALTHY
        number = int(found[1])
        return (said or {}).get(number, LABELS[number % 3])

    return FakeModel(name, answers=answers, **facts)  # type: ignore[arg-type]
