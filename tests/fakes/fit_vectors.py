"""Turns the recorded facts of the memory-fit vectors into the program's own records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop.inference.memory_fit.fit import FitSettings
from desktop.inference.model_files.facts import ModelFacts

DEFAULTS: dict[str, Any] = {
    "n_parallel": 1,
    "n_batch": 2048,
    "n_ubatch": 512,
    "type_k": "f16",
    "type_v": "f16",
    "fa": "auto",
    "load_mode": "mmap",
    "no_repack": False,
    "kv_unified": False,
    "swa_full": False,
}
REPACKED = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})


def facts_of(recorded: Mapping[str, Any]) -> ModelFacts:
    layers = recorded["block_count"] - recorded.get("nextn_layers", 0)

    def per_layer(value: Any) -> tuple[int, ...]:
        return tuple(value[:layers]) if isinstance(value, list) else (int(value or 0),) * layers

    pattern = recorded.get("sliding_window_pattern")
    return ModelFacts(
        architecture=recorded["arch"],
        layers=layers,
        trained_context=recorded.get("ctx_train"),
        embedding=recorded["embd"],
        feed_forward=per_layer(recorded.get("ffn")),
        heads=per_layer(recorded.get("head_count")),
        kv_heads=per_layer(recorded.get("head_count_kv")),
        key_length=recorded.get("key_length", 0),
        value_length=recorded.get("value_length", 0),
        vocabulary=recorded.get("n_vocab", 0),
        merges=recorded.get("n_merges", 0),
        tied_output=recorded["tied_output"],
        file_bytes=recorded.get("file_bytes", 0),
        tensor_bytes=recorded.get("tensor_bytes", 0),
        embedding_bytes=recorded.get("token_embd_bytes", 0),
        embedding_type=recorded.get("token_embd_type", "unknown"),
        # The vectors give one sum for a processor with AVX2, not one for each type.
        repackable_bytes={"Q4_0": recorded.get("repack_x86_bytes", 0)},
        block_bytes={"Q4_0": recorded.get("active_block_bytes", 0)},
        output_bytes=recorded.get("output_bytes", 0),
        output_type="unknown",
        key_length_swa=recorded.get("key_length_swa"),
        value_length_swa=recorded.get("value_length_swa"),
        sliding_window=recorded.get("sliding_window"),
        window_pattern=tuple(bool(entry) for entry in pattern) if isinstance(pattern, list) else pattern,
        shared_kv_layers=recorded.get("shared_kv_layers", 0),
        kv_lora_rank=recorded.get("kv_lora_rank"),
        key_length_mla=recorded.get("key_length_mla"),
        value_length_mla=recorded.get("value_length_mla"),
        rope_dimensions=recorded.get("rope_dims", 0),
        experts=recorded.get("expert_count", 0),
        experts_used=recorded.get("expert_used_count", 0),
        expert_feed_forward=recorded.get("expert_ffn"),
        ssm_conv_kernel=recorded.get("ssm_conv_kernel", 0),
        ssm_inner=recorded.get("ssm_inner", 0),
        ssm_state=recorded.get("ssm_state", 0),
        ssm_groups=recorded.get("ssm_groups", 0),
        ssm_time_step_rank=recorded.get("ssm_dt_rank", 0),
        full_attention_interval=recorded.get("full_attention_interval"),
        shortconv_cache=recorded.get("shortconv_l_cache", 0),
        per_layer_embedding=recorded.get("per_layer_embd", 0),
    )


def settings_of(recorded: Mapping[str, Any], prompt_tokens: int | None = None) -> FitSettings:
    values = {**DEFAULTS, **recorded}
    return FitSettings(
        context_tokens=values["n_ctx"],
        slots=values["n_parallel"],
        batch_tokens=values["n_batch"],
        micro_batch_tokens=values["n_ubatch"],
        key_type=values["type_k"],
        value_type=values["type_v"],
        flash_attention=values["fa"] != "off",
        load_mode="read" if values["load_mode"] == "none" else "mapped",
        repack_types=frozenset() if values["no_repack"] else REPACKED,
        unified_cache=values["kv_unified"],
        full_window_cache=values["swa_full"],
        prompt_tokens=prompt_tokens,
    )
