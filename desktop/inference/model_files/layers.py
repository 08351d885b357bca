"""Which layers of a model keep what: full attention, a window, a recurrent state, nothing.

Memory-fit specification, section 4.1. Layers of the same kind and size are put together, so that the arithmetic
takes the same time for 2 and for 100 layers.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.inference.model_files.facts import ModelFacts

WINDOW_PERIODS = {
    "gemma2": 2,
    "gemma3": 6,
    "gemma3n": 5,
    "gpt-oss": 2,
    "cohere2": 4,
    "olmo2": 4,
    "exaone4": 4,
    "llama4": 4,
    "afmoe": 4,
    "mellum": 4,
    "plamo3": 8,
}
"""Of so many layers in a row the last one looks at everything, unless the file gives another number."""
_FIRST_IS_FULL = {"smallthinker": 4, "cohere2moe": 4, "laguna": 4}
_BY_ARRAY = frozenset({"gemma4", "mimo2", "step35"})
_DEFAULT_WINDOWS = {"gemma2": 4096}
_RECURRENT_ONLY = ("mamba", "rwkv")
_GATED_HYBRIDS = frozenset({"qwen35", "qwen35moe", "qwen3next"})
_HYBRIDS_BY_HEADS = frozenset({"granitehybrid", "lfm2", "lfm2moe", "jamba"})
_BOTH = frozenset({"falcon-h1"})
_GEMMA3N_OWN_CACHE = 20
_PLAIN = frozenset(
    {
        *("llama", "mistral3", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "phi2", "phi3", "gemma", "deepseek"),
        *("deepseek2", "starcoder2", "stablelm", "falcon", "internlm2", "minicpm", "granite", "granitemoe"),
        *(
            "smollm3",
            "olmo",
            "olmoe",
            "command-r",
            "glm4",
            "glm4moe",
            "exaone",
            "arcee",
            "ernie4_5",
            "nemotron",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class AttentionGroup:
    """`count` layers with the same cache. key/value_elements: of one cell, all its heads together."""

    count: int
    window: bool
    key_elements: int
    value_elements: int


@dataclass(frozen=True, slots=True)
class LayerPlan:
    """attention: layers that own a cache. recurrent_layers × state_elements × 4 bytes a slot is the state."""

    attention: tuple[AttentionGroup, ...]
    has_full: bool
    has_window: bool
    window: int
    widest_value: int
    """Value elements of the widest layer: without flash attention every layer takes as many."""
    recurrent_layers: int
    state_elements: int
    is_mla: bool
    gated: bool
    pure_recurrent: bool
    known: bool
    """False: an architecture whose rules are not written down here, taken as dense; or an unknown type."""


def plan_layers(facts: ModelFacts) -> LayerPlan:
    """Counts layers; no arithmetic of memory yet."""
    architecture = facts.architecture
    window = facts.sliding_window or _DEFAULT_WINDOWS.get(architecture, 0)
    groups: dict[tuple[bool, int, int], int] = {}
    recurrent = 0
    full_seen = window_seen = False
    widest = 0
    is_mla = facts.key_length_mla is not None
    for layer in range(facts.layers):
        is_recurrent = _is_recurrent(facts, layer)
        recurrent += is_recurrent
        if is_recurrent and architecture not in _BOTH:
            continue
        kv_heads = facts.kv_heads[layer]
        if kv_heads == 0:
            continue
        windowed = bool(window) and _is_window(facts, layer)
        key_length, value_length = facts.key_length, facts.value_length
        if windowed:
            key_length = facts.key_length_swa or key_length
            value_length = facts.value_length_swa or value_length
        keys, values = kv_heads * key_length, kv_heads * value_length
        if is_mla:
            keys, values = facts.key_length, 0
        widest = max(widest, values)
        full_seen |= not windowed
        window_seen |= windowed
        if not _is_shared(facts, layer):
            group = (windowed, keys, values)
            groups[group] = groups.get(group, 0) + 1
    return LayerPlan(
        attention=tuple(AttentionGroup(count, *group) for group, count in groups.items()),
        has_full=full_seen,
        has_window=window_seen,
        window=window,
        widest_value=widest,
        recurrent_layers=recurrent,
        state_elements=_state(facts),
        is_mla=is_mla,
        gated=architecture in _GATED_HYBRIDS,
        pure_recurrent=architecture.startswith(_RECURRENT_ONLY),
        known=_is_known(architecture) and not facts.has_unknown_types,
    )


def _is_known(architecture: str) -> bool:
    return (
        architecture in _PLAIN
        or architecture in WINDOW_PERIODS
        or architecture in _FIRST_IS_FULL
        or architecture in _BY_ARRAY
        or architecture in _GATED_HYBRIDS
        or architecture in _HYBRIDS_BY_HEADS
        or architecture in _BOTH
        or architecture.startswith("mamba")
    )


def _is_recurrent(facts: ModelFacts, layer: int) -> bool:
    architecture = facts.architecture
    if architecture.startswith(_RECURRENT_ONLY) or architecture in _BOTH:
        return True
    if architecture in _GATED_HYBRIDS:
        return (layer + 1) % (facts.full_attention_interval or 4) != 0
    by_heads = architecture in _HYBRIDS_BY_HEADS or facts.ssm_state > 0
    return by_heads and facts.kv_heads[layer] == 0


def _is_window(facts: ModelFacts, layer: int) -> bool:
    architecture, pattern = facts.architecture, facts.window_pattern
    has_rule = architecture in WINDOW_PERIODS or architecture in _FIRST_IS_FULL or architecture in _BY_ARRAY
    if not has_rule:
        # Other architectures carry the entry too, and the engine ignores it there.
        return False
    if isinstance(pattern, tuple):
        return layer < len(pattern) and pattern[layer]
    if architecture in _FIRST_IS_FULL:
        return layer % (pattern or _FIRST_IS_FULL[architecture]) != 0
    period = pattern or WINDOW_PERIODS.get(architecture)
    return period is not None and layer % period < period - 1


def _is_shared(facts: ModelFacts, layer: int) -> bool:
    if facts.architecture == "gemma3n":
        return layer >= _GEMMA3N_OWN_CACHE
    return facts.architecture == "gemma4" and layer >= facts.layers - facts.shared_kv_layers


def _state(facts: ModelFacts) -> int:
    """Elements of one recurrent layer's state for one slot."""
    if facts.shortconv_cache:
        return facts.embedding * (facts.shortconv_cache - 1)
    inner, size = facts.ssm_inner, facts.ssm_state
    return max(facts.ssm_conv_kernel - 1, 0) * (inner + 2 * facts.ssm_groups * size) + size * inner
