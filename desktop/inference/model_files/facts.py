"""The quantities of one model that its memory and speed depend on (memory-fit specification, section 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from desktop.inference.model_files.gguf import UNKNOWN_TYPE, GgufFile, SkippedArray, Tensor, Value
from packs.errors import AppError

_MAX = 1 << 24
"""Of widths, heads, experts and tokens of a vocabulary; real ones stay far below."""
_MAX_TOKENS = 1 << 40
_IN_TOKENS = frozenset({"context_length", "attention.sliding_window"})
_MAX_LAYERS = 4096
_INPUT_TENSORS = ("token_embd.weight", "per_layer_token_embd.weight")
_OUTPUT_TENSOR = "output.weight"
# Kept in their own layout by the engine, whatever their type.
_NEVER_REPACKED = (".attn_k_b.", ".attn_v_b.")
_BLOCK = re.compile(r"^blk\.(\d+)\.")


class FactsError(AppError):
    """The header is readable but lacks or contradicts what the arithmetic needs."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Numbers are elements, heads, layers or tokens unless named bytes. None: the file does not say.

    heads, kv_heads, feed_forward: one number a layer, without extra prediction blocks; 0 = none there.
    """

    architecture: str
    layers: int
    trained_context: int | None
    embedding: int
    feed_forward: tuple[int, ...]
    heads: tuple[int, ...]
    kv_heads: tuple[int, ...]
    key_length: int
    value_length: int
    vocabulary: int
    merges: int
    tied_output: bool
    """The input embedding serves as the output matrix too."""
    file_bytes: int
    tensor_bytes: int
    embedding_bytes: int
    embedding_type: str
    repackable_bytes: Mapping[str, int]
    """By tensor type: matrices of a shape that the engine can rearrange for the processor."""
    block_bytes: Mapping[str, float]
    """By tensor type: what one token reads of the blocks; experts by the share that is used."""
    output_bytes: int
    output_type: str
    key_length_swa: int | None = None
    value_length_swa: int | None = None
    sliding_window: int | None = None
    window_pattern: tuple[bool, ...] | int | None = None
    shared_kv_layers: int = 0
    kv_lora_rank: int | None = None
    key_length_mla: int | None = None
    value_length_mla: int | None = None
    rope_dimensions: int = 0
    experts: int = 0
    experts_used: int = 0
    expert_feed_forward: int | None = None
    ssm_conv_kernel: int = 0
    ssm_inner: int = 0
    ssm_state: int = 0
    ssm_groups: int = 0
    ssm_time_step_rank: int = 0
    full_attention_interval: int | None = None
    shortconv_cache: int = 0
    per_layer_embedding: int = 0

    @property
    def has_unknown_types(self) -> bool:
        """Some weights are of a type newer than this program: what they take is known by the file's size."""
        return any(name.startswith(UNKNOWN_TYPE) for name in self.block_bytes)


def facts_from_gguf(file: GgufFile) -> ModelFacts:
    """Raises FactsError 'no_architecture', 'missing_fact' or 'bad_fact'."""
    facts = _Collector(file.metadata, file.architecture).facts(
        file.tensors, file.file_bytes, file.count("tokenizer.ggml.tokens"), file.count("tokenizer.ggml.merges")
    )
    unknown = next((tensor.type for tensor in file.tensors if tensor.size_bytes is None), None)
    if unknown is None:
        return facts
    # What the other weights leave of the file belongs to them; to say nothing would make the model too small.
    rest = max(file.file_bytes - file.header_bytes - facts.tensor_bytes, 0)
    return replace(
        facts,
        tensor_bytes=facts.tensor_bytes + rest,
        block_bytes={**facts.block_bytes, unknown: float(rest)},
    )


def facts_from_tensors(
    metadata: Mapping[str, Value], tensors: tuple[Tensor, ...], vocabulary: int, merges: int
) -> ModelFacts:
    """Of a model that is no file: entries as in a header, tensors as they would be. Raises FactsError."""
    architecture = metadata.get("general.architecture")
    collector = _Collector(metadata, architecture if isinstance(architecture, str) else None)
    size = sum(tensor.size_bytes or 0 for tensor in tensors)
    return collector.facts(tensors, size, vocabulary, merges)


def facts_from_metadata(
    metadata: Mapping[str, Value], file_bytes: int, *, quantization: str | None = None
) -> ModelFacts:
    """From a server's flat list of the same entries (Ollama's `model_info`), without a list of tensors.

    All weights are then taken to be of one type, and the embedding to be the output matrix too.
    Raises FactsError.
    """
    architecture = metadata.get("general.architecture")
    collector = _Collector(metadata, architecture if isinstance(architecture, str) else None)
    facts = collector.facts((), file_bytes, _count(metadata, "tokens"), _count(metadata, "merges"))
    base = (quantization or "").upper().split("_M")[0].removesuffix("_S").removesuffix("_L")
    return _with_uniform_weights(facts, base or "unknown", file_bytes)


class _Collector:
    def __init__(self, metadata: Mapping[str, Value], architecture: str | None) -> None:
        if not architecture:
            raise FactsError(
                "The file does not say which architecture its model has.",
                "Fetch a file of the model that was made later.",
                code="no_architecture",
            )
        self._metadata = metadata
        self._architecture = architecture

    def facts(
        self, tensors: tuple[Tensor, ...], file_bytes: int, tokens: int | None, merges: int | None
    ) -> ModelFacts:
        layers = self._required("block_count") - self._number("nextn_predict_layers", 0)
        if not 0 < layers <= _MAX_LAYERS:
            raise self._bad("block_count", layers)
        embedding = self._required("embedding_length")
        if embedding < 1:
            raise self._bad("embedding_length", embedding)
        heads = self._per_layer("attention.head_count", layers, (0,) * layers)
        max_heads = max(heads)
        length = embedding // max_heads if max_heads else 0
        experts = self._number("expert_count", 0)
        used = min(self._number("expert_used_count", 0), experts)
        sums = _TensorSums(tensors, layers, used / experts if experts else 1.0)
        pattern = self._metadata.get(f"{self._architecture}.attention.sliding_window_pattern")
        return ModelFacts(
            architecture=self._architecture,
            layers=layers,
            trained_context=self._optional("context_length"),
            embedding=embedding,
            feed_forward=self._per_layer("feed_forward_length", layers, (0,) * layers),
            heads=heads,
            kv_heads=self._per_layer("attention.head_count_kv", layers, heads),
            key_length=self._number("attention.key_length", length),
            value_length=self._number("attention.value_length", length),
            vocabulary=tokens or self._number("vocab_size", 0),
            merges=merges or 0,
            tied_output=sums.tied,
            file_bytes=file_bytes,
            tensor_bytes=sums.total,
            embedding_bytes=sums.embedding_bytes,
            embedding_type=sums.embedding_type,
            repackable_bytes=sums.repackable,
            block_bytes=sums.blocks,
            output_bytes=sums.output_bytes,
            output_type=sums.output_type,
            key_length_swa=self._optional("attention.key_length_swa"),
            value_length_swa=self._optional("attention.value_length_swa"),
            sliding_window=self._optional("attention.sliding_window") or None,
            window_pattern=_pattern(pattern),
            shared_kv_layers=self._number("attention.shared_kv_layers", 0),
            kv_lora_rank=self._optional("attention.kv_lora_rank"),
            key_length_mla=self._optional("attention.key_length_mla"),
            value_length_mla=self._optional("attention.value_length_mla"),
            rope_dimensions=self._number("rope.dimension_count", 0),
            experts=experts,
            experts_used=used,
            expert_feed_forward=self._optional("expert_feed_forward_length"),
            ssm_conv_kernel=self._number("ssm.conv_kernel", 0),
            ssm_inner=self._number("ssm.inner_size", 0),
            ssm_state=self._number("ssm.state_size", 0),
            ssm_groups=self._number("ssm.group_count", 0),
            ssm_time_step_rank=self._number("ssm.time_step_rank", 0),
            full_attention_interval=self._optional("full_attention_interval"),
            shortconv_cache=self._number("shortconv.l_cache", 0),
            per_layer_embedding=self._number("embedding_length_per_layer_input", 0),
        )

    def _required(self, key: str) -> int:
        value = self._optional(key)
        if value is None:
            raise FactsError(
                f"The file does not give '{self._architecture}.{key}', which the memory depends on.",
                "Fetch a file of the model that was made later.",
                code="missing_fact",
            )
        return value

    def _number(self, key: str, default: int) -> int:
        value = self._optional(key)
        return default if value is None else value

    def _optional(self, key: str) -> int | None:
        """A whole number; of a list the largest, since that decides what must be set aside."""
        value = self._metadata.get(f"{self._architecture}.{key}")
        if value is None or isinstance(value, SkippedArray):
            return None
        if isinstance(value, tuple):
            return max((self._checked(key, entry) for entry in value), default=None)
        return self._checked(key, value)

    def _per_layer(self, key: str, layers: int, default: tuple[int, ...]) -> tuple[int, ...]:
        value = self._metadata.get(f"{self._architecture}.{key}")
        if value is None or isinstance(value, SkippedArray):
            return default
        if isinstance(value, tuple):
            if len(value) < layers:
                raise self._bad(key, f"{len(value)} numbers for {layers} layers")
            return tuple(self._checked(key, entry) for entry in value[:layers])
        return (self._checked(key, value),) * layers

    def _checked(self, key: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise self._bad(key, value)
        maximum = _MAX_TOKENS if key in _IN_TOKENS else _MAX
        if not 0 <= value <= maximum or value != int(value):
            raise self._bad(key, value)
        return int(value)

    def _bad(self, key: str, value: object) -> FactsError:
        return FactsError(
            f"The file gives '{self._architecture}.{key}' as {str(value)[:40]}, which no model can have.",
            "The file is damaged or made to mislead: fetch it again.",
            code="bad_fact",
        )


class _TensorSums:
    """One pass over the list of tensors."""

    def __init__(self, tensors: tuple[Tensor, ...], layers: int, expert_share: float) -> None:
        self.total = 0
        self.embedding_bytes = 0
        self.embedding_type = "unknown"
        self.output_bytes = 0
        self.output_type = "unknown"
        self.repackable: dict[str, int] = {}
        self.blocks: dict[str, float] = {}
        self.tied = True
        for tensor in tensors:
            size = tensor.size_bytes or 0
            self.total += size
            if tensor.name == _INPUT_TENSORS[0]:
                self.embedding_bytes, self.embedding_type = size, tensor.type
            elif tensor.name == _OUTPUT_TENSOR:
                self.output_bytes, self.output_type = size, tensor.type
                self.tied = False
            is_input = tensor.name in _INPUT_TENSORS
            if not is_input and _can_be_repacked(tensor):
                self.repackable[tensor.type] = self.repackable.get(tensor.type, 0) + size
            if not is_input and tensor.name != _OUTPUT_TENSOR and not _is_extra_block(tensor.name, layers):
                share = expert_share if "_exps." in tensor.name else 1.0
                self.blocks[tensor.type] = self.blocks.get(tensor.type, 0.0) + size * share
        if self.tied:
            self.output_type = self.embedding_type


def _can_be_repacked(tensor: Tensor) -> bool:
    return (
        len(tensor.dimensions) >= 2
        and tensor.dimensions[1] % 8 == 0
        and not any(part in tensor.name for part in _NEVER_REPACKED)
    )


def _is_extra_block(name: str, layers: int) -> bool:
    match = _BLOCK.match(name)
    return bool(match) and int(match[1]) >= layers if match else False


def _pattern(value: Value | None) -> tuple[bool, ...] | int | None:
    if isinstance(value, tuple):
        return tuple(bool(entry) for entry in value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_LAYERS:
        return value
    return None


def _count(metadata: Mapping[str, Value], what: str) -> int | None:
    value = metadata.get(f"tokenizer.ggml.{what}")
    if isinstance(value, SkippedArray):
        return value.length
    return len(value) if isinstance(value, tuple) else None


def _with_uniform_weights(facts: ModelFacts, base: str, file_bytes: int) -> ModelFacts:
    return replace(
        facts,
        tensor_bytes=file_bytes,
        repackable_bytes={base: file_bytes},
        block_bytes={base: float(file_bytes)},
        embedding_type=base,
        output_type=base,
    )
