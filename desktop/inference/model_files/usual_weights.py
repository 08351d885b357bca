"""The tensors that a model of a known shape has in one of its usual quantizations.

For models that are only in the catalogue: their files are not here, but their shape is known, and the usual
mixes of tensor types are rules. Sizes come out within 2 % of published files (checked in the tests).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop.inference.model_files.gguf import Tensor, Value
from desktop.inference.model_files.gguf_types import TENSOR_TYPES

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
    feed_forward: tuple[int, ...]
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
    found: _Sizes = [("token_embd.weight", (shape.embedding, vocabulary)), *_inputs_of_layers(shape)]
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

    def per_layer(key: str, default: int) -> tuple[int, ...]:
        value = header.get(f"{architecture}.{key}", default)
        return tuple(int(entry) for entry in value) if isinstance(value, tuple) else (int(str(value)),) * layers

    usual = number("embedding_length") // heads if heads else 0
    return _Shape(
        architecture,
        layers,
        number("embedding_length"),
        per_layer("feed_forward_length", 0),
        heads,
        per_layer("attention.head_count_kv", heads),
        number("attention.key_length", usual),
        number("attention.value_length", usual),
        vocabulary,
        tied,
        header,
    )


def _inputs_of_layers(shape: _Shape) -> _Sizes:
    """An embedding of its own for every layer, in one table, where the model has them."""
    each = shape.number("embedding_length_per_layer_input")
    if not each:
        return []
    whole = each * shape.layers
    return [
        ("per_layer_token_embd.weight", (whole, shape.vocabulary)),
        ("per_layer_model_proj.weight", (shape.embedding, whole)),
    ]


def _attention(shape: _Shape, layer: int) -> _Sizes:
    return [
        ("attn_norm.weight", (shape.embedding,)),
        *_heads(shape, layer, shape.key_length, shape.value_length),
    ]


def _heads(shape: _Shape, layer: int, key: int, value: int) -> _Sizes:
    width, kv = shape.embedding, shape.kv_heads[layer]
    return [
        ("attn_q.weight", (width, shape.heads * key)),
        ("attn_k.weight", (width, kv * key)),
        ("attn_v.weight", (width, kv * value)),
        ("attn_output.weight", (shape.heads * value, width)),
    ]


def _feed(shape: _Shape, layer: int) -> _Sizes:
    width, inside = shape.embedding, shape.feed_forward[layer]
    return [
        ("ffn_norm.weight", (width,)),
        ("ffn_gate.weight", (width, inside)),
        ("ffn_up.weight", (width, inside)),
        ("ffn_down.weight", (inside, width)),
    ]


def _experts(shape: _Shape, layer: int) -> _Sizes:
    width, count = shape.embedding, shape.number("expert_count")
    inside = shape.number("expert_feed_forward_length") or shape.feed_forward[layer]
    return [
        ("ffn_norm.weight", (width,)),
        ("ffn_gate_inp.weight", (width, count)),
        ("ffn_gate_exps.weight", (width, inside, count)),
        ("ffn_up_exps.weight", (width, inside, count)),
        ("ffn_down_exps.weight", (inside, width, count)),
    ]


def _dense(shape: _Shape, layer: int) -> _Sizes:
    feed = _experts if shape.number("expert_count") else _feed
    return _attention(shape, layer) + feed(shape, layer)


def _phi3(shape: _Shape, layer: int) -> _Sizes:
    width, kv = shape.embedding, shape.kv_heads[layer]
    return [
        ("attn_norm.weight", (width,)),
        ("attn_qkv.weight", (width, (shape.heads + 2 * kv) * shape.key_length)),
        ("attn_output.weight", (shape.heads * shape.key_length, width)),
        ("ffn_norm.weight", (width,)),
        ("ffn_up.weight", (width, 2 * shape.feed_forward[layer])),
        ("ffn_down.weight", (shape.feed_forward[layer], width)),
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
        return found + _feed(shape, layer)
    shared = shape.number("expert_shared_count") * shape.number("expert_feed_forward_length")
    return [
        *found,
        *_experts(shape, layer),
        ("ffn_gate_shexp.weight", (width, shared)),
        ("ffn_up_shexp.weight", (width, shared)),
        ("ffn_down_shexp.weight", (shared, width)),
    ]


def _lfm2(shape: _Shape, layer: int) -> _Sizes:
    width = shape.embedding
    if shape.kv_heads[layer]:
        return _attention(shape, layer) + _feed(shape, layer)
    return [
        ("attn_norm.weight", (width,)),
        ("shortconv.conv.weight", (shape.number("shortconv.l_cache"), width)),
        ("shortconv.in_proj.weight", (width, 3 * width)),
        ("shortconv.out_proj.weight", (width, width)),
        *_feed(shape, layer),
    ]


def _mamba2(shape: _Shape, layer: int) -> _Sizes:
    return [("attn_norm.weight", (shape.embedding,)), *_state(shape)]


def _granite_hybrid(shape: _Shape, layer: int) -> _Sizes:
    """Attention or a state, never both."""
    mixing = _attention(shape, layer) if shape.kv_heads[layer] else _mamba2(shape, layer)
    return mixing + _feed(shape, layer)


def _falcon_h1(shape: _Shape, layer: int) -> _Sizes:
    """Attention and a state side by side."""
    return _attention(shape, layer) + _state(shape) + _feed(shape, layer)


def _qwen35(shape: _Shape, layer: int) -> _Sizes:
    """Of every few layers the last has attention, with a gate as wide as the queries; the others a state."""
    width, kv = shape.embedding, shape.kv_heads[layer]
    found: _Sizes = [("attn_norm.weight", (width,))]
    if (layer + 1) % shape.number("full_attention_interval") == 0:
        found += [
            ("attn_q.weight", (width, 2 * shape.heads * shape.key_length)),
            ("attn_k.weight", (width, kv * shape.key_length)),
            ("attn_v.weight", (width, kv * shape.value_length)),
            ("attn_output.weight", (shape.heads * shape.value_length, width)),
        ]
    else:
        state, ranks = shape.number("ssm.state_size"), shape.number("ssm.time_step_rank")
        values = state * ranks
        through = 2 * state * shape.number("ssm.group_count") + values
        found += [
            ("attn_qkv.weight", (width, through)),
            ("attn_gate.weight", (width, values)),
            ("ssm_conv1d.weight", (shape.number("ssm.conv_kernel"), through)),
            ("ssm_beta.weight", (width, ranks)),
            ("ssm_alpha.weight", (width, ranks)),
            ("ssm_out.weight", (values, width)),
        ]
    return found + _feed(shape, layer)


def _gemma4(shape: _Shape, layer: int) -> _Sizes:
    """Layers that look at a window have shorter heads; those that share a cache keep weights of their own."""
    windows = shape.header["gemma4.attention.sliding_window_pattern"]
    key = value = 0
    if isinstance(windows, tuple) and windows[layer]:
        key, value = shape.number("attention.key_length_swa"), shape.number("attention.value_length_swa")
    each = shape.number("embedding_length_per_layer_input")
    return [
        ("attn_norm.weight", (shape.embedding,)),
        *_heads(shape, layer, key or shape.key_length, value or shape.value_length),
        *_feed(shape, layer),
        ("inp_gate.weight", (shape.embedding, each)),
        ("proj.weight", (each, shape.embedding)),
    ]


def _state(shape: _Shape) -> _Sizes:
    width, inner = shape.embedding, shape.number("ssm.inner_size")
    through = inner + 2 * shape.number("ssm.group_count") * shape.number("ssm.state_size")
    return [
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
    "granitehybrid": _granite_hybrid,
    "falcon-h1": _falcon_h1,
    "qwen35": _qwen35,
    "gemma4": _gemma4,
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
    if name == "per_layer_model_proj.weight":
        return "BF16"
    if quantization == "MXFP4":
        return "MXFP4" if "_exps." in name else "Q8_0"
    if quantization not in _MIXES:
        return quantization
    low, high = _MIXES[quantization]
    # The table of inputs of the layers as in a published file of Gemma 4 E2B, whose size it decides.
    if name in ("output.weight", "per_layer_token_embd.weight") or (name == "token_embd.weight" and shape.tied):
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
