"""How much memory a model needs under given settings: arithmetic only (memory-fit specification, section 4).

Three numbers come out, since one would mislead: `anon`, which nobody can drop; `need`, which decides the
verdict; `peak`, which a task manager shows. Bytes inside, MiB (2^20 bytes) outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from desktop.inference.model_files.facts import ModelFacts
from desktop.inference.model_files.layers import LayerPlan, plan_layers

MIB = 1 << 20
CACHE_BYTES = {
    "f16": 2.0,
    "q8_0": 34 / 32,
    "q5_1": 24 / 32,
    "q5_0": 22 / 32,
    "q4_1": 20 / 32,
    "q4_0": 18 / 32,
    "iq4_nl": 18 / 32,
}
"""Bytes of one element of the KV cache."""
BASE_MIB = 29.5
"""The engine's own process before a model is loaded. Measured; replaced by this machine's own history."""
_TOKEN_BYTES = 199.3
_MERGE_BYTES = 205.1
"""Heap of the tokenizer's tables. Fitted on half of the measured models (specification, section 4.3)."""
_WORK_FACTOR = 1.14
_WORK_BYTES = MIB
_LAST_TOKENS = 4

LoadMode = Literal["mapped", "read"]
REPACK_NONE: frozenset[str] = frozenset()
ENGINE_BATCH = 128
"""Tokens the embedded engine reads at a time; smaller than its own default, so that Stop works at once."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How a model would be loaded. context_tokens is the total over all slots."""

    context_tokens: int
    slots: int = 1
    batch_tokens: int = 2048
    micro_batch_tokens: int = 512
    key_type: str = "f16"
    value_type: str = "f16"
    flash_attention: bool = True
    load_mode: LoadMode = "mapped"
    repack_types: frozenset[str] = REPACK_NONE
    """Tensor types that this processor's engine rearranges into a second copy; empty when switched off."""
    unified_cache: bool = False
    full_window_cache: bool = False
    prompt_tokens: int | None = None
    """Longest prompt of a slot, where known: decides the size of checkpoints. None: as long as the context."""
    snapshots: int = 2
    """Checkpoints of window and recurrent models that the server may keep for a slot; 0: switched off."""
    prompt_cache_mib: int = 0
    """What the server may keep of earlier chats; off in this program."""
    base_mib: float = BASE_MIB


def engine_settings(
    context_tokens: int,
    *,
    slots: int = 1,
    cache_type: str = "f16",
    repack_types: frozenset[str] = REPACK_NONE,
    load_mode: LoadMode = "mapped",
    base_mib: float = BASE_MIB,
) -> FitSettings:
    """As the embedded engine is started by this program: small batches, no snapshots, no prompt cache.

    `load_mode`: of `verdict.better_load_mode`, as the engine does.
    """
    return FitSettings(
        context_tokens,
        slots=slots,
        batch_tokens=ENGINE_BATCH,
        micro_batch_tokens=ENGINE_BATCH,
        key_type=cache_type,
        value_type=cache_type,
        load_mode=load_mode,
        repack_types=repack_types,
        snapshots=0,
        base_mib=base_mib,
    )


@dataclass(frozen=True, slots=True)
class Prediction:
    """MiB. weights_file + weights_anon + … + base = peak. `need` leaves out the mapped pages that rest."""

    weights_file: float
    weights_anon: float
    weights_reread: float
    """Mapped weights that every token reads again: they must stay in memory."""
    cache: float
    recurrent: float
    scratch: float
    output: float
    work: float
    heap: float
    checkpoints: float
    base: float
    is_estimate: bool
    """An architecture without rules of its own: taken as dense, with a wider margin."""

    @property
    def anon(self) -> float:
        return (
            self.weights_anon
            + self.cache
            + self.recurrent
            + self.scratch
            + self.output
            + self.work
            + self.heap
            + self.checkpoints
        )

    @property
    def need(self) -> float:
        return self.base + self.anon + self.weights_reread

    @property
    def peak(self) -> float:
        return self.base + self.anon + self.weights_file

    @property
    def weights(self) -> float:
        """The part of `need` that is weights."""
        return self.weights_anon + self.weights_reread

    @property
    def chat_memory(self) -> float:
        """The part of `need` that grows with the context: cache, state and their snapshots."""
        return self.cache + self.recurrent + self.checkpoints

    @property
    def working_memory(self) -> float:
        return self.scratch + self.output + self.work

    @property
    def program(self) -> float:
        return self.base + self.heap


@dataclass(frozen=True, slots=True)
class FitModel:
    """A model prepared for many predictions."""

    facts: ModelFacts
    plan: LayerPlan

    @classmethod
    def of(cls, facts: ModelFacts) -> FitModel:
        return cls(facts, plan_layers(facts))


@dataclass(frozen=True, slots=True)
class _Cells:
    """What the settings come to (section 4, 'Derived')."""

    per_slot: int
    streams: int
    micro_batch: int
    window: int


def predict(model: FitModel, settings: FitSettings) -> Prediction:
    """Raises ValueError for settings that make no sense, KeyError for an unknown cache type. Some 20 µs."""
    if settings.context_tokens < 1 or settings.slots < 1 or settings.micro_batch_tokens < 1:
        raise ValueError("context, slots and micro-batch must be at least 1")
    facts, plan = model.facts, model.plan
    cells = _cells(plan, settings)
    weights_file, weights_anon, reread = _weights(facts, settings)
    state = plan.recurrent_layers * 4 * plan.state_elements
    return Prediction(
        weights_file=weights_file / MIB,
        weights_anon=weights_anon / MIB,
        weights_reread=reread / MIB,
        cache=_cache(plan, settings, cells) / MIB,
        recurrent=settings.slots * state / MIB,
        scratch=_scratch(facts, plan, settings, cells) / MIB,
        output=4 * facts.vocabulary * settings.slots / MIB,
        work=(_WORK_FACTOR * cells.micro_batch * _widest(facts) + _WORK_BYTES) / MIB,
        heap=(_TOKEN_BYTES * facts.vocabulary + _MERGE_BYTES * facts.merges) / MIB,
        checkpoints=_checkpoints(plan, settings, cells, state) / MIB + settings.prompt_cache_mib,
        base=settings.base_mib,
        is_estimate=not plan.known,
    )


def usable_context(settings: FitSettings) -> int:
    """Tokens that one slot can use."""
    total = _up(settings.context_tokens)
    return total if settings.unified_cache else _up(total // settings.slots)


def _up(tokens: int) -> int:
    return -(-tokens // 256) * 256


def _cells(plan: LayerPlan, settings: FitSettings) -> _Cells:
    context = _up(settings.context_tokens)
    per_slot = usable_context(settings)
    micro = min(settings.micro_batch_tokens, settings.batch_tokens, context)
    window = per_slot
    if plan.has_window and not settings.full_window_cache:
        sharing = settings.slots if settings.unified_cache else 1
        window = _up(min(per_slot, plan.window * sharing + micro))
    return _Cells(per_slot, 1 if settings.unified_cache else settings.slots, micro, window)


def _cache(plan: LayerPlan, settings: FitSettings, cells: _Cells) -> float:
    key_bytes, value_bytes = CACHE_BYTES[settings.key_type], CACHE_BYTES[settings.value_type]
    total = 0.0
    for group in plan.attention:
        values = group.value_elements
        if not settings.flash_attention and values:
            values = plan.widest_value
        length = cells.window if group.window else cells.per_slot
        total += group.count * length * (group.key_elements * key_bytes + values * value_bytes)
    return total * cells.streams


def _checkpoints(plan: LayerPlan, settings: FitSettings, cells: _Cells, state: int) -> float:
    """Section 5: cells of all window layers and the state of one slot, for each snapshot.

    The server takes them four tokens before the end of the prompt, and one micro-batch before that. Measured on
    prompts of 532 and 598 tokens: 16 and 528, 82 and 512 (the window) cells.
    """
    if not settings.snapshots or (not plan.has_window and not state):
        return 0.0
    tokens = cells.per_slot if settings.prompt_tokens is None else settings.prompt_tokens
    taken_at = (tokens - _LAST_TOKENS, tokens - _LAST_TOKENS - cells.micro_batch)[: settings.snapshots]
    key_bytes, value_bytes = CACHE_BYTES[settings.key_type], CACHE_BYTES[settings.value_type]
    cell = sum(
        group.count * (group.key_elements * key_bytes + group.value_elements * value_bytes)
        for group in plan.attention
        if group.window
    )
    snapshots = sum(min(plan.window, at) * cell + state for at in taken_at if at > 0)
    return settings.slots * snapshots


def _scratch(facts: ModelFacts, plan: LayerPlan, settings: FitSettings, cells: _Cells) -> float:
    """Section 4.2: one micro-batch through the widest moment of the graph, and the masks."""
    micro, embedding = cells.micro_batch, facts.embedding
    mask_bytes = 2 if settings.flash_attention else 4
    mask = mask_bytes * micro * (cells.per_slot * plan.has_full + cells.window * plan.has_window)
    feed = _feed_forward(facts)
    attention = _attention(facts, plan, settings, cells)
    recurrent = _recurrent(facts, plan, settings, cells)
    elements = 5 * embedding + max(feed, attention, recurrent) + 11
    if facts.architecture == "gemma4":
        elements += 2 * facts.per_layer_embedding * facts.layers
    return mask + 4 * micro * elements


def _feed_forward(facts: ModelFacts) -> float:
    widest = max(facts.feed_forward)
    if not facts.experts:
        return 3.0 * widest
    expert = facts.expert_feed_forward or widest
    width = 3.0 * facts.experts_used * expert
    if 2 * expert < facts.embedding:
        width += facts.experts_used * facts.embedding
    return max(width, 3.0 * widest) if facts.architecture == "deepseek2" else width


def _attention(facts: ModelFacts, plan: LayerPlan, settings: FitSettings, cells: _Cells) -> float:
    heads, kv_heads, key_length = max(facts.heads), max(facts.kv_heads), facts.key_length
    if plan.is_mla:
        rank = facts.kv_lora_rank or 0
        width = 2 * heads * (rank + facts.rope_dimensions) + heads * (facts.key_length_mla or 0)
        return width if settings.flash_attention else heads * cells.per_slot + width
    if not settings.flash_attention and (plan.has_full or plan.has_window):
        return heads * cells.per_slot + 2 * heads * key_length + 2 * kv_heads * key_length
    if facts.architecture == "phi3":
        return heads * key_length + 2 * kv_heads * key_length
    if plan.gated:
        return 4 * heads * key_length
    if facts.shortconv_cache:
        return max(2 * heads * key_length, 4 * facts.embedding)
    return 2 * heads * key_length


def _recurrent(facts: ModelFacts, plan: LayerPlan, settings: FitSettings, cells: _Cells) -> float:
    if not plan.recurrent_layers or not facts.ssm_inner:
        return 0.0
    inner, state, groups = facts.ssm_inner, facts.ssm_state, facts.ssm_groups
    states = 1.5 * state * inner * settings.slots / cells.micro_batch
    if plan.gated:
        return 2 * (inner + 2 * state * groups) + facts.embedding + states
    width = 5 * inner + 5 * groups * state + facts.ssm_time_step_rank + states
    return width if plan.pure_recurrent else width + facts.embedding


def _widest(facts: ModelFacts) -> int:
    widest = max(facts.feed_forward)
    if facts.experts:
        widest = facts.experts_used * (facts.expert_feed_forward or widest)
    length = facts.key_length if facts.key_length_mla is None else facts.key_length_mla
    return max(widest, facts.embedding, facts.ssm_inner, max(facts.heads) * length)


def _weights(facts: ModelFacts, settings: FitSettings) -> tuple[float, float, float]:
    """Bytes: mapped file, anonymous, and the mapped part that is read again for every token."""
    repacked = sum(facts.repackable_bytes.get(name, 0) for name in settings.repack_types)
    tied_copy = 0
    if facts.tied_output and facts.embedding_type in settings.repack_types:
        tied_copy = facts.embedding_bytes
    if settings.load_mode == "read":
        extra = tied_copy
        if facts.architecture == "gemma4" and facts.tied_output:
            extra = facts.embedding_bytes
        return 0.0, facts.tensor_bytes + extra, 0.0
    resting = repacked + (0 if facts.tied_output else facts.embedding_bytes)
    return facts.file_bytes, repacked + tied_copy, max(facts.tensor_bytes - resting, 0)
