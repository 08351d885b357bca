"""Header entries of public model files, where such a file is at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop.inference.model_files.gguf import Value, read_gguf
from tests.conformance.vectors_dir import load
from tests.fakes.gguf_writer import U64, Entry, write_gguf

CASES: list[dict[str, Any]] = load("task/gguf_headers.json") or []


def _written(value: Any) -> Entry:
    if isinstance(value, dict):
        return "t" * int(value["text_length"])
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**31:
        return U64(value)
    entry: Entry = value
    return entry


def _compared(value: Value | None, expected: Any) -> None:
    if isinstance(expected, dict):
        assert isinstance(value, str)
        assert len(value) == expected["text_length"]
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        assert isinstance(value, int | float)
        assert not isinstance(value, bool)
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-9)
    else:
        assert value == expected
        assert type(value) is type(expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"])
def test_that_scalar_entries_are_read_as_recorded(case: dict[str, Any], tmp_path: Path) -> None:
    """The entries are written into a file of our own, and read back from it."""
    path = write_gguf(tmp_path / case["file"], {key: _written(value) for key, value in case["scalars"].items()})
    metadata = read_gguf(path).metadata
    assert set(metadata) == set(case["scalars"])
    for key, expected in case["scalars"].items():
        _compared(metadata[key], expected)


@pytest.mark.engine
@pytest.mark.parametrize(
    "case", [case for case in CASES if "SmolLM2" in case["file"]], ids=lambda case: case["file"]
)
def test_that_the_starter_model_reads_as_recorded(case: dict[str, Any], starter_model: Path) -> None:
    file = read_gguf(starter_model)
    assert file.file_bytes == case["bytes"]
    arrays = {key for key, value in file.metadata.items() if not isinstance(value, int | float | str)}
    assert set(file.metadata) - arrays == set(case["scalars"])
    for key, expected in case["scalars"].items():
        _compared(file.metadata[key], expected)
