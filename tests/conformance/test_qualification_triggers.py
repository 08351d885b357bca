"""Fingerprint comparison against qualification/triggers.json."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from packs.qualification.fingerprint import missing_mandatory
from packs.qualification.triggers import compare_fingerprints
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_vectors import cases


def applied(document: Any, operations: list[dict[str, Any]]) -> Any:
    document = copy.deepcopy(document)
    for operation in operations:
        *way, last = operation["path"].split(".")
        target = document
        for step in way:
            target = target[step]
        if operation["op"] == "set":
            target[last] = operation["value"]
        else:
            target.pop(last, None)
    return document


@pytest.mark.parametrize("case", cases("triggers.json"))
def test_that_triggers_fire_as_the_format_says(case: dict[str, Any]) -> None:
    data = load("qualification/triggers.json")
    stored = applied(data["base_fingerprint"], case["stored_ops"])
    live = applied(stored, case["live_ops"])
    declared = case["declared"] or data["declared_triggers"]
    result = compare_fingerprints(stored, live, declared, case["not_observed"])
    wanted = case["output"]
    assert result.fired == wanted["fired"]
    assert result.not_observed == wanted["not_observed"]
    assert result.ambiguous == wanted["ambiguous"]
    assert result.unverified == wanted["unverified"]
    assert result.exit_code == wanted["exit_code"]
    assert result.check_exit_code == wanted["check_exit_code"]
    assert len(result.stored_problems) == wanted["stored_problem_count"]
    assert sorted({path for path, _ in result.stored_problems}) == wanted["stored_problem_paths"]


@pytest.mark.parametrize("case", cases("triggers.json", "mandatory_cases"))
def test_that_mandatory_fields_are_missing_as_the_format_says(case: dict[str, Any]) -> None:
    stored = applied(load("qualification/triggers.json")["base_fingerprint"], case["stored_ops"])
    assert missing_mandatory(stored, case["required"]) == case["missing"]
