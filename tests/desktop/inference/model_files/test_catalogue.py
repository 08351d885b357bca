"""The catalogue: whole, sourced, and of the sizes that published files have."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import pytest
import yaml

from desktop.foundation.resource_files import resource
from desktop.inference.memory_fit.fit import FitModel, engine_settings, predict
from desktop.inference.model_files.catalogue import load_catalogue
from desktop.inference.model_files.gguf import Value
from desktop.inference.model_files.usual_weights import usual_tensors
from tests.conformance.vectors_dir import load
from tests.fakes.fit_vectors import facts_of
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
    # As the engine said of a published file.
    ("gemma-4-E2B-it", "Q4_K_M"): 3287,
}
# Cache in MiB at a context, from the same table.
CACHES = {
    ("Llama-3.2-1B-Instruct", "Q4_K_M"): (8192, 256),
    ("Llama-3.1-8B-Instruct", "Q4_K_M"): (8192, 1024),
    ("Qwen3-8B", "Q4_K_M"): (32_768, 4608),
    ("Qwen3-30B-A3B", "Q4_K_M"): (8192, 768),
}
# Entries of a header by their names in the recorded facts.
HEADER = {
    "block_count": "block_count",
    "embedding_length": "embd",
    "feed_forward_length": "ffn",
    "attention.head_count": "head_count",
    "attention.head_count_kv": "head_count_kv",
    "attention.key_length": "key_length",
    "attention.value_length": "value_length",
    "attention.key_length_swa": "key_length_swa",
    "attention.value_length_swa": "value_length_swa",
    "attention.sliding_window_pattern": "sliding_window_pattern",
    "embedding_length_per_layer_input": "per_layer_embd",
    "full_attention_interval": "full_attention_interval",
    "ssm.conv_kernel": "ssm_conv_kernel",
    "ssm.inner_size": "ssm_inner",
    "ssm.state_size": "ssm_state",
    "ssm.group_count": "ssm_groups",
    "ssm.time_step_rank": "ssm_dt_rank",
}
CATALOGUE = {(entry.name, entry.quantization): entry for entry in load_catalogue()}


@pytest.mark.parametrize("key", PUBLISHED, ids=" ".join)
def test_that_sizes_come_out_as_published(key: tuple[str, str]) -> None:
    assert CATALOGUE[key].facts.file_bytes / 2**20 == pytest.approx(PUBLISHED[key], rel=0.01)


@pytest.mark.parametrize("key", CACHES, ids=" ".join)
def test_that_caches_come_out_as_published(key: tuple[str, str]) -> None:
    context, cache = CACHES[key]
    assert predict(FitModel.of(CATALOGUE[key].facts), engine_settings(context)).cache == cache


@pytest.mark.parametrize("name", ["gemma4-e-like", "qwen35-9b-like", "granite-h-3b-like", "falcon-h1-1.5b"])
def test_that_blocks_of_mixed_models_have_as_many_parameters_as_the_engine_counts(name: str) -> None:
    recorded = load("fit/engine_dryrun_widths.json") or {"models": {}}
    if name not in recorded["models"]:
        pytest.skip("not among the vectors in use")
    facts = facts_of(recorded["models"][name])
    entry = next(entry for entry in CATALOGUE.values() if entry.facts.architecture == facts.architecture)
    tensors = usual_tensors(_header(recorded["models"][name]), facts.vocabulary, True, "Q8_0")
    counted = sum(prod(tensor.dimensions) for tensor in tensors if "token_embd" not in tensor.name)
    assert counted == pytest.approx(recorded["models"][name]["params_active_blocks"], rel=0.002)
    same = ("embedding", "ssm_inner", "ssm_state", "ssm_groups", "ssm_time_step_rank", "key_length")
    assert {key: getattr(entry.facts, key) for key in same} == {key: getattr(facts, key) for key in same}


def test_that_falcon_h1_has_the_published_number_of_parameters() -> None:
    model = _models()["Falcon-H1-1.5B-Instruct"]
    header = {f"falcon-h1.{key}": value for key, value in model["header"].items()}
    header["general.architecture"] = "falcon-h1"
    tensors = usual_tensors(header, model["vocabulary"], model["tied"], "F16")
    assert sum(prod(tensor.dimensions) for tensor in tensors) == pytest.approx(1_554_859_392, rel=0.0005)


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


def _header(recorded: Mapping[str, Any]) -> dict[str, Value]:
    header: dict[str, Value] = {"general.architecture": recorded["arch"]}
    for key, name in HEADER.items():
        value = recorded.get(name)
        if value is not None:
            header[f"{recorded['arch']}.{key}"] = tuple(value) if isinstance(value, list) else value
    return header


def _models() -> dict[str, dict[str, Any]]:
    read = yaml.safe_load(resource("catalogue.yaml").read_text(encoding="utf-8"))
    return {model["name"]: model for model in read["models"]}
