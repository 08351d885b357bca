"""The short rule of the task-pack format, section 13.3: weights, cache and one gibibyte for everything else.

It is kept so that packs give the same answer everywhere; `fit.py` is what this program believes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

MIB = 1 << 20
_OVERHEAD_MIB = 1024
_USABLE_SHARE = 0.95


class SimpleVerdict(StrEnum):
    FITS = "fits"
    DOES_NOT_FIT = "does-not-fit"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class SimpleArchitecture:
    """The numbers the rule needs, all above 0. They may be fractions where the header gives fractions."""

    name: str
    layers: float
    kv_heads: float
    key_length: float
    value_length: float
    trained_context: float


@dataclass(frozen=True, slots=True)
class SimpleFit:
    """MiB. None: not known."""

    architecture: SimpleArchitecture | None
    weights_mib: float
    kv_mib: float | None
    predicted_mib: float | None
    verdict: SimpleVerdict


def simple_architecture(metadata: Mapping[str, object] | None) -> SimpleArchitecture | None:
    """Section 13.2: each number must be finite and above 0, and the first key that is so wins."""
    name = (metadata or {}).get("general.architecture")
    if metadata is None or not isinstance(name, str) or not name:
        return None

    def number(key: str) -> float | None:
        value = metadata.get(f"{name}.{key}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value if math.isfinite(value) and value > 0 else None

    heads, embedding = number("attention.head_count"), number("embedding_length")
    quotient = embedding / heads if embedding and heads else None
    layers = number("block_count")
    kv_heads = number("attention.head_count_kv") or heads
    key_length = number("attention.key_length") or quotient
    value_length = number("attention.value_length") or quotient
    trained = number("context_length")
    if not (layers and kv_heads and key_length and value_length and trained):
        return None
    return SimpleArchitecture(name, layers, kv_heads, key_length, value_length, trained)


def simple_fit(
    metadata: Mapping[str, object] | None, weights_bytes: int, context_tokens: int, free_mib: float | None
) -> SimpleFit:
    """`context_tokens` is the pack's own and is not cut to the trained one. Cases: task/fit.json."""
    architecture = simple_architecture(metadata)
    weights = weights_bytes / MIB
    if architecture is None:
        return SimpleFit(None, weights, None, None, SimpleVerdict.UNKNOWN)
    lengths = architecture.key_length + architecture.value_length
    cache = architecture.layers * architecture.kv_heads * lengths * context_tokens * 2 / MIB
    predicted = weights + cache + _OVERHEAD_MIB
    if free_mib is None:
        verdict = SimpleVerdict.UNKNOWN
    else:
        verdict = SimpleVerdict.FITS if predicted <= _USABLE_SHARE * free_mib else SimpleVerdict.DOES_NOT_FIT
    return SimpleFit(architecture, weights, cache, predicted, verdict)
