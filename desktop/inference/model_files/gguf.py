"""What a GGUF file says about itself: metadata and the list of tensors. Weights are never read.

The file is hostile until proven otherwise: every length is checked against what is left of the file, counts
are bounded, and whatever is wrong ends as one `GgufError` with a sentence. Format: GGUF versions 2 and 3,
little endian.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from desktop.inference.model_files.gguf_cursor import Cursor, GgufError
from desktop.inference.model_files.gguf_foreign import foreign_file
from desktop.inference.model_files.gguf_types import ARRAY, QUANTIZATION_NAMES, TENSOR_TYPES, TEXT, VALUE_TYPES
from packs.documents.regular_file import open_regular

__all__ = [
    "UNKNOWN_TYPE",
    "GgufError",
    "GgufFile",
    "SkippedArray",
    "Tensor",
    "Value",
    "parse_gguf",
    "read_gguf",
    "split_parts",
]

UNKNOWN_TYPE = "type "
"""Begins the name of a tensor type that is newer than the table."""
MAX_KEYS = 65_536
MAX_TENSORS = 200_000
MAX_DIMENSIONS = 4
MAX_NAME = 65_535
KEPT_NUMBERS = 4_096
"""Longer arrays of numbers are counted, not stored."""
KEPT_TEXTS = 64
KEPT_TEXT_BYTES = 1 << 20
"""Longer texts are counted, not stored. A chat template has some 50 KB at most."""
MAX_KEPT_BYTES = 8 << 20
"""Of all entries together; a number counts as eight. No model comes near, not even with several templates."""
MAX_TEXTS = 8_000_000
_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SkippedArray:
    """An array that was stepped over: tokens, merges, scores. `text_bytes` is 0 for numbers."""

    length: int
    text_bytes: int = 0


Value = int | float | bool | str | tuple["int | float | bool | str", ...] | SkippedArray


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    dimensions: tuple[int, ...]
    """Elements; the first is the length of a row."""
    type: str
    """'Q4_K', 'F16', …; 'type 97' where the type is newer than this table."""
    size_bytes: int | None
    """None for a type that is not known here."""
    offset: int
    """From the start of the data of its own file."""


@dataclass(frozen=True, slots=True)
class GgufFile:
    """One model: a file, or all files of a split one, the metadata from the first.

    parts: the files in order. file_bytes: all of them together. header_bytes: up to the first tensor of the
    first file.
    """

    parts: tuple[Path, ...]
    version: int
    metadata: dict[str, Value]
    tensors: tuple[Tensor, ...]
    file_bytes: int
    header_bytes: int

    @property
    def architecture(self) -> str | None:
        """`general.architecture`, None when the file does not say."""
        return self.text("general.architecture")

    @property
    def chat_template(self) -> str | None:
        """The template's source text. None: the file has none, and engines then use one of their own."""
        return self.text("tokenizer.chat_template")

    @property
    def licence(self) -> str | None:
        return self.text("general.license") or self.text("general.license.name")

    @property
    def name(self) -> str | None:
        return self.text("general.name")

    @property
    def quantization(self) -> str | None:
        """As people name it, 'Q4_K_M'. From the file's own entry, else the type most of its weights have."""
        declared = self.metadata.get("general.file_type")
        if isinstance(declared, int) and not isinstance(declared, bool):
            # Bit 10 marks a type that was guessed by the writer; the number below it stands.
            known = QUANTIZATION_NAMES.get(declared & 0x3FF)
            if known:
                return known
        by_type: dict[str, int] = {}
        for tensor in self.tensors:
            if tensor.size_bytes and len(tensor.dimensions) > 1:
                by_type[tensor.type] = by_type.get(tensor.type, 0) + tensor.size_bytes
        return max(by_type, key=lambda name: by_type[name]) if by_type else None

    def text(self, key: str) -> str | None:
        """A text that is not blank, else None."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) and value.strip() else None

    def count(self, key: str) -> int | None:
        """Length of an array, stored or only counted; None when there is none."""
        value = self.metadata.get(key)
        if isinstance(value, SkippedArray):
            return value.length
        return len(value) if isinstance(value, tuple) else None


def read_gguf(path: Path) -> GgufFile:
    """Read the header of `path`; for one file of a split model, of all its parts beside it.

    Raises GgufError with code: 'unreadable', 'empty', 'lfs_pointer', 'web_page', 'text_file', 'archive',
    'safetensors', 'old_format', 'not_gguf', 'big_endian', 'version', 'cut_header', 'cut_data', 'absurd',
    'damaged', 'duplicate_key', 'missing_part', 'parts_differ'. A header of 4.6 MiB takes some 4 ms.
    """
    parts = split_parts(path)
    if len(parts) == 1:
        return _read_one(path)
    missing = [part.name for part in parts if not part.is_file()]
    if missing:
        raise GgufError(
            f"{path.name} is one of {len(parts)} files of a model, and {_listed(missing)} not beside it.",
            "Put all parts into the same folder.",
            code="missing_part",
        )
    first = _read_one(parts[0])
    tensors, file_bytes = list(first.tensors), first.file_bytes
    for part in parts[1:]:
        # Only what counts of it is held: there may be a thousand of them.
        other = _read_one(part)
        tensors += other.tensors
        file_bytes += other.file_bytes
        if len(tensors) > MAX_TENSORS:
            raise GgufError(
                f"The {len(parts)} parts of {parts[0].name} hold more than {MAX_TENSORS:,} tensors.",
                "The files are damaged or made to mislead: do not use them.",
                code="absurd",
            )
    declared = first.metadata.get("split.tensors.count")
    if isinstance(declared, int) and declared != len(tensors):
        raise GgufError(
            f"The {len(parts)} parts of {parts[0].name} hold {len(tensors)} tensors, "
            f"not the {declared} announced.",
            "The parts belong to different models or versions: fetch them all again.",
            code="parts_differ",
        )
    return replace(first, parts=parts, tensors=tuple(tensors), file_bytes=file_bytes)


def split_parts(path: Path) -> tuple[Path, ...]:
    """All files of the split model that `path` is a part of by its name, in order; else only `path`."""
    match = _PART.search(path.name)
    if not match:
        return (path,)
    number, total = int(match[1]), int(match[2])
    if not 1 <= number <= total <= 1000:
        return (path,)
    before, after = path.name[: match.start()], path.name[match.end() :]
    return tuple(path.with_name(f"{before}-{i:05d}-of-{total:05d}{after}") for i in range(1, total + 1))


def parse_gguf(file: BinaryIO, size: int, path: Path) -> GgufFile:
    """Read the header of an open file of `size` bytes. Raises GgufError, and what `file` raises."""
    return _Reader(Cursor(file, size, path.name), path, size).whole()


def _read_one(path: Path) -> GgufFile:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise GgufError(f"{path.name} is not a file.", "Choose a GGUF file.", code="unreadable")
        with open_regular(path) as file:
            return parse_gguf(file, os.fstat(file.fileno()).st_size, path)
    except OSError as error:
        why = error.strerror or "the system gave no reason"
        raise GgufError(
            f"{path.name} cannot be read: {why}.",
            "Check that the file is still there and that you may read it.",
            code="unreadable",
        ) from error


class _Reader:
    def __init__(self, cursor: Cursor, path: Path, size: int) -> None:
        self._cursor = cursor
        self._path = path
        self._name = path.name
        self._size = size
        self._kept = 0

    def whole(self) -> GgufFile:
        cursor = self._cursor
        start = cursor.take(min(self._size, 512))
        fault = foreign_file(self._name, start, self._size)
        if fault:
            raise fault
        cursor.back_to_start()
        cursor.skip(4)
        version = cursor.u32()
        if version not in (2, 3):
            raise self._version_fault(version)
        tensor_count, key_count = cursor.u64(), cursor.u64()
        # A tensor entry has at least 24 bytes, a metadata entry 13.
        if tensor_count > MAX_TENSORS or key_count > MAX_KEYS:
            what = f"{tensor_count:,} tensors" if tensor_count > MAX_TENSORS else f"{key_count:,} entries"
            raise self._absurd(f"announces {what}, more than any model has")
        cursor.need(key_count * 13 + tensor_count * 24)
        metadata: dict[str, Value] = {}
        for _ in range(key_count):
            key = self._short_text("an entry")
            if key in metadata:
                raise self._damaged(f"has two entries named {key[:60]!r}", "duplicate_key")
            metadata[key] = self._value(key, cursor.u32())
        raw = [self._tensor() for _ in range(tensor_count)]
        alignment = metadata.get("general.alignment", 32)
        if isinstance(alignment, bool) or not isinstance(alignment, int) or not 1 <= alignment <= 1 << 20:
            raise self._damaged("declares an impossible alignment")
        data = -(-cursor.position // alignment) * alignment
        self._check_data(raw, data)
        return GgufFile((self._path,), version, metadata, tuple(raw), self._size, data)

    def _value(self, key: str, kind: int) -> Value:
        cursor = self._cursor
        if kind == TEXT:
            return self._text()
        if kind == ARRAY:
            return self._array(key)
        known = VALUE_TYPES.get(kind)
        if known is None:
            raise self._damaged(f"has an entry of an unknown kind ({kind}) at {key[:60]!r}")
        self._keep(8)
        return cursor.number(known.code, known.size)

    def _text(self) -> str | SkippedArray:
        length = self._cursor.u64()
        if length > KEPT_TEXT_BYTES:
            self._cursor.skip(length)
            return SkippedArray(1, length)
        return self._kept_text(length)

    def _kept_text(self, length: int) -> str:
        raw = self._cursor.take(length)
        self._keep(length)
        return raw.decode("utf-8", "replace")

    def _keep(self, count: int) -> None:
        """`count` more bytes will be held in memory."""
        self._kept += count
        if self._kept > MAX_KEPT_BYTES:
            raise self._absurd(f"describes itself in more than {MAX_KEPT_BYTES >> 20} MiB")

    def _array(self, key: str) -> Value:
        cursor = self._cursor
        kind, length = cursor.u32(), cursor.u64()
        if kind == TEXT:
            cursor.need(length * 8)
            if length > MAX_TEXTS:
                raise self._absurd(f"announces {length:,} texts at {key[:60]!r}")
            if length > KEPT_TEXTS or key.startswith("tokenizer.ggml."):
                return SkippedArray(length, cursor.skip_texts(length))
            texts = [self._text() for _ in range(length)]
            return tuple(text for text in texts if isinstance(text, str))
        known = VALUE_TYPES.get(kind)
        if known is None:
            # An array of arrays is allowed by the format, but no model and no engine uses one.
            raise self._damaged(f"has an array of an unknown kind ({kind}) at {key[:60]!r}")
        cursor.need(length * known.size)
        if length > KEPT_NUMBERS or key.startswith("tokenizer.ggml."):
            cursor.skip(length * known.size)
            return SkippedArray(length)
        self._keep(length * 8)
        return cursor.numbers(known.code, known.size, length)

    def _tensor(self) -> Tensor:
        cursor = self._cursor
        name = self._short_text("a tensor")
        count = cursor.u32()
        if not 0 < count <= MAX_DIMENSIONS:
            raise self._damaged(f"gives tensor {name[:60]!r} {count} dimensions")
        dimensions = tuple(cursor.u64() for _ in range(count))
        elements = 1
        for dimension in dimensions:
            elements *= dimension
        if elements == 0 or elements >= 1 << 62:
            raise self._absurd(f"gives tensor {name[:60]!r} an impossible size")
        number, offset = cursor.u32(), cursor.u64()
        known = TENSOR_TYPES.get(number)
        if known is None:
            return Tensor(name, dimensions, f"{UNKNOWN_TYPE}{number}", None, offset)
        if dimensions[0] % known.block:
            raise self._damaged(f"gives tensor {name[:60]!r} rows that do not suit its type {known.name}")
        return Tensor(name, dimensions, known.name, elements // known.block * known.block_bytes, offset)

    def _check_data(self, tensors: list[Tensor], data: int) -> None:
        """All weights must lie inside the file."""
        end = max((data + tensor.offset + (tensor.size_bytes or 0) for tensor in tensors), default=0)
        if end <= self._size:
            return
        if end >= 1 << 53:
            raise self._absurd("places a tensor beyond any disk")
        raise GgufError(
            f"{self._name} is cut: {self._size / 2**20:,.1f} of {end / 2**20:,.1f} MiB are here.",
            "The download or copy did not finish: fetch the file again.",
            code="cut_data",
        )

    def _short_text(self, what: str) -> str:
        length = self._cursor.u64()
        if length > MAX_NAME and length <= self._cursor.left:
            raise self._absurd(f"names {what} with {length:,} bytes")
        return self._kept_text(length)

    def _version_fault(self, version: int) -> GgufError:
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
        if swapped in (1, 2, 3):
            return GgufError(
                f"{self._name} was written for big-endian computers.",
                "Fetch the usual (little-endian) file of the same model.",
                code="big_endian",
            )
        return GgufError(
            f"{self._name} is a GGUF file of version {version}; versions 2 and 3 can be read.",
            "Fetch a file of the model that was made later."
            if version < 2
            else "A newer Packbench may read it.",
            code="version",
        )

    def _absurd(self, what: str) -> GgufError:
        return GgufError(
            f"{self._name} {what}.", "The file is damaged or made to mislead: do not use it.", code="absurd"
        )

    def _damaged(self, what: str, code: str = "damaged") -> GgufError:
        return GgufError(f"{self._name} {what}.", "The file is damaged: fetch it again.", code=code)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{shown} {'is' if len(names) == 1 else 'are'}"
