"""Models that the real engine accepts: right names and shapes, weights of nothing but zeros.

They take no room on the disk, answer nonsense, and need the memory of a real model of their size.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.fakes.gguf_writer import Entry, NewTensor, write_gguf

_BYTE_TOKENS = [f"<0x{value:02X}>" for value in range(256)]


@dataclass(frozen=True)
class Shape:
    """Elements, heads and layers as in the header; `quantization` of all matrices but the norms."""

    architecture: str
    layers: int = 4
    embedding: int = 512
    heads: int = 8
    kv_heads: int = 2
    head_length: int = 64
    feed_forward: int = 1536
    vocabulary: int = 1024
    quantization: str = "Q8_0"
    window: int | None = None
    experts: int = 0
    experts_used: int = 0
    expert_feed_forward: int = 0
    inner: int = 1024
    state: int = 128
    rank: int = 16


def write_engine_model(path: Path, shape: Shape) -> Path:
    build = {
        "llama": _dense,
        "qwen3": _dense,
        "gemma3": _dense,
        "qwen3moe": _dense,
        "mamba2": _recurrent,
    }[shape.architecture]
    tensors = [NewTensor("token_embd.weight", (shape.embedding, shape.vocabulary), shape.quantization)]
    for layer in range(shape.layers):
        tensors += build(shape, f"blk.{layer}.")
    tensors.append(NewTensor("output_norm.weight", (shape.embedding,)))
    return write_gguf(path, _metadata(shape), tensors)


def _dense(shape: Shape, at: str) -> list[NewTensor]:
    width, length, kind = shape.embedding, shape.head_length, shape.quantization
    norms = ["attn_norm", "ffn_norm"]
    if shape.architecture == "gemma3":
        norms += ["post_attention_norm", "post_ffw_norm"]
    tensors = [NewTensor(f"{at}{norm}.weight", (width,)) for norm in norms]
    if shape.architecture in ("qwen3", "qwen3moe", "gemma3"):
        tensors += [NewTensor(f"{at}attn_{which}_norm.weight", (length,)) for which in "qk"]
    tensors += [
        NewTensor(f"{at}attn_q.weight", (width, shape.heads * length), kind),
        NewTensor(f"{at}attn_k.weight", (width, shape.kv_heads * length), kind),
        NewTensor(f"{at}attn_v.weight", (width, shape.kv_heads * length), kind),
        NewTensor(f"{at}attn_output.weight", (shape.heads * length, width), kind),
    ]
    if shape.experts:
        inside, count = shape.expert_feed_forward, shape.experts
        return [
            *tensors,
            NewTensor(f"{at}ffn_gate_inp.weight", (width, count)),
            NewTensor(f"{at}ffn_gate_exps.weight", (width, inside, count), kind),
            NewTensor(f"{at}ffn_up_exps.weight", (width, inside, count), kind),
            NewTensor(f"{at}ffn_down_exps.weight", (inside, width, count), kind),
        ]
    return [
        *tensors,
        NewTensor(f"{at}ffn_gate.weight", (width, shape.feed_forward), kind),
        NewTensor(f"{at}ffn_up.weight", (width, shape.feed_forward), kind),
        NewTensor(f"{at}ffn_down.weight", (shape.feed_forward, width), kind),
    ]


def _recurrent(shape: Shape, at: str) -> list[NewTensor]:
    width, inner, rank, kind = shape.embedding, shape.inner, shape.rank, shape.quantization
    through = inner + 2 * shape.state
    return [
        NewTensor(f"{at}attn_norm.weight", (width,)),
        NewTensor(f"{at}ssm_in.weight", (width, inner + through + rank), kind),
        NewTensor(f"{at}ssm_conv1d.weight", (4, through)),
        NewTensor(f"{at}ssm_conv1d.bias", (through,)),
        NewTensor(f"{at}ssm_dt.bias", (rank,)),
        NewTensor(f"{at}ssm_a", (1, rank)),
        NewTensor(f"{at}ssm_d", (1, rank)),
        NewTensor(f"{at}ssm_norm.weight", (inner, 1)),
        NewTensor(f"{at}ssm_out.weight", (inner, width), kind),
    ]


def _metadata(shape: Shape) -> dict[str, Entry]:
    a = shape.architecture
    recurrent = a == "mamba2"
    metadata: dict[str, Entry] = {
        "general.architecture": a,
        "general.name": "made by a test",
        f"{a}.block_count": shape.layers,
        f"{a}.context_length": 32_768,
        f"{a}.embedding_length": shape.embedding,
        f"{a}.feed_forward_length": 0 if recurrent else shape.feed_forward,
        f"{a}.attention.layer_norm_rms_epsilon": 1e-6,
    }
    if recurrent:
        metadata |= {
            f"{a}.ssm.conv_kernel": 4,
            f"{a}.ssm.inner_size": shape.inner,
            f"{a}.ssm.state_size": shape.state,
            f"{a}.ssm.time_step_rank": shape.rank,
            f"{a}.ssm.group_count": 1,
        }
    else:
        metadata |= {
            f"{a}.attention.head_count": shape.heads,
            f"{a}.attention.head_count_kv": shape.kv_heads,
            f"{a}.attention.key_length": shape.head_length,
            f"{a}.attention.value_length": shape.head_length,
            f"{a}.rope.dimension_count": shape.head_length,
        }
    if shape.window:
        metadata[f"{a}.attention.sliding_window"] = shape.window
    if shape.experts:
        metadata |= {
            f"{a}.expert_count": shape.experts,
            f"{a}.expert_used_count": shape.experts_used,
            f"{a}.expert_feed_forward_length": shape.expert_feed_forward,
        }
    message = [f"▁w{number}" for number in range(shape.vocabulary - 259)]
    return metadata | {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", *_BYTE_TOKENS, *message],
        "tokenizer.ggml.scores": [0.0] * 259 + [-float(number) for number in range(len(message))],
        "tokenizer.ggml.token_type": [2, 3, 3] + [6] * 256 + [1] * len(message),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
