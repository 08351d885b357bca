"""A real pack for every code a problem can have, and where the editor has to lead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LABELS = "exact-label\nscorer_params:\n  labels: [billing, delivery, returns]"
MANIFEST = f"""\
name: desk
type: routing
scorer: {LABELS}
generation:
  context: 2048
  max_tokens: 16
  temperature: 0
  seed: 7
  runs_per_example: 1
prompt_template: ./prompt.md
examples_dir: ./examples
"""
PROVENANCE = "provenance: {source: a.md, source_sha256: abc, drafted_by: m, drafted_at: '2026-01-01', "
PROMPT = "billing, delivery or returns?\n{{input}}\n"
NAMES = ("billing", "delivery", "returns")


@dataclass(frozen=True)
class Lead:
    """page: of the outline. name: of the focused widget. selected: its marked text or chosen entry."""

    page: str
    name: str
    selected: str | None = None


@dataclass(frozen=True)
class Fault:
    """files: of the whole pack; None removes one. at: the field of the problem where several have the code."""

    lead: Lead
    files: Mapping[str, bytes | str | None] = field(default_factory=dict)
    manifest: str = MANIFEST
    at: str | None = None


def example(text: str, expected: Any = "billing") -> str:
    return json.dumps({"input": text, "expected": expected})


def pack_files(fault: Fault) -> dict[str, bytes]:
    """21 examples over three labels, changed by the fault."""
    files: dict[str, bytes | str | None] = {"task.yaml": fault.manifest, "prompt.md": PROMPT}
    for number in range(1, 22):
        files[f"examples/{number:03d}.json"] = example(f"message {number}", NAMES[number % 3])
    files.update(fault.files)
    return {
        name: data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
        for name, data in files.items()
        if data is not None
    }


def scorer(name: str, params: str) -> str:
    return MANIFEST.replace(LABELS, f"{name}\nscorer_params:\n{params}")


FIELDS = scorer("field-f1", "  key_fields: [a, b]")
PATTERN = scorer("pattern", "  patterns: [hello]")
SCHEMA = scorer("json-schema", "  schema: ./s.json")
CENTS_SCHEMA = {"type": "object", "properties": {"price": {"multipleOf": 0.01}}}
DOUBLED_SCHEMA = {
    "definitions": {
        "d0": {"type": "null"},
        **{f"d{level}": {"anyOf": [{"$ref": f"#/definitions/d{level - 1}"}] * 2} for level in range(1, 21)},
    },
    "anyOf": [{"$ref": "#/definitions/d20"}],
}
TEXT, INPUT, EXPECTED = "Text", "Input", "Expected label"


def grid(**changed: Any) -> dict[str, bytes | str | None]:
    """Examples whose expected value is an object."""
    files: dict[str, bytes | str | None] = {
        f"examples/{number:03d}.json": example(f"message {number}", {"a": 1, "b": 2}) for number in range(1, 22)
    }
    return {**files, **changed}


FAULTS: Mapping[str, Fault] = {
    # Errors
    "unreadable": Fault(Lead("Files as text", "File"), {"task.yaml": None}),
    "not_utf8": Fault(
        Lead("Files as text", TEXT),
        {"examples/005.json": '{"input": "Grüße", "expected": "x"}'.encode("latin-1")},
    ),
    "too_large": Fault(Lead("Files as text", TEXT), manifest=MANIFEST + "# " + "x" * 2**20),
    "yaml_syntax": Fault(Lead("Files as text", TEXT, "]: x"), manifest=MANIFEST + "more: ]: x\n"),
    "not_mapping": Fault(Lead("Files as text", TEXT), manifest="- a\n- b\n"),
    "text_required": Fault(Lead("Task", "Name", "7"), manifest=MANIFEST.replace("name: desk", "name: 7")),
    "unknown_scorer": Fault(
        Lead("Scorer", "How an answer is judged"), manifest=MANIFEST.replace("exact-label", "exact_label")
    ),
    "mapping_required": Fault(
        Lead("Generation", "Context, tokens", ""),
        manifest=MANIFEST[: MANIFEST.index("generation")] + MANIFEST[MANIFEST.index("prompt_t") :],
    ),
    "list_required": Fault(Lead("Files as text", TEXT, "5"), manifest=MANIFEST + "gates: 5\n"),
    "boolean_required": Fault(
        Lead("Review", "Reviewed by a person"),
        manifest=MANIFEST + PROVENANCE + "reviewed: maybe}\n",
    ),
    "number_required": Fault(
        Lead("Generation", "Temperature", "warm"),
        manifest=MANIFEST.replace("temperature: 0", "temperature: warm"),
    ),
    "integer_required": Fault(
        Lead("Generation", "Longest answer, tokens", "16.5"),
        manifest=MANIFEST.replace("max_tokens: 16", "max_tokens: 16.5"),
    ),
    "below_one": Fault(
        Lead("Generation", "Repetitions", "0"),
        manifest=MANIFEST.replace("runs_per_example: 1", "runs_per_example: 0"),
    ),
    "negative": Fault(
        Lead("Generation", "Temperature", "-1"), manifest=MANIFEST.replace("temperature: 0", "temperature: -1")
    ),
    "not_finite": Fault(
        Lead("Examples", "Expected a", "Infinity"),
        grid(**{"examples/003.json": '{"input":"x","expected":{"a":1e999, "b": 2}}'}),
        FIELDS,
    ),
    "out_of_range": Fault(
        Lead("Files as text", TEXT), manifest=MANIFEST + "recommendation: {margin_points: 700}\n"
    ),
    "unknown_answer": Fault(
        Lead("Generation", "Form of the answer"),
        manifest=MANIFEST.replace("  seed: 7", "  seed: 7\n  answer: x"),
    ),
    "path_outside": Fault(
        Lead("Prompt", "Prompt file", "../other.md"), manifest=MANIFEST.replace("./prompt.md", "../other.md")
    ),
    "prompt_unreadable": Fault(Lead("Prompt", "Text sent for every example", ""), {"prompt.md": None}),
    "no_placeholder": Fault(
        Lead("Prompt", "Text sent for every example", "{{ Input }}"),
        {"prompt.md": "billing, delivery or returns?\n{{ Input }}\n"},
    ),
    "schema_unreadable": Fault(Lead("Scorer", "Schema", '{"type": '), {"s.json": '{"type": '}, SCHEMA),
    "schema_not_object": Fault(Lead("Scorer", "Schema", "[1]"), {"s.json": "[1]"}, SCHEMA),
    "examples_unreadable": Fault(
        Lead("Task", "Folder of the examples", "./elsewhere"),
        manifest=MANIFEST.replace("./examples", "./elsewhere"),
    ),
    "no_examples": Fault(
        Lead("Examples", "Add"), {"empty/note.txt": "nothing"}, MANIFEST.replace("./examples", "./empty")
    ),
    "bad_file_name": Fault(
        Lead("Examples", "Number or name"), {"examples/a\udcff.json": example("one more", "returns")}
    ),
    "json_syntax": Fault(Lead("Files as text", TEXT, "x}"), {"examples/005.json": '{"input": x}'}),
    "duplicate_key": Fault(
        Lead("Files as text", TEXT, '"input"'),
        {"examples/005.json": '{"input": "a",\n"input": "b", "expected": "returns"}'},
    ),
    "not_object": Fault(Lead("Files as text", TEXT, '["a"]'), {"examples/005.json": '["a"]'}),
    "placeholder": Fault(
        Lead("Examples", INPUT, "Replace me: input number 1."),
        {
            "examples/005.json": json.dumps(
                {"replace_me": "…", "input": "Replace me: input number 1.", "expected": "billing"}
            )
        },
    ),
    "input_required": Fault(
        Lead("Examples", INPUT, "7"), {"examples/005.json": '{"input": 7, "expected": "returns"}'}
    ),
    "expected_missing": Fault(Lead("Examples", EXPECTED, ""), {"examples/005.json": '{"input": "a"}'}),
    "broken_character": Fault(
        Lead("Examples", INPUT), {"examples/005.json": '{"input":"\\ud83d","expected":"returns"}'}
    ),
    "param": Fault(
        Lead("Scorer", "Labels", "bill: counts as nowhere"),
        manifest=MANIFEST.replace("returns]", "returns]\n  aliases: {bil: billing, bill: nowhere}"),
    ),
    "expected_unfit": Fault(
        Lead("Examples", EXPECTED, "return"), {"examples/005.json": example("a", "return")}
    ),
    "too_many_problems": Fault(
        Lead("Files as text", TEXT),
        {f"examples/x{number:04d}.json": example(f"more {number}", "nope") for number in range(1200)},
    ),
    # Hints
    "number_too_large": Fault(
        Lead("Generation", "Seed", "1" + "0" * 300), manifest=MANIFEST.replace("seed: 7", "seed: 1" + "0" * 300)
    ),
    "unknown_key": Fault(Lead("Files as text", TEXT, "gate"), manifest=MANIFEST + "gate: []\n"),
    "unknown_param": Fault(
        Lead("Files as text", TEXT, "lables"), manifest=MANIFEST.replace("labels:", "lables: [x]\n  labels:")
    ),
    "few_examples": Fault(
        Lead("Examples", "Add"), {f"examples/{number:03d}.json": None for number in range(10, 22)}
    ),
    "example_ignored": Fault(
        Lead("Files as text", TEXT), {"examples/030.JSON": example("one more", "returns")}
    ),
    "duplicate_input": Fault(Lead("Examples", INPUT, "message 3"), {"examples/030.json": example("message 3")}),
    "near_duplicate_input": Fault(
        Lead("Examples", INPUT, "Message:  3!"), {"examples/030.json": example("Message:  3!")}
    ),
    "answer_in_prompt": Fault(
        Lead("Examples", "Expected a", "the blue lamp in the hall"),
        {
            **grid(**{"examples/003.json": example("x", {"a": "the blue lamp in the hall", "b": 2})}),
            "prompt.md": "Such as: the blue lamp in the hall.\n{{input}}\n",
        },
        FIELDS,
    ),
    "contradicting_input": Fault(
        Lead("Examples", EXPECTED, "returns"), {"examples/030.json": example("message 3", "returns")}
    ),
    "expected_lacks_field": Fault(
        Lead("Examples", "Expected a", "1"),
        grid(**{"examples/003.json": example("message 3", {"a": 1})}),
        FIELDS,
    ),
    "compared_as_number": Fault(
        Lead("Examples", "Expected a", '"00731"'),
        grid(**{"examples/003.json": example("x", {"a": "00731", "b": 2})}),
        FIELDS,
    ),
    "ambiguous_number": Fault(
        Lead("Examples", "Expected a", '"1.234"'),
        grid(**{"examples/003.json": example("x", {"a": "1.234", "b": 2})}),
        FIELDS,
    ),
    "labels_look_alike": Fault(
        Lead("Scorer", "Labels", "bil\u200dling"),
        manifest=MANIFEST.replace("[billing", '[billing, "bil\\u200dling"'),
    ),
    "inexact_multiple_of": Fault(
        Lead("Scorer", "Schema", json.dumps(CENTS_SCHEMA)), {"s.json": json.dumps(CENTS_SCHEMA)}, SCHEMA
    ),
    "labels_collapse": Fault(
        Lead("Scorer", "Labels", "billing"), manifest=MANIFEST.replace("[billing", "[Billing, billing")
    ),
    "label_blank": Fault(Lead("Scorer", "Labels", ""), manifest=MANIFEST.replace("[billing", '["", billing')),
    "alias_shadows_label": Fault(
        Lead("Scorer", "Labels", "billing: counts as returns"),
        manifest=MANIFEST.replace("returns]", "returns]\n  aliases: {bil: billing, billing: returns}"),
    ),
    "label_not_in_prompt": Fault(
        Lead("Scorer", "Labels", "delivery"), {"prompt.md": "billing or returns?\n{{input}}\n"}
    ),
    "label_unused": Fault(
        Lead("Scorer", "Labels", "other"),
        {"prompt.md": PROMPT.replace("or", "other")},
        MANIFEST.replace("returns]", "returns, other]"),
    ),
    "labels_lopsided": Fault(
        Lead("Scorer", "Labels"),
        {f"examples/{number:03d}.json": example(f"message {number}") for number in range(4, 22)},
    ),
    "placeholder_like": Fault(
        Lead("Prompt", "Text sent for every example", "{{ input }}"), {"prompt.md": PROMPT + "{{ input }}\n"}
    ),
    "input_too_long": Fault(Lead("Examples", INPUT), {"examples/003.json": example("word " * 9000)}),
    "no_room_for_input": Fault(
        Lead("Generation", "Longest answer, tokens", "2048"),
        manifest=MANIFEST.replace("max_tokens: 16", "max_tokens: 2048"),
    ),
    "answer_too_long": Fault(
        Lead("Examples", "Expected a"),
        grid(**{"examples/003.json": example("x", {"a": "word " * 200, "b": 1})}),
        FIELDS,
    ),
    "slow_pattern": Fault(
        Lead("Scorer", "Patterns", "(a+)+$"),
        manifest=scorer("pattern", "  mode: regex\n  patterns: ['hello', '(a+)+$']"),
    ),
    "slow_schema": Fault(
        Lead("Scorer", "Schema", json.dumps(DOUBLED_SCHEMA)), {"s.json": json.dumps(DOUBLED_SCHEMA)}, SCHEMA
    ),
    "not_reviewed": Fault(
        Lead("Review", "Reviewed by a person"),
        manifest=MANIFEST + PROVENANCE + "reviewed: false}\n",
    ),
}
