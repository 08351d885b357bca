"""The tensors that a model of a known shape has in one of its usual quantizations.

For models that are only in the catalogue: their files are not here, but their shape is known, and the usual
mixes of tensor types are rules. Sizes come out within 2 % of published files (checked in the tests).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop.hardware.gguf import Tensor, Value
from desktop.hardware.gguf_types import TENSOR_TYPES

_BY_NAME = {entry.name: entry for entry in TENSOR_TYPES.values()}
# Rows that are no multiple of a block take the next type that suits them.
_FALLBACK = {"Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0", "Q3_K": "IQ4_NL"}
_MIXES = {"Q3_K_M": ("Q3_K", "Q5_K"), "Q4_K_M": ("Q4_K", "Q6_K"), "Q5_K_M": ("Q5_K", "Q6_K")}
USUAL = ("F16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "MXFP4")


_Sizes = list[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class _Shape:
    architecture: str
    layers: int
    embedding: int
    feed_forward: int
    heads: int
    kv_heads: tuple[int, ...]
    key_length: int
    value_length: int
    vocabulary: int
    tied: bool
    header: Mapping[str, Value]

    def number(self, key: str) -> int:
        value = self.header.get(f"{self.architecture}.{key}", 0)
        return value if isinstance(value, int) else 0


def usual_tensors(
    header: Mapping[str, Value], vocabulary: int, tied: bool, quantization: str
) -> tuple[Tensor, ...]:
    """`header`: entries as in a GGUF file, `general.architecture` among them.

    Raises KeyError for an architecture or a quantization without rules here.
    """
    if quantization not in USUAL:
        raise KeyError(quantization)
    shape = _shape(header, vocabulary, tied)
    build = _BUILDERS[shape.architecture]
    found: _Sizes = [("token_embd.weight", (shape.embedding, vocabulary))]
    for layer in range(shape.layers):
        found += [(f"blk.{layer}.{name}", size) for name, size in build(shape, layer)]
    found.append(("output_norm.weight", (shape.embedding,)))
    if not tied:
        found.append(("output.weight", (shape.embedding, vocabulary)))
    return tuple(_tensor(name, size, quantization, shape) for name, size in found)


def _shape(header: Mapping[str, Value], vocabulary: int, tied: bool) -> _Shape:
    architecture = str(header["general.architecture"])

    def number(key: str, default: int = 0) -> int:
        value = header.get(f"{architecture}.{key}", default)
        return value if isinstance(value, int) else default

    layers, heads = number("block_count"), number("attention.head_count")
    kv = header.get(f"{architecture}.attention.head_count_kv", heads)
    kv_heads = tuple(int(entry) for entry in kv) if isinstance(kv, tuple) else (int(str(kv)),) * layers
    usual = number("embedding_length") // heads if heads else 0
    return _Shape(
        architecture,
        layers,
        number("embedding_length"),
        number("feed_forward_length"),
        heads,
        kv_heads,
        number("attention.key_length", usual),
        number("attention.value_length", usual),
        vocabulary,
        tied,
        header,
    )


def _attention(shape: _Shape, layer: int) -> _Sizes:
    width, kv = shape.embedding, shape.kv_heads[layer]
    return [
        ("attn_norm.weight", (width,)),
        ("attn_q.weight", (width, shape.heads * shape.key_length)),
        ("attn_k.weight", (width, kv * shape.key_length)),
        ("attn_v.weight", (width, kv * shape.value_length)),
        ("attn_output.weight", (shape.heads * shape.value_length, width)),
    ]


def _feed(shape: _Shape) -> _Sizes:
    width, inside = shape.embedding, shape.feed_forward
    return [
        ("ffn_norm.weight", (width,)),
        ("ffn_gate.weight", (width, inside)),
        ("ffn_up.weight", (width, inside)),
        ("ffn_down.weight", (inside, width)),
    ]


def _experts(shape: _Shape) -> _Sizes:
    width, count = shape.embedding, shape.number("expert_count")
    inside = shape.number("expert_feed_forward_length") or shape.feed_forward
    return [
        ("ffn_norm.weight", (width,)),
        ("ffn_gate_inp.weight", (width, count)),
        ("ffn_gate_exps.weight", (width, inside, count)),
        ("ffn_up_exps.weight", (width, inside, count)),
        ("ffn_down_exps.weight", (inside, width, count)),
    ]


def _dense(shape: _Shape, layer: int) -> _Sizes:
    return _attention(shape, layer) + (_experts(shape) if shape.number("expert_count") else _feed(shape))


def _phi3(shape: _Shape, layer: int) -> _Sizes:
    width, kv = shape.embedding, shape.kv_heads[layer]
    return [
        ("attn_norm.weight", (width,)),
        ("attn_qkv.weight", (width, (shape.heads + 2 * kv) * shape.key_length)),
        ("attn_output.weight", (shape.heads * shape.key_length, width)),
        ("ffn_norm.weight", (width,)),
        ("ffn_up.weight", (width, 2 * shape.feed_forward)),
        ("ffn_down.weight", (shape.feed_forward, width)),
    ]


def _deepseek2(shape: _Shape, layer: int) -> _Sizes:
    width, heads = shape.embedding, shape.heads
    rank, rope = shape.number("attention.kv_lora_rank"), shape.number("rope.dimension_count")
    whole, value = shape.number("attention.key_length_mla"), shape.number("attention.value_length_mla")
    found: _Sizes = [
        ("attn_norm.weight", (width,)),
        ("attn_q.weight", (width, heads * whole)),
        ("attn_kv_a_mqa.weight", (width, rank + rope)),
        ("attn_k_b.weight", (whole - rope, rank, heads)),
        ("attn_v_b.weight", (rank, value, heads)),
        ("attn_output.weight", (heads * value, width)),
    ]
    if layer < shape.number("leading_dense_block_count"):
        return found + _feed(shape)
    shared = shape.number("expert_shared_count") * shape.number("expert_feed_forward_length")
    return [
        *found,
        *_experts(shape),
        ("ffn_gate_shexp.weight", (width, shared)),
        ("ffn_up_shexp.weight", (width, shared)),
        ("ffn_down_shexp.weight", (shared, width)),
    ]


def _lfm2(shape: _Shape, layer: int) -> _Sizes:
    width = shape.embedding
    if shape.kv_heads[layer]:
        return _attention(shape, layer) + _feed(shape)
    return [
        ("attn_norm.weight", (width,)),
        ("shortconv.conv.weight", (shape.number("shortconv.l_cache"), width)),
        ("shortconv.in_proj.weight", (width, 3 * width)),
        ("shortconv.out_proj.weight", (width, width)),
        *_feed(shape),
    ]


def _mamba2(shape: _Shape, layer: int) -> _Sizes:
    width, inner = shape.embedding, shape.number("ssm.inner_size")
    through = inner + 2 * shape.number("ssm.group_count") * shape.number("ssm.state_size")
    return [
        ("attn_norm.weight", (width,)),
        ("ssm_in.weight", (width, inner + through + shape.number("ssm.time_step_rank"))),
        ("ssm_conv1d.weight", (shape.number("ssm.conv_kernel"), through)),
        ("ssm_out.weight", (inner, width)),
    ]


_BUILDERS = {
    **dict.fromkeys(("llama", "qwen2", "qwen3", "qwen3moe", "gemma2", "gemma3", "gpt-oss"), _dense),
    "phi3": _phi3,
    "deepseek2": _deepseek2,
    "lfm2": _lfm2,
    "mamba2": _mamba2,
}
_FULL_PRECISION = ("norm.weight", "ffn_gate_inp.weight", "conv.weight", "conv1d.weight")


def _tensor(name: str, size: tuple[int, ...], quantization: str, shape: _Shape) -> Tensor:
    whole = len(size) == 1 or name.endswith(_FULL_PRECISION)
    kind = "F32" if whole else _kind(name, quantization, shape)
    while size[0] % _BY_NAME[kind].block:
        kind = _FALLBACK.get(kind, "F16")
    entry = _BY_NAME[kind]
    elements = 1
    for length in size:
        elements *= length
    return Tensor(name, size, kind, elements // entry.block * entry.block_bytes, 0)


def _kind(name: str, quantization: str, shape: _Shape) -> str:
    if quantization == "MXFP4":
        return "MXFP4" if "_exps." in name else "Q8_0"
    if quantization not in _MIXES:
        return quantization
    low, high = _MIXES[quantization]
    if name == "output.weight" or (name == "token_embd.weight" and shape.tied):
        return "Q6_K"
    if name.startswith("token_embd"):
        return low
    layer = int(name.split(".")[1])
    wants_more = "attn_v." in name or "attn_qkv." in name or "ffn_down" in name
    return high if wants_more and _more_bits(layer, shape.layers) else low


def _more_bits(layer: int, layers: int) -> bool:
    """Which layers get the better type: the first and last eighth, and every third between."""
    eighth = layers // 8
    return layer < eighth or layer >= 7 * layers // 8 or (layer - eighth) % 3 == 2
