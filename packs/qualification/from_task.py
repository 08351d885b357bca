"""Turns a task pack into a qualification pack: a beginning that validates, with every guess marked.

Examples become cases, labels become coverage values, and the thresholds are ones that the number of cases can
carry. What nobody can know from examples (risks, limits, reasons) is written as a marked guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from packs.canonical import JsonValue
from packs.errors import AppError
from packs.qualification.jsonlines import line, lines
from packs.qualification.schemas import TRIGGERS
from packs.statistics.sample_size import met_by
from packs.task.model import Example, TaskPack
from packs.task.prompt import PLACEHOLDER

REVIEW = "# Review:"
FEWEST = 6
LADDER = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
OUTSIDE_TEMPLATE_TOKENS = 48
"""Room for the braces and names of the answer object, beside the pack's own limit."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """What an answer looks like as one JSON object. fields: names in it, each compared with expected[name]."""

    fields: tuple[str, ...]
    labels: tuple[str, ...] = ()
    """Allowed values of the first field; empty when open."""


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
        "pack.yaml": _manifest(pack, slug, dimensions),
        "evaluators.yaml": _evaluators(shape),
        "thresholds.yaml": _thresholds(shape, threshold, minimum),
        "qualification.yaml": _policy(shape, threshold),
        "triggers.yaml": _triggers(),
        "mappings.yaml": "mappings: []\n",
        "methodology.md": _methodology(pack, shape, len(corpora["qualification"]), threshold),
        "system_prompt.txt": _system_prompt(pack, shape),
        "rubrics/answer_shape.yaml": _rubric("answer_shape", "The answer is one JSON object with its fields."),
        "rubrics/answer_right.yaml": _rubric(
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


def _shape(pack: TaskPack) -> _Shape:
    params = pack.scorer_params
    match pack.scorer:
        case "exact-label":
            return _Shape(("label",), tuple(str(label) for label in params["labels"]))
        case "field-f1":
            return _Shape(tuple(str(name) for name in params["key_fields"]))
        case "numeric-tolerance":
            return _Shape(("answer",))
    raise AppError(
        f"The scorer {pack.scorer} has no counterpart in qualification packs, which compare fields as text.",
        "Start from a pack with exact-label, field-f1 or numeric-tolerance, or from the sample.",
        code="scorer_without_counterpart",
    )


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _NewCase:
    record: dict[str, JsonValue]
    coverage: dict[str, str]


def _case(pack: TaskPack, shape: _Shape, number: int, example: Example) -> _NewCase:
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


def _yaml_text(text: str) -> str:
    """A double-quoted scalar, which is JSON's spelling too; what YAML takes for a line end is escaped."""
    return line(text).decode("utf-8").rstrip("\n")


def _manifest(pack: TaskPack, slug: str, dimensions: Mapping[str, Sequence[str]]) -> str:
    listed = "\n".join(
        f"    {_yaml_text(name)}: [{', '.join(map(_yaml_text, values))}]" for name, values in dimensions.items()
    )
    generation = pack.generation
    return f"""\
# Made from the task pack {_yaml_text(pack.name)}. Lines marked "Review:" are guesses that a person must settle.
pack:
  id: {slug}
  version: 0.1.0
  content_sha256: null
metadata:
  name: {_yaml_text(pack.name)}
  domain: {_yaml_text(pack.type)}  {REVIEW} the field of work
  use_case: {slug}
  language: en  {REVIEW} the language of the cases
runner:
  minimum_version: 0.0.1
{REVIEW} what the model will be used for, by whom, and who looks at its answers.
intended_use: {_yaml_text(f"The task of the pack {pack.name}, with a person who looks at the answers.")}
out_of_scope:
- "everything that the cases do not show"  {REVIEW} name what the model must not be used for
interface:
  type: openai-compatible
  path: /v1/chat/completions
risk_dimensions:
- id: wrong_answer
  description: The answer differs from the reference.
  severity: medium  {REVIEW} how bad is it? Add a critical risk if some mistakes must never happen
- id: unreadable
  description: The answer is not the object that is asked for.
  severity: high
coverage:
  model: value_presence
  dimensions:  {REVIEW} what kinds of input there are in real life
{listed}
  minimum_realised: 0.9
sampling:
  temperature: {float(generation.temperature)}
  top_p: 1.0
  seed: {generation.seed}
  max_tokens: {generation.max_tokens + OUTSIDE_TEMPLATE_TOKENS}
reproducibility:
  repeat_runs: 3
  variance_subset_fraction: 0.25
  max_metric_variance: 0.01
fingerprint_requirements:
  mandatory: [model.identifier]
artifacts:
  corpus: corpus/qualification.jsonl
  calibration: corpus/calibration.jsonl
  challenge: corpus/challenge.jsonl
  rubrics: rubrics/
  evaluators: evaluators.yaml
  thresholds: thresholds.yaml
  qualification_policy: qualification.yaml
  triggers: triggers.yaml
  mappings: mappings.yaml
  methodology: methodology.md
"""


def _names(fields: Sequence[str]) -> str:
    return ", ".join(map(_yaml_text, fields))


def _identity(field: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", field).strip("_").lower() or "field"


def _evaluators(shape: _Shape) -> str:
    allowed = ""
    if shape.labels:
        allowed = f"\n    allowed_values:\n      label: [{_names(shape.labels)}]"
    parts = [
        f"""\
evaluators:
- id: answer_shape
  version: 0.1.0
  kind: deterministic
  type: json_object
  model_use: none
  config:
    required_fields: [{_names(shape.fields)}]{allowed}
"""
    ]
    tests = [_test("shape", "answer_shape", "answer_shape", "unreadable", "high")]
    tests.append(_test("shape_lost", "unreadable_share", "answer_shape", "unreadable", "high"))
    for field in shape.fields:
        name = _identity(field)
        parts.append(
            f"""\
- id: {name}_match
  version: 0.1.0
  kind: deterministic
  type: exact_match  {REVIEW} compared letter for letter; nothing is rounded or normalised
  model_use: none
  config:
    field: {_yaml_text(field)}
    expected_field: {_yaml_text(field)}
"""
        )
        tests.append(_test(name, f"{name}_right", f"{name}_match", "wrong_answer", "medium"))
    return "".join(parts) + "tests:\n" + "".join(tests)


def _test(identity: str, metric: str, evaluator: str, risk: str, severity: str) -> str:
    rubric = "answer_shape" if evaluator == "answer_shape" else "answer_right"
    return f"""\
- id: {identity}
  metric: {metric}
  evaluator: {evaluator}
  rubric: {rubric}
  severity: {severity}
  risk_dimensions: [{risk}]
  corpus: [qualification, challenge]
"""


def _requirements(shape: _Shape) -> list[tuple[str, str]]:
    """(metric, anchor) of every requirement."""
    return [
        ("answer_shape", "answer-shape"),
        *((f"{_identity(f)}_right", "right-answers") for f in shape.fields),
    ]


def _thresholds(shape: _Shape, threshold: float, minimum: int) -> str:
    def metric(identity: str, test: str, words: str, aggregation: str, population: str) -> str:
        return (
            f"- id: {identity}\n  test: {test}\n  definition: {_yaml_text(words)}\n"
            f"  aggregation: {aggregation}\n  population: {population}\n  minimum_sample_size: {minimum}\n"
        )

    parts = [
        "metrics:\n",
        metric(
            "answer_shape", "shape", "Share of cases whose answer is the object asked for.", "pass_rate", "all"
        ),
        metric(
            "unreadable_share",
            "shape_lost",
            "Share of cases whose answer is not the object asked for.",
            "failure_rate",
            "all",
        ),
    ]
    for field in shape.fields:
        name, words = _identity(field), f"Share of answers whose field {field} equals the reference."
        parts.append(metric(f"{name}_right", name, words, "pass_rate", "applicable"))
    parts.append(
        f"{REVIEW} set each threshold by what your work needs, and say why; these follow from the number\n"
    )
    parts.append(
        "# of cases alone. 'packbench sample-size' tells how many cases a threshold needs.\nthresholds:\n"
    )
    parts.extend(
        f"- metric: {identity}\n  operator: gte\n  threshold: {threshold}\n"
        f'  rationale: "To be reviewed: the highest share that the cases of this pack can show."\n'
        f"  rationale_ref: methodology.md#{anchor}\n"
        for identity, anchor in _requirements(shape)
    )
    return "".join(parts)


def _policy(shape: _Shape, threshold: float) -> str:
    listed = "".join(
        f"  - metric: {identity}\n    operator: gte\n    threshold: {threshold}\n    mandatory: true\n"
        f"    rationale_ref: methodology.md#{anchor}\n"
        for identity, anchor in _requirements(shape)
    )
    return f"""\
qualification:
  mode: threshold
  requirements:
{listed}\
  critical_failures:
    metric: unreadable_share
    maximum: 0.2  {REVIEW} name the failures that must not happen; 0 means none at all
  indeterminate_when:
  - confidence_interval_straddles_threshold
  - realised_coverage_below_minimum
  - repeat_run_variance_above_max
  - required_evaluator_failed
  - insufficient_sample
  - mandatory_metadata_missing
  - calibration_invalid
"""


def _triggers() -> str:
    review = ("inference_engine_version", "serving_config", "sampling_parameters", "runner_version")
    silent = ("hardware_topology", "driver_version", "operator")
    always = [name for name in TRIGGERS if name not in (*review, *silent)]

    def group(name: str, listed: Sequence[str]) -> str:
        return f"  {name}:\n" + "".join(f"  - {entry}\n" for entry in listed)

    return (
        "triggers:\n"
        + group("always_requalify", always)
        + group("review_required", review)
        + group("no_material_impact", silent)
    )


def _rubric(identity: str, criterion: str) -> str:
    return f"""\
rubric:
  id: {identity}
  version: 0.1.0
  criterion: {criterion}
  evaluator_type: deterministic
  scale: pass or fail
  failure_conditions:
  - the criterion does not hold
  severity: medium
  examples:
    pass:
    - to be reviewed
    fail:
    - to be reviewed
  known_limitations: To be reviewed.
"""


def _methodology(pack: TaskPack, shape: _Shape, cases: int, threshold: float) -> str:
    drafted = f"\n{pack.provenance.label}\n" if pack.provenance is not None and pack.provenance.label else ""
    return f"""\
# How these thresholds were chosen

To be reviewed: this pack was made from the task pack {pack.name} and knows nothing of your work.
{drafted}
## Answer shape

To be reviewed. An answer must be one JSON object with {", ".join(shape.fields)}. With {cases} cases a share of
{threshold:g} is about the highest that a very good model can show with certainty.

## Right answers

To be reviewed. Say how many wrong answers your work can bear, and how you know.

## Cases

The cases are the examples of the task pack. To be reviewed: where they come from, what they leave out, which of
them are sensitive.
"""


def _system_prompt(pack: TaskPack, shape: _Shape) -> str:
    task = pack.prompt.replace(PLACEHOLDER, "(the text that follows as the user's message)").strip()
    example = json.dumps(dict.fromkeys(shape.fields, "…"), ensure_ascii=False)
    return (
        f"{task}\n\nWhatever is said above about the form of the answer: answer with one JSON object and "
        f"nothing "
        f"else, every value as text between quotes: {example}\n"
    )
