"""Models of well-known shapes for tests of the arithmetic, without a file."""

from __future__ import annotations

from dataclasses import replace

from desktop.inference.memory_fit.fit import FitModel
from desktop.inference.model_files.facts import ModelFacts

MIB = 1 << 20


def facts_8b(tensor_mib: int = 4684, quantization: str = "Q4_K") -> ModelFacts:
    """A dense model of eight thousand million parameters with 32 layers and eight KV heads."""
    return ModelFacts(
        architecture="llama",
        layers=32,
        trained_context=131_072,
        embedding=4096,
        feed_forward=(14_336,) * 32,
        heads=(32,) * 32,
        kv_heads=(8,) * 32,
        key_length=128,
        value_length=128,
        vocabulary=128_256,
        merges=280_147,
        tied_output=False,
        file_bytes=(tensor_mib + 7) * MIB,
        tensor_bytes=tensor_mib * MIB,
        embedding_bytes=282 * MIB,
        embedding_type=quantization,
        repackable_bytes={quantization: int(tensor_mib * 0.75) * MIB},
        block_bytes={quantization: tensor_mib * 0.85 * MIB},
        output_bytes=411 * MIB,
        output_type="Q6_K",
    )


def model_8b(tensor_mib: int = 4684, quantization: str = "Q4_K") -> FitModel:
    return FitModel.of(facts_8b(tensor_mib, quantization))


def unknown_model() -> FitModel:
    """An architecture that is not in the tables."""
    return FitModel.of(replace(facts_8b(), architecture="quux9"))
