"""The reader of model files: what it keeps, what it counts, and a sentence for every broken file."""

from __future__ import annotations

import io
import os
import random
import struct
from pathlib import Path

import pytest

from desktop.inference.model_files.gguf import GgufError, SkippedArray, parse_gguf, read_gguf, split_parts
from desktop.inference.model_files.model_kind import KIND_TEXT, ModelKind, model_kind
from tests.fakes.gguf_mutations import mutate
from tests.fakes.gguf_writer import (
    Entry,
    NewTensor,
    gguf_bytes,
    header_bytes,
    small_llama,
    small_tensors,
    write_gguf,
)


def test_that_metadata_template_and_tensors_come_back_as_written(tmp_path: Path) -> None:
    file = read_gguf(write_gguf(tmp_path / "m.gguf", small_llama(), small_tensors()))
    assert file.architecture == "llama"
    assert file.licence == "apache-2.0"
    assert file.chat_template == "{{ messages[0].content }}"
    assert file.quantization == "Q4_0"
    assert file.metadata["general.languages"] == ("en", "de")
    assert file.metadata["llama.block_count"] == 2
    assert len(file.tensors) == len(small_tensors())
    by_name = {tensor.name: tensor for tensor in file.tensors}
    assert by_name["blk.1.ffn_up.weight"].dimensions == (64, 128)
    assert by_name["blk.1.ffn_up.weight"].size_bytes == 64 * 128 // 32 * 18
    assert file.file_bytes == (tmp_path / "m.gguf").stat().st_size
    assert file.header_bytes == len(header_bytes(small_llama(), small_tensors())[0])


def test_that_tokens_and_merges_are_counted_and_not_stored(tmp_path: Path) -> None:
    metadata = small_llama(**{"tokenizer.ggml.tokens": ["x" * (i % 40) for i in range(70_000)]})
    file = read_gguf(write_gguf(tmp_path / "m.gguf", metadata))
    expected = sum(i % 40 for i in range(70_000))
    assert file.metadata["tokenizer.ggml.tokens"] == SkippedArray(70_000, expected)
    assert file.count("tokenizer.ggml.merges") == 12
    assert file.chat_template is not None


_ENTRY = struct.pack("<Q", 25) + b"tokenizer.ggml.token_type"
_USUAL = [f"t{i}" for i in range(10_000)]
"""As many as are searched and not walked over."""


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param([f"token{i:06}" for i in range(120_000)], id="several windows"),
        pytest.param(["x" * (i % 300) for i in range(12_000)], id="lengths of two bytes and of none"),
        pytest.param(_USUAL + ["a", "\0\0\0\0\0", "b\0\0\0\0\0\0\0\0"] * 50, id="zeros inside"),
        pytest.param([*_USUAL, "a", _ENTRY.decode(), "b"], id="an entry inside a token"),
        pytest.param([*_USUAL, "a", _ENTRY.decode()], id="an entry inside the last token"),
        pytest.param([*_USUAL, "a", "", ""], id="empty ones at the end"),
        pytest.param(["a", _ENTRY.decode(), "b"], id="few"),
        pytest.param([""], id="a single empty one"),
        pytest.param([], id="none"),
    ],
)
@pytest.mark.parametrize("following", ["tokenizer.ggml.pre", "general.note"])
def test_that_the_end_of_a_vocabulary_is_found_whatever_its_tokens_hold(
    tokens: list[str], following: str, tmp_path: Path
) -> None:
    metadata = small_llama()
    del metadata["tokenizer.ggml.merges"]
    metadata |= {"tokenizer.ggml.merges": tokens, following: "after"}
    file = read_gguf(write_gguf(tmp_path / "m.gguf", metadata, small_tensors()))
    assert file.metadata["tokenizer.ggml.merges"] == SkippedArray(
        len(tokens), sum(len(t.encode()) for t in tokens)
    )
    assert file.metadata[following] == "after"
    assert len(file.tensors) == len(small_tensors())


def test_that_a_token_longer_than_the_read_window_is_stepped_over(tmp_path: Path) -> None:
    tokens = ["a", "b" * 3_000_000, "c", "d" * 1_100_000, "e"]
    file = read_gguf(write_gguf(tmp_path / "m.gguf", small_llama(**{"tokenizer.ggml.tokens": tokens})))
    assert file.metadata["tokenizer.ggml.tokens"] == SkippedArray(5, 4_100_003)
    assert file.chat_template is not None


def test_that_per_layer_arrays_are_kept(tmp_path: Path) -> None:
    metadata = small_llama(
        **{
            "llama.attention.head_count_kv": [0, 4, 0, 4],
            "llama.attention.sliding_window_pattern": [True, False, True],
        }
    )
    file = read_gguf(write_gguf(tmp_path / "m.gguf", metadata))
    assert file.metadata["llama.attention.head_count_kv"] == (0, 4, 0, 4)
    assert file.metadata["llama.attention.sliding_window_pattern"] == (True, False, True)


def test_that_version_2_is_read(tmp_path: Path) -> None:
    assert read_gguf(write_gguf(tmp_path / "m.gguf", small_llama(), version=2)).version == 2


def test_that_a_very_long_text_is_counted(tmp_path: Path) -> None:
    file = read_gguf(write_gguf(tmp_path / "m.gguf", small_llama(**{"tokenizer.json": "x" * 2_000_000})))
    assert file.metadata["tokenizer.json"] == SkippedArray(1, 2_000_000)


def test_that_a_tensor_type_newer_than_the_program_is_no_fault(tmp_path: Path) -> None:
    raw = bytearray(gguf_bytes({"general.architecture": "llama"}, [NewTensor("a.weight", (32,))]))
    at = raw.index(b"a.weight") + len(b"a.weight") + 4 + 8
    raw[at : at + 4] = struct.pack("<I", 97)
    (tmp_path / "m.gguf").write_bytes(raw)
    tensor = read_gguf(tmp_path / "m.gguf").tensors[0]
    assert (tensor.type, tensor.size_bytes) == ("type 97", None)


def _split(folder: Path, count: int, announced: int | None = None) -> list[Path]:
    tensors = small_tensors()
    paths = []
    for i in range(count):
        metadata = small_llama() if i == 0 else {"general.architecture": "llama"}
        metadata |= {"split.no": i, "split.count": count, "split.tensors.count": announced or len(tensors)}
        paths.append(write_gguf(folder / f"model-{i + 1:05d}-of-{count:05d}.gguf", metadata, tensors[i::count]))
    return paths


def test_that_a_split_model_is_summed_from_any_of_its_parts(tmp_path: Path) -> None:
    paths = _split(tmp_path, 3)
    for path in paths:
        file = read_gguf(path)
        assert file.parts == tuple(paths)
        assert file.file_bytes == sum(part.stat().st_size for part in paths)
        assert len(file.tensors) == len(small_tensors())
        assert file.chat_template is not None


def test_that_a_missing_part_is_named(tmp_path: Path) -> None:
    paths = _split(tmp_path, 3)
    paths[1].unlink()
    with pytest.raises(GgufError) as caught:
        read_gguf(paths[0])
    assert caught.value.code == "missing_part"
    assert "model-00002-of-00003.gguf is not beside it" in caught.value.message


def test_that_parts_of_different_models_are_told(tmp_path: Path) -> None:
    with pytest.raises(GgufError) as caught:
        read_gguf(_split(tmp_path, 2, announced=99)[0])
    assert caught.value.code == "parts_differ"


def test_that_parts_together_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.inference.model_files.gguf.MAX_TENSORS", len(small_tensors()) - 1)
    with pytest.raises(GgufError, match="tensors") as caught:
        read_gguf(_split(tmp_path, 3)[0])
    assert caught.value.code == "absurd"


def test_that_only_a_full_part_name_means_a_split_model() -> None:
    assert split_parts(Path("m-00002-of-00001.gguf")) == (Path("m-00002-of-00001.gguf"),)
    assert split_parts(Path("m-1-of-2.gguf")) == (Path("m-1-of-2.gguf"),)
    assert split_parts(Path("m-00001-of-00002.gguf")) == (
        Path("m-00001-of-00002.gguf"),
        Path("m-00002-of-00002.gguf"),
    )


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 4920739232\n"
HEAD = header_bytes(small_llama(), small_tensors())[0]
_WHOLE = gguf_bytes(small_llama(), small_tensors())


def _header(version: int = 3, tensors: int = 0, keys: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys)


def _one_key(body: bytes) -> bytes:
    return _header(keys=1) + struct.pack("<Q", 1) + b"k" + body + b"\0" * 64


BROKEN = {
    "empty file": (b"", "empty", "is empty"),
    "placeholder of git": (LFS, "lfs_pointer", "of 4,693 MiB was not fetched"),
    "web page": (b"<!DOCTYPE html><html><body>Sign in</body></html>", "web_page", "is a web page"),
    "web page after blanks": (b"\n  <html>", "web_page", "is a web page"),
    "xml error": (
        b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>",
        "web_page",
        "is a web page",
    ),
    "message of a server": (b'{"error":"Repository not found"}', "text_file", "Repository not found"),
    "old format": (b"tjgg" + b"\0" * 60, "old_format", "from before GGUF"),
    "archive": (b"PK\x03\x04" + b"\0" * 60, "archive", "compressed archive"),
    "safetensors": (struct.pack("<Q", 40) + b'{"a":{"dtype":"F16"}}' + b" " * 40, "safetensors", "safetensors"),
    "noise": (bytes(range(128, 256)) + b"\0\1\2", "not_gguf", "is not a GGUF model"),
    "shorter than the magic": (b"GG", "text_file", "is a text of 2 bytes"),
    "only the magic": (b"GGUF", "cut_header", "ends in the middle of its header, after 4 bytes"),
    "big endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big_endian", "big-endian"),
    "version 1": (_header(version=1), "version", "version 1"),
    "version 9": (_header(version=9), "version", "version 9"),
    "absurd number of tensors": (_header(tensors=10**15), "absurd", "announces 1,000,000,000,000,000 tensors"),
    "absurd number of entries": (_header(keys=2**63), "absurd", "entries, more than any model has"),
    "more entries than bytes": (_header(keys=5000), "cut_header", "ends in the middle"),
    "absurd length of a name": (_header(keys=1) + b"\xff" * 40, "cut_header", "ends in the middle"),
    "unknown kind of value": (_one_key(struct.pack("<I", 77)), "damaged", "unknown kind (77)"),
    "array of arrays": (_one_key(struct.pack("<IIQ", 9, 9, 1)), "damaged", "unknown kind (9)"),
    "absurd length of an array": (
        _one_key(struct.pack("<IIQ", 9, 4, 2**60)),
        "cut_header",
        "ends in the middle",
    ),
    "absurd number of texts": (_one_key(struct.pack("<IIQ", 9, 8, 2**61)), "cut_header", "ends in the middle"),
    "cut in the header": (HEAD[: len(HEAD) // 2], "cut_header", "ends in the middle"),
    "cut in the weights": (_WHOLE[:-4096], "cut_data", "MiB are here"),
    "entry twice": (
        _header(keys=2) + (struct.pack("<Q", 1) + b"k" + struct.pack("<II", 4, 1)) * 2,
        "duplicate_key",
        "two entries named 'k'",
    ),
    "alignment of zero": (gguf_bytes({"general.alignment": 0}), "damaged", "impossible alignment"),
    "tensor without dimensions": (
        _header(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<IIQ", 0, 0, 0) + b"\0" * 32,
        "damaged",
        "0 dimensions",
    ),
    "tensor of impossible size": (
        _header(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQQIQ", 2, 2**40, 2**40, 0, 0),
        "absurd",
        "impossible size",
    ),
    "tensor beyond any disk": (
        _header(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 32, 0, 2**62),
        "absurd",
        "beyond any disk",
    ),
    "rows that do not suit the type": (
        _header(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 33, 2, 0) + b"\0" * 64,
        "damaged",
        "rows that do not suit its type Q4_0",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_that_a_broken_file_gets_its_own_sentence(case: str, tmp_path: Path) -> None:
    content, code, message = BROKEN[case]
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(GgufError) as caught:
        read_gguf(tmp_path / "m.gguf")
    assert caught.value.code == code
    assert message in caught.value.message
    assert caught.value.message.startswith("m.gguf ")
    assert caught.value.fix


def test_that_a_missing_file_and_a_folder_get_a_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.gguf", tmp_path):
        with pytest.raises(GgufError) as caught:
            read_gguf(path)
        assert caught.value.code == "unreadable"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_that_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.gguf")
    with pytest.raises(GgufError, match=r"m\.gguf is not a file"):
        read_gguf(tmp_path / "m.gguf")


@pytest.mark.parametrize(
    "metadata",
    [
        pytest.param({f"k{i}": "x" * 1_000_000 for i in range(9)}, id="texts"),
        pytest.param({f"k{i}": [1] * 4_096 for i in range(300)}, id="numbers"),
        pytest.param({f"{i:060000}": 1 for i in range(150)}, id="names"),
    ],
)
def test_that_a_header_cannot_fill_the_memory(metadata: dict[str, Entry], tmp_path: Path) -> None:
    with pytest.raises(GgufError, match="describes itself in more than 8 MiB") as caught:
        read_gguf(write_gguf(tmp_path / "m.gguf", metadata))
    assert caught.value.code == "absurd"


def test_that_small_lists_are_not_searched_through(tmp_path: Path) -> None:
    class Watched(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.reads += 1
            return super().read(size)

    content = gguf_bytes({f"tokenizer.ggml.{i}": ["a"] * 80 for i in range(2_000)})
    file = Watched(content)
    parse_gguf(file, len(content), Path("m.gguf"))
    assert file.reads < 10


KINDS = {
    "language model": (small_llama(), small_tensors(), ModelKind.TEXT),
    "embedding by pooling": (small_llama(**{"llama.pooling_type": 1}), small_tensors(), ModelKind.EMBEDDING),
    "pooling switched off": (small_llama(**{"llama.pooling_type": 0}), small_tensors(), ModelKind.TEXT),
    "embedding by architecture": (
        {"general.architecture": "nomic-bert"},
        [NewTensor("token_embd.weight", (32, 4))],
        ModelKind.EMBEDDING,
    ),
    "reranker by pooling": (small_llama(**{"llama.pooling_type": 4}), small_tensors(), ModelKind.RERANKER),
    "reranker by head": (
        small_llama(),
        [*small_tensors(), NewTensor("cls.output.weight", (64, 1))],
        ModelKind.RERANKER,
    ),
    "projector": ({"general.architecture": "clip"}, [NewTensor("v.a", (32,))], ModelKind.PROJECTOR),
    "adapter": (small_llama(**{"general.type": "adapter"}), small_tensors(), ModelKind.ADAPTER),
    "adapter by tensors": (
        {"general.architecture": "llama"},
        [NewTensor("blk.0.attn_q.weight.lora_a", (32, 4))],
        ModelKind.ADAPTER,
    ),
    "vocabulary": (small_llama(), [], ModelKind.VOCABULARY),
    "image generator": ({"general.architecture": "flux"}, [NewTensor("a", (32,))], ModelKind.OTHER),
    "calibration data": ({"general.type": "imatrix"}, [NewTensor("a", (32,))], ModelKind.OTHER),
    "says nothing": ({}, [NewTensor("token_embd.weight", (32, 4))], ModelKind.OTHER),
}


@pytest.mark.parametrize("case", KINDS)
def test_that_the_kind_is_read_from_the_content(case: str, tmp_path: Path) -> None:
    metadata, tensors, kind = KINDS[case]
    found = model_kind(read_gguf(write_gguf(tmp_path / "chat-7b.gguf", metadata, tensors)))
    assert found is kind
    assert KIND_TEXT[found].endswith(".")


def test_that_mutated_files_raise_nothing_but_the_own_error() -> None:
    chance = random.Random(20261130)
    refused = 0
    for _ in range(3_000):
        mutated = mutate(_WHOLE, len(HEAD), chance)
        try:
            model_kind(parse_gguf(io.BytesIO(mutated), len(mutated), Path("m.gguf")))
        except GgufError as error:
            assert error.message
            refused += 1
    assert refused > 1_000
