"""The texts of a qualification pack made from a task pack; what is a guess says so."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packs.documents.jsonlines import line
from packs.qualification.schemas import TRIGGERS
from packs.task.model import TaskPack
from packs.task.prompt import PLACEHOLDER

REVIEW = "# Review:"
OUTSIDE_TEMPLATE_TOKENS = 48
"""Room for the braces and names of the answer object, beside the pack's own limit."""


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """What an answer looks like as one JSON object. fields: names in it, each compared with expected[name]."""

    fields: tuple[str, ...]
    labels: tuple[str, ...] = ()
    """Allowed values of the first field; empty when open."""


def yaml_text(text: str) -> str:
    """A double-quoted scalar, which is JSON's spelling too; what YAML takes for a line end is escaped."""
    return line(text).decode("utf-8").rstrip("\n")


def manifest_text(pack: TaskPack, slug: str, dimensions: Mapping[str, Sequence[str]]) -> str:
    listed = "\n".join(
        f"    {yaml_text(name)}: [{', '.join(map(yaml_text, values))}]" for name, values in dimensions.items()
    )
    generation = pack.generation
    return f"""\
# Made from the task pack {yaml_text(pack.name)}. Lines marked "Review:" are guesses that a person must settle.
pack:
  id: {slug}
  version: 0.1.0
  content_sha256: null
metadata:
  name: {yaml_text(pack.name)}
  domain: {yaml_text(pack.type)}  {REVIEW} the field of work
  use_case: {slug}
  language: en  {REVIEW} the language of the cases
runner:
  minimum_version: 0.0.1
{REVIEW} what the model will be used for, by whom, and who looks at its answers.
intended_use: {yaml_text(f"The task of the pack {pack.name}, with a person who looks at the answers.")}
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
    return ", ".join(map(yaml_text, fields))


def _identity(field: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", field).strip("_").lower() or "field"


def evaluators_text(shape: AnswerShape) -> str:
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
    field: {yaml_text(field)}
    expected_field: {yaml_text(field)}
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


def _requirements(shape: AnswerShape) -> list[tuple[str, str]]:
    """(metric, anchor) of every requirement."""
    return [
        ("answer_shape", "answer-shape"),
        *((f"{_identity(f)}_right", "right-answers") for f in shape.fields),
    ]


def thresholds_text(shape: AnswerShape, threshold: float, minimum: int) -> str:
    def metric(identity: str, test: str, message: str, aggregation: str, population: str) -> str:
        return (
            f"- id: {identity}\n  test: {test}\n  definition: {yaml_text(message)}\n"
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
        name, message = _identity(field), f"Share of answers whose field {field} equals the reference."
        parts.append(metric(f"{name}_right", name, message, "pass_rate", "applicable"))
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


def policy_text(shape: AnswerShape, threshold: float) -> str:
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


def triggers_text() -> str:
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


def rubric_text(identity: str, criterion: str) -> str:
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


def methodology_text(pack: TaskPack, shape: AnswerShape, cases: int, threshold: float) -> str:
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


def system_prompt_text(pack: TaskPack, shape: AnswerShape) -> str:
    task = pack.prompt.replace(PLACEHOLDER, "(the text that follows as the user's message)").strip()
    example = json.dumps(dict.fromkeys(shape.fields, "…"), ensure_ascii=False)
    return (
        f"{task}\n\nWhatever is said above about the form of the answer: answer with one JSON object and "
        f"nothing "
        f"else, every value as text between quotes: {example}\n"
    )
