"""Turns a task pack into a qualification pack: a beginning that validates, with every guess marked.

Examples become cases, labels become coverage values, and the thresholds are ones that the number of cases can
carry. What nobody can know from examples (risks, limits, reasons) is written as a marked guess.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from statistics import median

from packs.canonical import JsonValue
from packs.documents.jsonlines import lines
from packs.errors import AppError
from packs.qualification.from_task_texts import (
    AnswerShape,
    evaluators_text,
    manifest_text,
    methodology_text,
    policy_text,
    rubric_text,
    system_prompt_text,
    thresholds_text,
    triggers_text,
)
from packs.statistics.sample_size import met_by
from packs.task.model import Example, TaskPack
from packs.task.scorers import SCORERS, ExpectedShape

FEWEST = 6
LADDER = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)


def qualification_files(pack: TaskPack) -> dict[str, bytes]:
    """Every file of the new pack by relative path. Raises AppError when the pack gives too little."""
    if len(pack.examples) < FEWEST:
        raise AppError(
            f"A qualification pack cannot begin with {len(pack.examples)} examples; {FEWEST} are the fewest.",
            "Add examples to the task pack first.",
            code="too_few_examples",
        )
    shape = _shape(pack)
    cases = [_case(pack, shape, number, example) for number, example in enumerate(pack.examples, 1)]
    corpora = _split(cases)
    dimensions: dict[str, list[str]] = {}
    for case in corpora["qualification"]:
        for name, value in case.coverage.items():
            dimensions.setdefault(name, []).append(value)
    dimensions = {name: sorted(set(values)) for name, values in dimensions.items()}
    threshold, minimum = threshold_for(len(corpora["qualification"]))
    slug = re.sub(r"[^a-z0-9._-]+", "-", pack.name.lower()).strip("-._") or "task"
    texts = {
        "pack.yaml": manifest_text(pack, slug, dimensions),
        "evaluators.yaml": evaluators_text(shape),
        "thresholds.yaml": thresholds_text(shape, threshold, minimum),
        "qualification.yaml": policy_text(shape, threshold),
        "triggers.yaml": triggers_text(),
        "mappings.yaml": "mappings: []\n",
        "methodology.md": methodology_text(pack, shape, len(corpora["qualification"]), threshold),
        "system_prompt.txt": system_prompt_text(pack, shape),
        "rubrics/answer_shape.yaml": rubric_text(
            "answer_shape", "The answer is one JSON object with its fields."
        ),
        "rubrics/answer_right.yaml": rubric_text(
            "answer_right", "The answer equals the reference, letter for letter."
        ),
    }
    files = {name: text.encode("utf-8") for name, text in texts.items()}
    files |= {f"corpus/{name}.jsonl": lines(case.record for case in listed) for name, listed in corpora.items()}
    return files


def threshold_for(cases: int) -> tuple[float, int]:
    """A share that a very good model can reach with so many cases, one slip allowed, and a smallest sample."""
    allowed = max(0, cases - 1)
    threshold = next((step for step in LADDER if met_by("gte", step, allowed, cases)), LADDER[-1])
    return threshold, max(1, cases * 4 // 5)


def _shape(pack: TaskPack) -> AnswerShape:
    scorer, params = pack.scoring.primary, pack.scorer_params
    match scorer.shape:
        case ExpectedShape.LABEL:
            return AnswerShape(("label",), tuple(scorer.labels(params)))
        case ExpectedShape.FIELDS:
            return AnswerShape(tuple(scorer.fields(params)))
        case ExpectedShape.NUMBER:
            return AnswerShape(("answer",))
    usable = (ExpectedShape.LABEL, ExpectedShape.FIELDS, ExpectedShape.NUMBER)
    *names, last = [one.name for one in SCORERS if one.shape in usable]
    raise AppError(
        f"The scorer {pack.scorer} has no counterpart in qualification packs, which compare fields as text.",
        f"Start from a pack with {', '.join(names)} or {last}, or from the sample.",
        code="scorer_without_counterpart",
    )


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _NewCase:
    record: dict[str, JsonValue]
    coverage: dict[str, str]


def _case(pack: TaskPack, shape: AnswerShape, number: int, example: Example) -> _NewCase:
    expected: dict[str, JsonValue] = {"label": "", "required_behaviour": "classify"}
    if shape.labels:
        label = _canonical_label(pack, _text(example.expected))
        expected["label"] = label
    elif len(shape.fields) == 1 and not isinstance(example.expected, dict):
        expected[shape.fields[0]] = _text(example.expected)
    elif isinstance(example.expected, dict):
        expected |= {name: _text(example.expected.get(name, "")) for name in shape.fields}
    middle = median(len(other.input) for other in pack.examples)
    coverage = {"length": "long" if len(example.input) > middle else "short"}
    if shape.labels:
        coverage = {"label": str(expected["label"]), **coverage}
    drafted = pack.provenance is not None
    record: dict[str, JsonValue] = {
        "case_id": f"Q-{number:04d}",
        "category": str(expected["label"]) or pack.type,
        "severity": "medium",
        "input": {"messages": [{"role": "user", "content": example.input}]},
        "expected": expected,
        "coverage": coverage,
        "provenance": "synthetic" if drafted else "expert-authored",
        "metadata": {},
        "sensitive": False,
        "notes": f"From example {example.id}. To be reviewed: provenance, sensitive, severity.",
    }
    return _NewCase(record, coverage)


def _canonical_label(pack: TaskPack, given: str) -> str:
    """The label as the pack lists it: aliases resolved, case and blanks ignored."""
    labels = [str(label) for label in pack.scorer_params["labels"]]
    aliases = pack.scorer_params.get("aliases") or {}
    folded = {label.strip().casefold(): label for label in labels}
    folded |= {str(alias).strip().casefold(): str(label) for alias, label in dict(aliases).items()}
    return folded.get(given.strip().casefold(), given)


def _split(cases: list[_NewCase]) -> dict[str, list[_NewCase]]:
    """Eight of ten decide, one is shown as a challenge, one is kept for calibration; no label is lost."""
    corpora: dict[str, list[_NewCase]] = {"qualification": [], "challenge": [], "calibration": []}
    seen: set[str] = set()
    for index, case in enumerate(cases):
        kind = {4: "challenge", 5: "calibration"}.get(index % 10, "qualification")
        values = json.dumps(case.coverage, sort_keys=True)
        if kind != "qualification" and values not in seen and index > 5:
            kind = "qualification"
        if kind == "qualification":
            seen.add(values)
        corpora[kind].append(case)
    return corpora
