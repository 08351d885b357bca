"""The short fit rule of the task-pack format against its cases."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.inference.memory_fit.simple_fit import simple_fit
from tests.conformance.vectors_dir import load

CASES: list[dict[str, Any]] = load("task/fit.json") or []
_NAMES = ("layers", "kv_heads", "key_length", "value_length", "trained_context")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_that_the_short_rule_agrees(case: dict[str, Any]) -> None:
    found = simple_fit(case["model_info"], case["weights_bytes"], case["context"], case["free_mib"])
    expected = case["result"]
    assert found.verdict.value == expected["verdict"]
    for name in ("weights_mib", "kv_mib", "predicted_mib"):
        wanted = expected[name]
        value = getattr(found, name)
        assert value is None if wanted is None else value == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    if expected["architecture"] is None:
        assert found.architecture is None
    else:
        assert found.architecture is not None
        assert found.architecture.name == expected["architecture"]["name"]
        for name in _NAMES:
            assert getattr(found.architecture, name) == pytest.approx(expected["architecture"][name], rel=1e-9)
