"""An engine upgrade cannot drift unseen: its own plan against the formula, on files that hold only a header."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop.inference.memory_fit.fit import FitModel, FitSettings, predict
from desktop.inference.model_files.facts import facts_from_gguf
from desktop.inference.model_files.gguf import read_gguf
from tests.fakes.engine_models import Shape, write_engine_model
from tests.fakes.engine_plan import engine_plan

USUAL: dict[str, Any] = {"n_ctx": 4096, "n_parallel": 1, "n_ubatch": 512, "cache": "f16", "flash": True}
SHAPES = {
    "dense": Shape("llama", kv_heads=4),
    "window": Shape("gemma3", layers=7, window=256, head_length=128),
    "experts": Shape("qwen3moe", experts=8, experts_used=4, expert_feed_forward=256),
    "recurrent": Shape("mamba2"),
}
CASES = [
    *((shape, {}) for shape in SHAPES),
    ("dense", {"n_ctx": 16_384, "n_parallel": 4}),
    ("dense", {"flash": False}),
    ("window", {"n_ctx": 32_768, "n_ubatch": 128}),
    ("window", {"cache": "q8_0"}),
    ("experts", {"n_ubatch": 128}),
    ("recurrent", {"n_parallel": 2}),
]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("shape", "changes"),
    CASES,
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "usual",
)
def test_that_the_engines_own_plan_is_predicted(shape: str, changes: dict[str, Any], tmp_path: Path) -> None:
    asked = {**USUAL, **changes}
    path = write_engine_model(tmp_path / "made.gguf", SHAPES[shape])
    planned = engine_plan(path, asked)
    model = FitModel.of(facts_from_gguf(read_gguf(path)))
    prediction = predict(
        model,
        FitSettings(
            asked["n_ctx"],
            slots=asked["n_parallel"],
            batch_tokens=asked["n_ubatch"],
            micro_batch_tokens=asked["n_ubatch"],
            key_type=asked["cache"],
            value_type=asked["cache"],
            flash_attention=asked["flash"],
        ),
    )
    assert prediction.cache == pytest.approx(planned.cache, abs=0.02)
    assert prediction.recurrent == pytest.approx(planned.recurrent, abs=0.02)
    usual = asked["flash"] and not model.plan.recurrent_layers
    assert prediction.scratch == pytest.approx(planned.scratch, rel=0.02 if usual else 0.15)
