"""A small stand-in for a model file: its vocabulary and chat template with next to no weights.

An engine that loads it turns texts into the very tokens of the model, in a fraction of a second and a few MiB,
however large the model is.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

from desktop.inference.model_files.gguf import GgufError, GgufFile, read_gguf
from desktop.inference.model_files.gguf_cursor import Cursor
from desktop.inference.model_files.gguf_types import ARRAY, TEXT, VALUE_TYPES
from packs.documents.regular_file import open_regular

_WIDTH = 32
"""Elements of a row of the stand-in's weights: the shortest that every type allows."""
_ALIGNMENT = 32
_F32, _Q8_0 = 0, 8
_Q8_0_ROW = 34
"""Bytes of 32 elements."""
_U32, _FLOAT = 4, 6


def write_vocabulary_model(source: Path, target: Path) -> GgufFile:
    """Write the stand-in of `source` to `target`; returns the source's header.

    Every entry of the tokenizer is copied byte by byte, and the model's name, by which engines know a few
    vocabularies. The rest is the smallest model there is, all zeros, most of it a hole in the file. Raises
    GgufError for a file that cannot be read or has no vocabulary, OSError when it cannot be written.
    """
    header = read_gguf(source)
    tokens = header.count("tokenizer.ggml.tokens")
    if not tokens:
        raise GgufError(f"{source.name} has no vocabulary.", "Choose another model.", code="no_vocabulary")
    with open_regular(header.parts[0]) as file:
        entries = _copied(file, os.fstat(file.fileno()).st_size, header.parts[0].name)
    entries += [_entry(key, value) for key, value in _SHAPE]
    tensors = _tensors(tokens)
    head = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries)))
    head += b"".join(entries)
    offset = 0
    for name, dimensions, kind, size in tensors:
        head += _text(name) + struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
        head += struct.pack("<IQ", kind, offset)
        offset += -(-size // _ALIGNMENT) * _ALIGNMENT
    head += b"\0" * (-len(head) % _ALIGNMENT)
    with target.open("wb") as out:
        out.write(head)
        out.truncate(len(head) + offset)
    return header


_SHAPE: tuple[tuple[str, str | int | float], ...] = (
    ("general.architecture", "llama"),
    ("llama.block_count", 1),
    ("llama.context_length", 512),
    ("llama.embedding_length", _WIDTH),
    ("llama.feed_forward_length", _WIDTH),
    ("llama.attention.head_count", 1),
    ("llama.attention.layer_norm_rms_epsilon", 1e-5),
    ("llama.rope.dimension_count", _WIDTH),
)


def _tensors(tokens: int) -> list[tuple[str, tuple[int, ...], int, int]]:
    """(name, dimensions, type, bytes) of everything the smallest model consists of."""
    row = _WIDTH * 4
    square = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    tensors: list[tuple[str, tuple[int, ...], int, int]] = [
        ("token_embd.weight", (_WIDTH, tokens), _Q8_0, _Q8_0_ROW * tokens),
        ("output_norm.weight", (_WIDTH,), _F32, row),
    ]
    tensors += [(f"blk.0.{name}.weight", (_WIDTH,), _F32, row) for name in ("attn_norm", "ffn_norm")]
    tensors += [(f"blk.0.{name}.weight", (_WIDTH, _WIDTH), _F32, row * _WIDTH) for name in square]
    return tensors


def _copied(file: BinaryIO, size: int, name: str) -> list[bytes]:
    """The entries that make the vocabulary, as they stand in the file. The header was found sound before."""
    cursor = Cursor(file, size, name)
    cursor.skip(16)
    count = cursor.u64()
    places: list[tuple[int, int]] = []
    for _ in range(count):
        start = cursor.position
        key = cursor.take(cursor.u64())
        _skip_value(cursor)
        if key.startswith(b"tokenizer.") or key == b"general.name":
            places.append((start, cursor.position))
    copied = []
    for start, end in places:
        file.seek(start)
        copied.append(file.read(end - start))
    return copied


def _skip_value(cursor: Cursor) -> None:
    kind = cursor.u32()
    if kind == TEXT:
        cursor.skip(cursor.u64())
    elif kind == ARRAY:
        inner, length = cursor.u32(), cursor.u64()
        if inner == TEXT:
            cursor.skip_texts(length)
        else:
            cursor.skip(VALUE_TYPES[inner].size * length)
    else:
        cursor.skip(VALUE_TYPES[kind].size)


def _entry(key: str, value: str | int | float) -> bytes:
    if isinstance(value, str):
        return _text(key) + struct.pack("<I", TEXT) + _text(value)
    if isinstance(value, int):
        return _text(key) + struct.pack("<II", _U32, value)
    return _text(key) + struct.pack("<If", _FLOAT, value)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw
