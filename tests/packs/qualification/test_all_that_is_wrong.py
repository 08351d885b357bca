"""All that is wrong with one reply or one judge is told, not the first of it alone."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from packs.qualification.evaluators.json_object import JsonObject
from packs.qualification.loader import load_pack
from packs.qualification.pack import Case
from packs.qualification.replies import read_reply
from tests.fakes.qualification_vectors import overlaid

JUDGE_RULES = {"R13", "R14", "R15", "R16", "R23"}


def test_that_every_value_that_is_not_allowed_is_named() -> None:
    config = {
        "required_fields": ["label", "behaviour"],
        "allowed_values": {"label": ["a"], "behaviour": ["b"], "tone": ["c"], "size": ["d"]},
    }
    content = json.dumps({"label": "x", "behaviour": "y", "tone": "c"})
    reply = read_reply({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})
    case = Case.__new__(Case)  # the evaluator looks at the reply alone
    outcome = JsonObject().evaluate(config, case, reply)  # type: ignore[arg-type]
    assert outcome.failure_code == "invalid_value"
    assert outcome.expected == {"label": ["a"], "behaviour": ["b"], "size": ["d"]}
    assert outcome.actual == {"label": "x", "behaviour": "y", "size": None}
    assert outcome.detail == "None of the allowed values in: label, behaviour, size."


def test_that_a_judge_that_is_not_there_breaks_every_rule_on_it(tmp_path: Path) -> None:
    folder = overlaid({"base": "base_pack_judge"}, tmp_path)
    file = folder / "evaluators.yaml"
    document = yaml.safe_load(file.read_text("utf-8"))
    for entry in document["evaluators"]:
        entry.pop("judge", None)
    file.write_text(yaml.safe_dump(document), "utf-8")
    found = load_pack(folder)
    assert not found.ok
    assert {finding.rule for finding in found.findings} >= JUDGE_RULES
