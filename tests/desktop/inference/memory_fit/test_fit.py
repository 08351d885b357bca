"""The memory arithmetic: parts, settings, layers of different kinds."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.inference.memory_fit.fit import FitModel, FitSettings, predict, usable_context
from desktop.inference.model_files.facts import FactsError, facts_from_gguf, facts_from_metadata
from desktop.inference.model_files.gguf import read_gguf
from desktop.inference.model_files.layers import plan_layers
from tests.fakes.gguf_writer import U64, Entry, NewTensor, small_llama, small_tensors, write_gguf
from tests.fakes.models import facts_8b, model_8b, unknown_model
from tests.fakes.work_count import calls_of

AVX2 = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})


def test_that_the_parts_add_up_to_need_and_peak() -> None:
    for mode in ("mapped", "read"):
        p = predict(model_8b(), FitSettings(8192, repack_types=AVX2, load_mode=mode))  # type: ignore[arg-type]
        assert p.weights + p.chat_memory + p.working_memory + p.program == pytest.approx(p.need)
        assert p.base + p.anon + p.weights_file == pytest.approx(p.peak)
        assert p.anon <= p.need <= p.peak


def test_that_8192_tokens_of_an_8b_model_take_one_gibibyte_of_cache() -> None:
    assert predict(model_8b(), FitSettings(8192)).cache == 1024.0


def test_that_an_8_bit_cache_takes_53_percent() -> None:
    p = predict(model_8b(), FitSettings(8192, key_type="q8_0", value_type="q8_0"))
    assert p.cache == 1024.0 * 34 / 64


def test_that_mapping_repacked_weights_holds_them_twice() -> None:
    mapped = predict(model_8b(), FitSettings(8192, repack_types=AVX2))
    read = predict(model_8b(), FitSettings(8192, repack_types=AVX2, load_mode="read"))
    plain = predict(model_8b(), FitSettings(8192))
    assert mapped.peak - plain.peak == pytest.approx(4684 * 3 // 4)
    assert read.weights_file == 0
    assert read.peak < mapped.peak


def test_that_a_slot_gets_its_share_of_the_context_unless_unified() -> None:
    assert usable_context(FitSettings(8192, slots=4)) == 2048
    assert usable_context(FitSettings(8192, slots=4, unified_cache=True)) == 8192
    assert usable_context(FitSettings(1000)) == 1024


def test_that_the_embedding_of_an_untied_model_may_rest() -> None:
    tied = FitModel.of(replace(facts_8b(), tied_output=True))
    assert predict(tied, FitSettings(4096)).need - predict(model_8b(), FitSettings(4096)).need == pytest.approx(
        282
    )


def test_that_a_tied_embedding_of_a_repacked_type_is_copied_in_addition() -> None:
    tied = FitModel.of(replace(facts_8b(), tied_output=True))
    p = predict(tied, FitSettings(4096, repack_types=AVX2, load_mode="read"))
    assert p.weights_anon == pytest.approx(4684 + 282)


def test_that_an_unknown_architecture_is_an_estimate() -> None:
    assert predict(unknown_model(), FitSettings(4096)).is_estimate
    assert not predict(model_8b(), FitSettings(4096)).is_estimate


def test_that_settings_without_sense_are_refused() -> None:
    for settings in (FitSettings(0), FitSettings(1024, slots=0), FitSettings(1024, micro_batch_tokens=0)):
        with pytest.raises(ValueError, match="at least 1"):
            predict(model_8b(), settings)


def test_that_a_prediction_is_a_few_hundred_steps() -> None:
    model, settings = model_8b(), FitSettings(8192, repack_types=AVX2)
    assert calls_of(lambda: predict(model, settings)) < 2_000


LAYERS = {
    "window in five of six": ({"architecture": "gemma3", "sliding_window": 512}, {True: 27, False: 5}),
    "window entry ignored": ({"architecture": "llama", "sliding_window": 512}, {False: 32}),
    "first of four is full": ({"architecture": "smallthinker", "sliding_window": 512}, {True: 24, False: 8}),
    "number from the file": (
        {"architecture": "gemma3", "sliding_window": 512, "window_pattern": 2},
        {True: 16, False: 16},
    ),
    "array from the file": (
        {"architecture": "gemma4", "sliding_window": 512, "window_pattern": (True,) * 30 + (False,) * 2},
        {True: 30, False: 2},
    ),
    "last layers share": (
        {"architecture": "gemma4", "sliding_window": 512, "window_pattern": (True, False) * 16}
        | {"shared_kv_layers": 8},
        {True: 12, False: 12},
    ),
    "from layer 20 on shared": ({"architecture": "gemma3n", "sliding_window": 512}, {True: 16, False: 4}),
    "window of 4096 without an entry": ({"architecture": "gemma2"}, {True: 16, False: 16}),
    "no window without an entry": ({"architecture": "olmo2"}, {False: 32}),
    "every fourth keeps a cache": ({"architecture": "qwen35", "ssm_state": 128}, {False: 8}),
    "no cache at all": ({"architecture": "mamba2", "ssm_state": 128}, {}),
    "layers without KV heads": (
        {"architecture": "granitehybrid", "ssm_state": 128, "kv_heads": (0, 0, 0, 4) * 8},
        {False: 8},
    ),
    "cache and state in each": ({"architecture": "falcon-h1", "ssm_state": 128}, {False: 32}),
}
RECURRENT = {
    "every fourth keeps a cache": 24,
    "no cache at all": 32,
    "layers without KV heads": 24,
    "cache and state in each": 32,
}


@pytest.mark.parametrize("case", LAYERS)
def test_that_layers_are_told_apart(case: str) -> None:
    changes, expected = LAYERS[case]
    plan = plan_layers(replace(facts_8b(), **changes))  # type: ignore[arg-type]
    counts: dict[bool, int] = {}
    for group in plan.attention:
        counts[group.window] = counts.get(group.window, 0) + group.count
    assert counts == expected
    assert plan.recurrent_layers == RECURRENT.get(case, 0)
    assert plan.known


def test_that_a_window_layer_stops_growing_with_the_context() -> None:
    model = FitModel.of(replace(facts_8b(), architecture="gemma3", sliding_window=512))
    short, long = (predict(model, FitSettings(tokens)).cache for tokens in (8192, 16_384))
    assert long - short == pytest.approx(5 * 8192 * 8 * 256 * 2 / 2**20)


def test_that_facts_are_read_from_a_file(tmp_path: Path) -> None:
    facts = facts_from_gguf(read_gguf(write_gguf(tmp_path / "m.gguf", small_llama(), small_tensors())))
    assert (facts.layers, facts.embedding, facts.vocabulary, facts.merges) == (2, 64, 64, 12)
    assert facts.heads == (4, 4)
    assert facts.kv_heads == (2, 2)
    assert (facts.key_length, facts.value_length) == (16, 16)
    assert facts.tied_output
    assert facts.embedding_type == "Q8_0"
    assert set(facts.repackable_bytes) == {"Q4_0"}
    assert facts.tensor_bytes == sum(tensor.size_bytes for tensor in small_tensors())


def test_that_extra_prediction_blocks_are_no_layers(tmp_path: Path) -> None:
    metadata = small_llama(**{"llama.block_count": 3, "llama.nextn_predict_layers": 1})
    facts = facts_from_gguf(read_gguf(write_gguf(tmp_path / "m.gguf", metadata, small_tensors(layers=3))))
    two = facts_from_gguf(read_gguf(write_gguf(tmp_path / "two.gguf", small_llama(), small_tensors())))
    assert facts.layers == 2
    assert facts.block_bytes["Q4_0"] == two.block_bytes["Q4_0"]


def test_that_experts_count_by_the_share_used(tmp_path: Path) -> None:
    metadata = small_llama(**{"llama.expert_count": 8, "llama.expert_used_count": 2})
    tensors = [*small_tensors(), NewTensor("blk.0.ffn_up_exps.weight", (64, 128, 8), "Q8_0")]
    facts = facts_from_gguf(read_gguf(write_gguf(tmp_path / "m.gguf", metadata, tensors)))
    assert facts.block_bytes["Q8_0"] == 64 * 128 * 8 * 34 / 32 / 4


def test_that_weights_of_an_unknown_type_count_by_the_size_of_the_file(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", small_llama(), small_tensors())
    known = facts_from_gguf(read_gguf(path))
    raw = bytearray(path.read_bytes())
    at = raw.index(b"blk.1.ffn_down.weight") + len(b"blk.1.ffn_down.weight") + 4 + 16
    raw[at : at + 4] = struct.pack("<I", 97)
    path.write_bytes(raw)
    facts = facts_from_gguf(read_gguf(path))
    assert facts.tensor_bytes == pytest.approx(known.tensor_bytes, abs=256)
    assert sum(facts.block_bytes.values()) == pytest.approx(sum(known.block_bytes.values()), abs=256)
    assert predict(FitModel.of(facts), FitSettings(4096)).is_estimate
    assert not predict(FitModel.of(known), FitSettings(4096)).is_estimate


BAD: dict[str, tuple[dict[str, Entry], str]] = {
    "no layers": ({"llama.block_count": 0}, "bad_fact"),
    "layers without end": ({"llama.block_count": 2_000_000_000}, "bad_fact"),
    "more extra blocks than blocks": ({"llama.nextn_predict_layers": 5}, "bad_fact"),
    "a text where a number is due": ({"llama.embedding_length": "wide"}, "bad_fact"),
    "a fraction": ({"llama.embedding_length": 64.5}, "bad_fact"),
    "not a number": ({"llama.embedding_length": float("nan")}, "bad_fact"),
    "endless": ({"llama.embedding_length": float("inf")}, "bad_fact"),
    "a width of nothing": ({"llama.embedding_length": 0}, "bad_fact"),
    "wider than any model": ({"llama.attention.key_length": U64(1 << 40)}, "bad_fact"),
    "below zero": ({"llama.attention.head_count": -4}, "bad_fact"),
    "too short a list": ({"llama.attention.head_count_kv": [2]}, "bad_fact"),
    "another architecture's entries": ({"general.architecture": "other"}, "missing_fact"),
    "no architecture": ({"general.architecture": " "}, "no_architecture"),
}


@pytest.mark.parametrize("case", BAD)
def test_that_bad_facts_get_a_sentence(case: str, tmp_path: Path) -> None:
    changes, code = BAD[case]
    file = read_gguf(write_gguf(tmp_path / "m.gguf", small_llama(**changes), small_tensors()))
    with pytest.raises(FactsError) as caught:
        facts_from_gguf(file)
    assert caught.value.code == code
    assert caught.value.fix


def test_that_a_servers_list_of_entries_is_enough() -> None:
    metadata = small_llama()
    plain = {key: value for key, value in metadata.items() if isinstance(value, int | float | str)}
    facts = facts_from_metadata(plain, 100 << 20, quantization="Q4_K_M")
    assert facts.repackable_bytes == {"Q4_K": 100 << 20}
    assert predict(FitModel.of(facts), FitSettings(4096)).need > 100
