"""One model on this machine put into words: files, servers, and what was measured."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from desktop.application.candidate_fit import assessor, facts_of_server, fit_of
from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.ollama import OllamaBackend
from desktop.inference.memory_fit.estimator import Estimator
from desktop.inference.memory_fit.verdict import FitVerdict
from tests.fakes.gguf_writer import small_llama, small_tensors, write_gguf
from tests.fakes.model_service import MACHINE, with_free
from tests.fakes.recorded_server import recorded, recorded_server
from tests.fakes.scripted_server import json_reply


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "m-Q4_0.gguf", small_llama(), small_tensors())


def test_that_a_verdict_comes_with_its_numbers(model_file: Path) -> None:
    fit = fit_of(model_file, 2048, Estimator(MACHINE))
    assert fit.verdict is FitVerdict.COMFORTABLE
    assert fit.message == f"Comfortable: needs {fit.prediction.need / 1024:.2f} GiB, 9.40 GiB are free now."  # type: ignore[union-attr]


def test_that_what_does_not_fit_says_by_how_much_and_what_would_help(tmp_path: Path) -> None:
    wide = small_llama(**{"llama.attention.head_count_kv": 4, "llama.attention.key_length": 2048})
    path = write_gguf(tmp_path / "m-Q4_0.gguf", wide, small_tensors())
    fit = fit_of(path, 65_536, Estimator(with_free(2_000)))
    assert fit.verdict is FitVerdict.NO
    assert "It is short of " in fit.message
    assert "it would fit if you " in fit.message


def test_that_a_broken_file_has_its_sentence_instead(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_text("<html>")
    fit = fit_of(tmp_path / "m.gguf", 2048, Estimator(MACHINE))
    assert fit.verdict is FitVerdict.UNKNOWN
    assert "web page" in fit.message


def test_that_a_model_of_an_interface_elsewhere_has_no_verdict() -> None:
    assess = assessor(Estimator(MACHINE))
    found = assess(ModelRef("anthropic", "some-model", remote=True), 4096)
    assert found.verdict == "not-applicable"
    assert found.predicted_mib is None


def test_that_ollamas_models_are_estimated_from_what_it_tells() -> None:
    answers = {
        "GET /api/tags": recorded("ollama/tags.json"),
        "POST /api/show": recorded("ollama/show.json"),
    }
    with recorded_server(answers) as server:
        backend = OllamaBackend(server.url)
        models = asyncio.run(backend.list_models())
        facts = facts_of_server(backend, models)
    local = next(model for model in models if model.name in facts)
    assess = assessor(Estimator(MACHINE), facts)
    found = assess(local, 2048)
    assert found.verdict == "fits"
    assert "needs about " in found.message
    assert found.arithmetic["estimate"] is True
    weights = (local.size_bytes or 0) / 2**20
    assert found.predicted_mib is not None
    assert weights < found.predicted_mib < weights + 1024


def test_that_what_ollama_tells_for_each_layer_counts() -> None:
    shown = json.loads(b"".join(recorded("ollama/show.json").parts))
    info = shown["model_info"]
    name, layers = info["general.architecture"], info[f"{info['general.architecture']}.block_count"]
    info[f"{name}.attention.head_count_kv"] = [0] * (layers - 1) + [2]
    info["tokenizer.ggml.token_type"] = ["odd", None]
    answers = {"GET /api/tags": recorded("ollama/tags.json"), "POST /api/show": json_reply(shown)}
    with recorded_server(answers) as server:
        backend = OllamaBackend(server.url)
        facts = facts_of_server(backend, asyncio.run(backend.list_models()))
    assert facts
    assert all(found.kv_heads == (0,) * (layers - 1) + (2,) for found in facts.values())


def test_that_a_server_that_tells_nothing_leaves_the_verdict_open() -> None:
    with recorded_server({"GET /api/tags": recorded("ollama/tags.json")}) as server:
        backend = OllamaBackend(server.url)
        models = asyncio.run(backend.list_models())
        assert facts_of_server(backend, models) == {}
