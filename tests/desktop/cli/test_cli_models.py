"""`packbench models` and `packbench fit`, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.foundation.paths import user_paths
from desktop.inference.machine.bandwidth_file import BandwidthFile
from desktop.inference.machine.corrections import Corrections, CorrectionsFile
from desktop.inference.machine.machine import BandwidthReading
from desktop.inference.machine.probe_processor import read_processor
from desktop.inference.memory_fit.history import History
from tests.fakes.gguf_writer import NewTensor, small_llama, small_tensors, write_gguf

Ran = Any


@pytest.fixture(autouse=True)
def quick_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A known memory speed instead of a measurement, and nobody's real models."""
    reading = BandwidthReading(30.0, 2, "2026-11-30T09:00:00+00:00", False, (30.0,))
    monkeypatch.setattr("desktop.inference.machine.bandwidth.measure_bandwidth", lambda threads: reading)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "person")


def _model(path: Path) -> Path:
    return write_gguf(path, small_llama(), small_tensors())


def test_that_no_models_are_said_with_the_folder_to_use(packbench: Callable[..., Ran]) -> None:
    ran = packbench("models")
    assert ran.code == 0
    assert "This computer" in ran.out
    assert "No models were found." in ran.out
    assert str(user_paths().models) in ran.out.replace("\n", "")


def test_that_models_of_all_places_are_listed_with_need_and_verdict(
    packbench: Callable[..., Ran], tmp_path: Path
) -> None:
    _model(user_paths().models / "own-1B-Q4_0.gguf")
    _model(tmp_path / "person/.lmstudio/models/maker/repo/other-Q4_0.gguf")
    broken = user_paths().models / "page.gguf"
    broken.write_text("<html>")
    ran = packbench("models", "--context", "2048")
    assert ran.code == 0
    assert "own-1B-Q4_0" in ran.out
    assert "LM Studio" in ran.out
    assert "comfortable" in ran.out
    assert "page: page.gguf is a web page" in ran.out


def test_that_the_document_has_every_figure_and_nulls_for_the_unknown(packbench: Callable[..., Ran]) -> None:
    _model(user_paths().models / "own-Q4_0.gguf")
    ran = packbench("models", "--catalogue", "--json")
    document = json.loads(ran.out)
    (model,) = document["models"]
    assert model["verdict"] == "comfortable"
    assert model["licence"] == "apache-2.0"
    assert model["measured"] is None
    assert model["arithmetic"]["need_mib"] > 20
    assert model["expected_tokens_per_second"][0] > 0
    assert document["machine"]["memory"]["available_mib"] > 0
    assert len(document["catalogue"]) > 25
    assert all(entry["source"] for entry in document["catalogue"])


def test_that_copies_are_listed_once_with_their_places(packbench: Callable[..., Ran], tmp_path: Path) -> None:
    _model(user_paths().models / "own-Q4_0.gguf")
    _model(tmp_path / "person/.lmstudio/models/maker/repo/same-Q4_0.gguf")
    ran = packbench("models", "--json")
    (model,) = json.loads(ran.out)["models"]
    assert [place["owner"] for place in model["places"]] == ["Packbench", "LM Studio"]
    assert model["digest"].startswith("sha256:")
    assert "compared once" in ran.err
    ran = packbench("models")
    assert "same-Q4_0" not in ran.out
    assert "Packbench, LM Studio" in ran.out
    assert "compared once" not in ran.err


def test_that_an_estimate_is_called_one(packbench: Callable[..., Ran]) -> None:
    plain = small_llama()
    odd = {key.replace("llama.", "quux."): value for key, value in plain.items()}
    write_gguf(user_paths().models / "odd.gguf", odd | {"general.architecture": "quux"}, small_tensors())
    assert "a wider estimate" in packbench("models").out


def test_that_a_smaller_quantization_from_the_catalogue_is_named(
    packbench: Callable[..., Ran], tmp_path: Path
) -> None:
    CorrectionsFile(user_paths().config).write(Corrections(memory_mib=2_048))
    heavy = [NewTensor("token_embd.weight", (64, 64), "Q8_0"), NewTensor("blk.0.ffn_up.weight", (2**20, 1024))]
    path = write_gguf(tmp_path / "Qwen3-0.6B-F32.gguf", small_llama(), heavy)
    ran = packbench("fit", str(path))
    assert ran.code == 1
    assert "it would fit if you take Q8_0" in " ".join(ran.out.split())
    (remedy,) = json.loads(packbench("fit", str(path), "--json").out)["remedies"]
    assert (remedy["kind"], remedy["quantization"]) == ("smaller_quantization", "Q8_0")


def test_that_a_disturbed_measurement_of_the_memorys_speed_is_repeated(packbench: Callable[..., Ran]) -> None:
    disturbed = BandwidthReading(5.0, read_processor().threads, "2026-11-29T09:00:00+00:00", True, (5.0,))
    BandwidthFile(user_paths().cache).write(disturbed)
    assert json.loads(packbench("models", "--json").out)["machine"]["memory_speed_gbps"] == 30.0


def test_that_a_file_is_told_part_by_part(packbench: Callable[..., Ran], tmp_path: Path) -> None:
    ran = packbench("fit", str(_model(tmp_path / "m.gguf")), "--context", "4096")
    assert ran.code == 0
    for message in ("weights", "chat memory, 4,096 tokens", "working memory", "program", "needed"):
        assert message in ran.out


def test_that_a_context_beyond_the_trained_one_is_said(packbench: Callable[..., Ran], tmp_path: Path) -> None:
    ran = packbench("fit", str(_model(tmp_path / "m.gguf")), "--context", "8192")
    assert "trained with 4,096 tokens" in ran.out


def test_that_what_cannot_fit_ends_with_1(packbench: Callable[..., Ran], tmp_path: Path) -> None:
    huge = small_llama(**{"llama.embedding_length": 8_000_000, "llama.context_length": 131_072})
    path = write_gguf(tmp_path / "m.gguf", huge, small_tensors())
    ran = packbench("fit", str(path), "--context", "131072")
    assert ran.code == 1
    assert "Does not fit" in ran.out


def test_that_the_short_rule_can_be_asked_for(packbench: Callable[..., Ran], tmp_path: Path) -> None:
    path = str(_model(tmp_path / "m.gguf"))
    document = json.loads(packbench("fit", path, "--rule", "simple", "--json").out)
    assert document["rule"] == "simple"
    assert document["verdict"] == "fits"
    assert document["predicted_mib"] == pytest.approx(1024 + 2 * 2 * 32 * 4096 * 2 / 2**20, abs=0.2)
    assert "short rule" in packbench("fit", path, "--rule", "simple").out


def test_that_a_broken_file_is_an_error_with_a_sentence(packbench: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    ran = packbench("fit", str(tmp_path / "m.gguf"))
    assert ran.code != 0
    assert "ends in the middle of its header" in ran.err
    assert "Traceback" not in ran.err


def test_that_looking_at_models_leaves_no_history_without_runs(packbench: Callable[..., Ran]) -> None:
    packbench("models")
    assert History(user_paths().data).latest() == {}
