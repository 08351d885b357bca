"""A task pack as work: what is sent, how it is judged, how answers can be limited to the right form."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from desktop.inference.backends.base import Generation, Timing
from desktop.reports.circumstances import generation_text
from desktop.runs.constrain import constraint_for, label_grammar
from desktop.runs.task_work import TaskWork
from packs.task.loader import load_pack_from_files
from packs.task.model import TaskPack
from packs.task.outcome import Cause
from packs.task.scorers.field_f1 import object_schema
from tests.fakes.fake_backend import FakeBackend, FakeModel
from tests.fakes.runs import Told, started


def pack(scorer: str, params: dict[str, Any], expected: list[Any], **more: Any) -> TaskPack:
    manifest = {
        "name": "sorting",
        "type": "test",
        "scorer": scorer,
        "scorer_params": params,
        "generation": {"context": 2048, "max_tokens": 16, "temperature": 0, "seed": 7, "runs_per_example": 2},
        "prompt_template": "prompt.md",
        "examples_dir": "examples",
        **more,
    }
    files = {
        "task.yaml": json.dumps(manifest).encode(),
        "prompt.md": b"billing or access or number? {{input}}",
    }
    for number, value in enumerate(expected, 1):
        example = {"input": f"input {number} $& $'", "expected": value}
        files[f"examples/{number:03}.json"] = json.dumps(example).encode()
    loaded = load_pack_from_files(files)
    assert loaded.pack is not None, loaded.problems
    return loaded.pack


LABELS = {"labels": ["billing", "access", 'say "no"\\']}


def labelled() -> TaskPack:
    return pack("exact-label", LABELS, ["billing", "access", "access"])


def answer(text: str, finish_reason: str = "stop") -> Generation:
    return Generation(text, "", finish_reason, Timing(1.0, 2.0, 3.0, 4, 0, 1), {})


def test_that_a_pack_is_sent_and_judged_as_it_says() -> None:
    work = TaskWork(labelled())
    assert work.prompt("001") == "billing or access or number? input 1 $& $'"
    assert work.judge("001", answer("billing")).cause is Cause.CORRECT
    assert work.judge("001", answer("")).cause is Cause.EMPTY
    assert work.judge("001", answer("acc", "length")).cause is Cause.ANSWER_CUT
    assert (work.sampling.context_tokens, work.sampling.repetitions) == (2048, 2)
    assert [work.label(example) for example in work.example_ids] == ["billing", "access", "access"]


def test_that_stop_words_of_a_pack_go_along_with_every_request(tmp_path: Path) -> None:
    generation = {
        "context": 2048,
        "max_tokens": 16,
        "temperature": 0,
        "seed": 7,
        "runs_per_example": 1,
        "stop": ["\n", "END"],
    }
    stopping = pack("exact-label", LABELS, ["billing", "access"], generation=generation)
    backend = FakeBackend([FakeModel("fake", lambda prompt, nth: "billing")])
    asyncio.run(started(TaskWork(stopping), backend, tmp_path / "runs.db", Told()))
    asked = [request for request in backend.requests if "input" in request.prompt]
    assert {request.stop for request in asked} == {("\n", "END")}
    assert len(asked) >= 2
    assert generation_text(stopping.generation.as_json()).endswith('an answer ends before "\\n" or "END"')


def test_that_a_snapshot_of_some_examples_judges_them_as_the_pack_did() -> None:
    work = TaskWork(labelled())
    stored = json.loads(json.dumps(work.snapshot(["002"])))
    again = TaskWork.from_snapshot(stored, "/packs/gone")
    assert list(again.example_ids) == ["002"]
    assert again.prompt("002") == work.prompt("002")
    assert again.judge("002", answer("access")) == work.judge("002", answer("access"))
    assert again.fingerprint == work.fingerprint


def test_that_labels_become_a_grammar_of_just_these_labels() -> None:
    constraint = constraint_for(labelled())
    assert constraint is not None
    assert constraint.grammar == 'root ::= "billing" | "access" | "say \\"no\\"\\\\"\n'
    assert label_grammar(["a\nb", "a\nb"]) == 'root ::= "a\\x0ab"\n'


def test_that_key_fields_become_a_schema_that_does_not_give_the_answer_away() -> None:
    expected = [{"vendor": "ACME", "total": 1, "due": None}, {"vendor": "Brook", "total": 2.5, "due": "soon"}]
    constraint = constraint_for(pack("field-f1", {"key_fields": ["vendor", "total", "due"]}, expected))
    assert constraint is not None
    assert constraint.json_schema == {
        "type": "object",
        "properties": {
            "vendor": {"type": "string"},
            "total": {"type": "number"},
            "due": {"type": ["null", "string"]},
        },
        "required": ["vendor", "total", "due"],
        "additionalProperties": False,
    }
    assert object_schema(["lines"], [{"lines": [1]}])["properties"] == {"lines": {}}


def test_that_a_schema_of_the_pack_is_used_as_it_is() -> None:
    schema = {"type": "object", "required": ["a"]}
    gated = pack(
        "field-f1",
        {"key_fields": ["a"]},
        [{"a": 1}],
        gates=[{"scorer": "json-schema", "scorer_params": {"schema": schema}}],
    )
    for found in (gated, pack("json-schema", {"schema": schema}, [{}])):
        constraint = constraint_for(found)
        assert constraint is not None and constraint.json_schema == schema


def test_that_a_number_has_a_grammar_and_a_pattern_has_none() -> None:
    number = constraint_for(pack("numeric-tolerance", {"tolerance": 0.1}, [4.5]))
    assert number is not None and number.grammar is not None and number.grammar.startswith("root ::=")
    assert constraint_for(pack("pattern", {"patterns": ["a"]}, [""])) is None


@pytest.mark.parametrize("text", ["", "x" * 100_000, "\x00", "{" * 5000, "�"])
def test_that_no_answer_makes_judging_raise(text: str) -> None:
    for work in (
        TaskWork(labelled()),
        TaskWork(pack("field-f1", {"key_fields": ["a"]}, [{"a": 1}])),
        TaskWork(pack("numeric-tolerance", {"tolerance": 0.1}, [4.5])),
    ):
        assert work.judge("001", answer(text)).score is not None
