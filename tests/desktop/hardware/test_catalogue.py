"""The catalogue: whole, sourced, and of the sizes that published files have."""

from __future__ import annotations

import pytest

from desktop.hardware.catalogue import load_catalogue
from desktop.hardware.fit import FitModel, engine_settings, predict
from desktop.hardware.usual_weights import usual_tensors
from tests.fakes.gguf_writer import small_llama

# File sizes in MiB from the memory-fit specification, section 2.
PUBLISHED = {
    ("Llama-3.2-1B-Instruct", "Q4_K_M"): 768,
    ("Llama-3.1-8B-Instruct", "Q4_K_M"): 4691,
    ("Llama-3.1-8B-Instruct", "Q8_0"): 8143,
    ("Qwen3-8B", "Q4_K_M"): 4796,
    ("Qwen3-30B-A3B", "Q4_K_M"): 17_698,
    ("gemma-3-4b-it", "Q4_K_M"): 2374,
    ("gemma-3-12b-it", "Q4_K_M"): 6962,
    ("gpt-oss-20b", "MXFP4"): 11_545,
}
# Cache in MiB at a context, from the same table.
CACHES = {
    ("Llama-3.2-1B-Instruct", "Q4_K_M"): (8192, 256),
    ("Llama-3.1-8B-Instruct", "Q4_K_M"): (8192, 1024),
    ("Qwen3-8B", "Q4_K_M"): (32_768, 4608),
    ("Qwen3-30B-A3B", "Q4_K_M"): (8192, 768),
}
CATALOGUE = {(entry.name, entry.quantization): entry for entry in load_catalogue()}


@pytest.mark.parametrize("key", PUBLISHED, ids=" ".join)
def test_that_sizes_come_out_as_published(key: tuple[str, str]) -> None:
    assert CATALOGUE[key].facts.file_bytes / 2**20 == pytest.approx(PUBLISHED[key], rel=0.01)


@pytest.mark.parametrize("key", CACHES, ids=" ".join)
def test_that_caches_come_out_as_published(key: tuple[str, str]) -> None:
    context, cache = CACHES[key]
    assert predict(FitModel.of(CATALOGUE[key].facts), engine_settings(context)).cache == cache


def test_that_every_entry_is_known_and_names_its_source() -> None:
    assert len(CATALOGUE) == len(load_catalogue())
    for entry in CATALOGUE.values():
        model = FitModel.of(entry.facts)
        assert model.plan.known, entry.name
        assert predict(model, engine_settings(4096)).need > 0
        assert entry.source
        assert entry.read.startswith("20")
        assert entry.link.startswith("https://")
        assert entry.licence is None or entry.licence.strip()


def test_that_a_smaller_quantization_is_smaller() -> None:
    sizes = [CATALOGUE["Qwen3-4B", name].facts.tensor_bytes for name in ("Q4_K_M", "Q5_K_M", "Q8_0")]
    assert sizes == sorted(sizes)


def test_that_a_shape_or_mix_without_rules_is_refused() -> None:
    header = {"general.architecture": "quux9", "quux9.block_count": 1}
    with pytest.raises(KeyError, match="quux9"):
        usual_tensors(header, 100, True, "Q8_0")
    plain = {key: value for key, value in small_llama().items() if isinstance(value, int | str)}
    with pytest.raises(KeyError, match="Q9_9"):
        usual_tensors(plain, 100, True, "Q9_9")
