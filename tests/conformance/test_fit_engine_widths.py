"""Cache, state and scratch against the engine's own plans at the widths of published models."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.inference.memory_fit.fit import FitModel, predict
from tests.conformance.vectors_dir import load
from tests.fakes.fit_vectors import facts_of, settings_of

DATA: dict[str, Any] = load("fit/engine_dryrun_widths.json") or {}
MODELS = {name: FitModel.of(facts_of(recorded)) for name, recorded in DATA.get("models", {}).items()}
ROWS: list[dict[str, Any]] = [row for row in DATA.get("rows", []) if row["model"] in MODELS]


def _name(row: dict[str, Any]) -> str:
    return "-".join([row["model"], *(f"{key}={value}" for key, value in row["settings"].items())])


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_that_the_engine_plans_the_same(row: dict[str, Any]) -> None:
    model = MODELS[row["model"]]
    prediction = predict(model, settings_of(row["settings"]))
    engine = row["engine_mib"]
    # The engine prints two decimals.
    assert prediction.cache == pytest.approx(engine["kv"], abs=0.02)
    assert prediction.recurrent == pytest.approx(engine["rs"], abs=0.02)
    usual = row["settings"].get("fa", "auto") != "off" and not model.plan.recurrent_layers
    bar = (0.05 if model.plan.is_mla else 0.02) if usual else 0.15
    assert prediction.scratch == pytest.approx(engine["compute"], rel=bar)
