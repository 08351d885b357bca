"""The memory prediction against measured runs and the engine's own buffers (specification, section 9)."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.inference.memory_fit.fit import FitModel, predict
from tests.conformance.vectors_dir import load
from tests.fakes.fit_vectors import facts_of, settings_of

DATA: dict[str, Any] = load("fit/measured.json") or {}
MODELS = {name: FitModel.of(facts_of(recorded)) for name, recorded in DATA.get("models", {}).items()}
ROWS: list[dict[str, Any]] = [row for row in DATA.get("rows", []) if row["model"] in MODELS]


def _close(value: float, engine: float) -> bool:
    return abs(value - engine) <= max(0.02, 0.001 * engine)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_that_a_measured_run_is_predicted(row: dict[str, Any]) -> None:
    """Peak within 5 %; cache, state and output as the engine sets them aside; scratch within its bars."""
    model = MODELS[row["model"]]
    prediction = predict(model, settings_of(row["settings"], row.get("prompt_tokens_per_slot")))
    engine, target = row["engine"], row["measured"]["peak_full_mib"]
    assert prediction.peak == pytest.approx(target, rel=0.05)
    assert _close(prediction.cache, engine["kv_mib"])
    assert _close(prediction.recurrent, engine["recurrent_mib"])
    assert _close(prediction.output, engine["output_mib"])
    usual = row["settings"].get("fa", "auto") != "off" and not model.plan.recurrent_layers
    bar = (0.05 if model.plan.is_mla else 0.02) if usual else 0.15
    assert prediction.scratch == pytest.approx(engine["compute_mib"], rel=bar)
    assert prediction.need <= prediction.peak + 1e-9


def test_that_the_mean_error_stays_within_one_percent() -> None:
    errors = [
        abs(
            predict(MODELS[row["model"]], settings_of(row["settings"], row.get("prompt_tokens_per_slot"))).peak
            / target
            - 1
        )
        for row in ROWS
        for target in [row["measured"]["peak_full_mib"]]
    ]
    assert sum(errors) <= 0.01 * len(errors)
