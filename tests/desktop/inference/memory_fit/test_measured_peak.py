"""The predicted peak against what the engine child really took: three models, three contexts each."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop.inference.backends.base import GenerationRequest, LoadSettings
from desktop.inference.backends.embedded import EmbeddedBackend
from desktop.inference.machine.probe_processor import read_processor
from desktop.inference.memory_fit.fit import FitModel, engine_settings, predict
from desktop.inference.memory_fit.load_mode import load_mode_of
from desktop.inference.model_files.facts import facts_from_gguf
from desktop.inference.model_files.gguf import read_gguf
from tests.fakes.engine_models import Shape, write_engine_model

# Two files of nothing but zeros. The engine rearranges the first, which is therefore read; it maps the second.
DENSE = Shape(
    "llama",
    layers=16,
    embedding=1536,
    heads=24,
    kv_heads=8,
    feed_forward=4096,
    vocabulary=32_000,
    quantization="Q4_K",
)
WINDOW = Shape(
    "gemma3",
    layers=14,
    embedding=768,
    heads=4,
    kv_heads=1,
    head_length=256,
    feed_forward=3072,
    vocabulary=32_000,
    window=512,
)
# Longer than one batch, so that all of the scratch memory is used.
PROMPT = "word " * 40


async def _measured_peak(path: Path, context_tokens: int) -> float:
    backend = EmbeddedBackend([path.parent], [path])
    try:
        model = await backend.find(str(path))
        await backend.load(model, LoadSettings(context_tokens=context_tokens, threads=1))
        request = GenerationRequest(PROMPT, context_tokens, max_tokens=4, temperature=0.0, seed=1)
        await backend.generate(request, lambda progress: None)
        sample = backend.memory()
    finally:
        await backend.unload()
    assert sample is not None
    return sample.peak_mib


@pytest.mark.engine
@pytest.mark.parametrize("context_tokens", [1024, 4096, 8192])
@pytest.mark.parametrize("name", ["starter", "dense", "window"])
def test_that_the_peak_is_predicted_within_5_percent(
    name: str, context_tokens: int, starter_model: Path, tmp_path: Path
) -> None:
    path = starter_model
    if name != "starter":
        path = write_engine_model(tmp_path / f"{name}.gguf", DENSE if name == "dense" else WINDOW)
    file, types = read_gguf(path), read_processor().repack_types
    mode = load_mode_of(file, types)
    assert mode == ("read" if name == "dense" and types else "mapped")
    settings = engine_settings(context_tokens, repack_types=types, load_mode=mode)
    predicted = predict(FitModel.of(facts_from_gguf(file)), settings).peak
    measured = asyncio.run(_measured_peak(path, context_tokens))

    assert predicted == pytest.approx(measured, rel=0.05)
