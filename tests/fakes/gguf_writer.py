"""Writes small GGUF files of any shape, right or broken, for tests."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop.inference.model_files.gguf_types import TENSOR_TYPES

_TYPE_IDS = {entry.name: number for number, entry in TENSOR_TYPES.items()}
_ALIGNMENT = 32


@dataclass(frozen=True)
class U64:
    value: int


@dataclass(frozen=True)
class NewTensor:
    """dimensions: elements, the first is the row. type: 'F32', 'Q4_0', …"""

    name: str
    dimensions: tuple[int, ...]
    type: str = "F32"

    @property
    def size_bytes(self) -> int:
        entry = TENSOR_TYPES[_TYPE_IDS[self.type]]
        elements = 1
        for dimension in self.dimensions:
            elements *= dimension
        return elements // entry.block * entry.block_bytes


Entry = bool | int | float | str | U64 | Sequence[object]


def gguf_bytes(
    metadata: Mapping[str, Entry],
    tensors: Sequence[NewTensor] = (),
    *,
    version: int = 3,
    with_data: bool = True,
) -> bytes:
    """A whole file; all weights are zero. with_data=False ends after the header."""
    head, data = header_bytes(metadata, tensors, version=version)
    return head + (b"\0" * data if with_data else b"")


def header_bytes(
    metadata: Mapping[str, Entry], tensors: Sequence[NewTensor] = (), *, version: int = 3
) -> tuple[bytes, int]:
    """The header up to the first weight, and how many bytes of weights must follow."""
    out = bytearray(b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata)))
    for key, value in metadata.items():
        out += _text(key) + _value(value)
    offset = 0
    for tensor in tensors:
        out += _text(tensor.name) + struct.pack("<I", len(tensor.dimensions))
        out += struct.pack(f"<{len(tensor.dimensions)}Q", *tensor.dimensions)
        out += struct.pack("<IQ", _TYPE_IDS[tensor.type], offset)
        offset += -(-tensor.size_bytes // _ALIGNMENT) * _ALIGNMENT
    out += b"\0" * (-len(out) % _ALIGNMENT)
    return bytes(out), offset


def write_gguf(
    path: Path, metadata: Mapping[str, Entry], tensors: Sequence[NewTensor] = (), *, version: int = 3
) -> Path:
    """The header and a hole in place of the weights: as long as a real file, without taking room."""
    head, data = header_bytes(metadata, tensors, version=version)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + data)
    return path


def small_llama(**changes: Entry) -> dict[str, Entry]:
    """Metadata of a very small model with everything that a real one has."""
    metadata: dict[str, Entry] = {
        "general.architecture": "llama",
        "general.type": "model",
        "general.name": "Small",
        "general.license": "apache-2.0",
        "general.file_type": 2,
        "general.languages": ["en", "de"],
        "llama.block_count": 2,
        "llama.context_length": 4096,
        "llama.embedding_length": 64,
        "llama.feed_forward_length": 128,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": 16,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [f"token{i}" for i in range(64)],
        "tokenizer.ggml.token_type": [1] * 64,
        "tokenizer.ggml.merges": [f"a b{i}" for i in range(12)],
        "tokenizer.chat_template": "{{ messages[0].content }}",
    }
    metadata.update(changes)
    return metadata


def small_tensors(
    layers: int = 2, width: int = 64, feed_forward: int = 128, vocabulary: int = 64
) -> list[NewTensor]:
    tensors = [NewTensor("token_embd.weight", (width, vocabulary), "Q8_0")]
    for i in range(layers):
        tensors += [
            NewTensor(f"blk.{i}.attn_norm.weight", (width,)),
            NewTensor(f"blk.{i}.attn_q.weight", (width, width), "Q4_0"),
            NewTensor(f"blk.{i}.attn_k.weight", (width, width // 2), "Q4_0"),
            NewTensor(f"blk.{i}.attn_v.weight", (width, width // 2), "Q4_0"),
            NewTensor(f"blk.{i}.attn_output.weight", (width, width), "Q4_0"),
            NewTensor(f"blk.{i}.ffn_norm.weight", (width,)),
            NewTensor(f"blk.{i}.ffn_gate.weight", (width, feed_forward), "Q4_0"),
            NewTensor(f"blk.{i}.ffn_up.weight", (width, feed_forward), "Q4_0"),
            NewTensor(f"blk.{i}.ffn_down.weight", (feed_forward, width), "Q4_0"),
        ]
    return [*tensors, NewTensor("output_norm.weight", (width,))]


def _text(text: str) -> bytes:
    raw = text.encode("utf-8")
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Entry) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value) if value >= 0 else struct.pack("<Ii", 5, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, U64):
        return struct.pack("<IQ", 10, value.value)
    return struct.pack("<I", 9) + _array(list(value))


def _array(values: list[object]) -> bytes:
    if all(isinstance(value, str) for value in values) and values:
        return struct.pack("<IQ", 8, len(values)) + _joined(_text(str(value)) for value in values)
    if all(isinstance(value, bool) for value in values) and values:
        return struct.pack("<IQ", 7, len(values)) + bytes(bool(value) for value in values)
    if all(isinstance(value, int) for value in values):
        return struct.pack(f"<IQ{len(values)}i", 5, len(values), *values)
    return struct.pack(f"<IQ{len(values)}f", 6, len(values), *values)


def _joined(pieces: Iterable[bytes]) -> bytes:
    return b"".join(pieces)
