"""Run configuration files against the conformance cases."""

from __future__ import annotations

from typing import Any

import pytest

from packs.task.run_config import BadRunConfig, parse_run_config
from tests.conformance.vectors_dir import load


@pytest.mark.parametrize("case", load("task/run_config.json") or [], ids=lambda case: case["id"])
def test_that_the_configuration_is_read_as_in_the_vector(case: dict[str, Any]) -> None:
    want = case["result"]
    try:
        config = parse_run_config(case["text"].encode())
    except BadRunConfig as error:
        assert want["ok"] is False
        assert error.code == want["code"]
        return
    assert want["ok"] is True
    assert config.backend == want["backend"]
    assert list(config.candidates) == want["candidates"]
    assert config.use_local_models is want["use_local_models"]
