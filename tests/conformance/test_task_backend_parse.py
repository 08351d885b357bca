"""Ollama's lines, lists and error bodies, and the format's own memory rule."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.ollama_lines import (
    End,
    Line,
    NotUnderstood,
    OllamaChunk,
    ServerSaysError,
    error_body,
    find_model,
    generate_line,
    model_list,
)
from desktop.inference.backends.server_memory import process_memory_mib
from tests.conformance.vectors_dir import load

CASES: list[dict[str, Any]] = load("task/backend_parse.json") or []


def of(what: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["what"] == what]


def as_case(line: Line) -> dict[str, Any]:
    match line:
        case OllamaChunk():
            return {"kind": "chunk", "text": line.text}
        case End():
            return {
                "kind": "end",
                "stop": line.stop,
                "prompt_tokens": line.prompt_tokens,
                "output_tokens": line.output_tokens,
            }
        case ServerSaysError():
            return {"kind": "error", "message": line.message}
        case NotUnderstood():
            return {"kind": "refused"}


def as_entry(model: ModelRef) -> dict[str, Any]:
    """Unknown is None with us; the cases write it as an empty text or 0."""
    return {
        "name": model.name,
        "digest": model.digest or "",
        "bytes": model.size_bytes or 0,
        "quant": model.quantization,
        "params": model.parameter_count,
        "remote": model.remote,
    }


@pytest.mark.parametrize("case", of("generate_line"), ids=lambda case: case["id"])
def test_that_a_streamed_line_is_read_as_stated(case: dict[str, Any]) -> None:
    assert as_case(generate_line(case["input"])) == case["result"]


@pytest.mark.parametrize("case", of("model_list"), ids=lambda case: case["id"])
def test_that_a_model_list_is_read_as_stated(case: dict[str, Any]) -> None:
    assert [as_entry(model) for model in model_list(case["input"])] == case["result"]


@pytest.mark.parametrize("case", of("find_model"), ids=lambda case: case["id"])
def test_that_a_model_is_found_as_stated(case: dict[str, Any]) -> None:
    found = find_model(model_list(case["input"]), case["name"])
    assert (found.name if found else None) == case["result"]


@pytest.mark.parametrize("case", of("error_body"), ids=lambda case: case["id"])
def test_that_an_error_body_gives_the_servers_words(case: dict[str, Any]) -> None:
    message = error_body(case["input"])
    assert (message or {"empty": True}) == case["result"]


@pytest.mark.parametrize("case", of("process_memory_mib"), ids=lambda case: case["id"])
def test_that_a_process_table_is_summed_as_stated(case: dict[str, Any]) -> None:
    assert process_memory_mib(case["input"], case["hints"]) == case["result"]
