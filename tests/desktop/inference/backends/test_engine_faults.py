"""The engine's words and its exit, translated."""

from __future__ import annotations

import signal

import pytest

from desktop.inference.backends.base import FaultKind
from desktop.inference.backends.engine_faults import exit_fault, load_fault, own_text


@pytest.mark.parametrize(
    "last", ["", "gguf_init_from_file: failed to open GGUF file 'x' (No such file or directory)"]
)
@pytest.mark.parametrize(
    "refused",
    [
        "gguf_init_from_reader: number of key value pairs is -1 but must be in [0, 288230376151711743]",
        "gguf_init_from_reader: alignment 3 is not a power of 2",
        "gguf_init_from_reader: key 'general.alignment' must be of type u32 but is str",
        "gguf_init_from_reader: key 'general.file_type' has invalid GGUF type 99",
        "gguf_init_from_reader: duplicate key 'general.name' for KV pair 2",
        "gguf_init_from_reader: tensor 'a' has invalid number of dimensions: 9 > 4",
        "gguf_init_from_reader: tensor 'a' dimension 0 has invalid number of elements: -5 < 0",
        "tensor 'a' of type 4 (DEPRECATED) has 64 elements per row, not a multiple of block size (0)",
        "error loading model: error loading model hyperparameters: invalid n_rot: 7, expected 16",
        "error loading model: key general.architecture has wrong type u32 but expected type str",
        "error loading model: check_tensor_dims: tensor 'a' has wrong shape; expected 64, got 0",
        "error loading model: error loading model vocabulary: unknown tokenizer: 'nosuch'",
    ],
)
def test_that_a_file_refused_for_its_values_is_told_to_be_refused_for_them(refused: str, last: str) -> None:
    fault = load_fault("my-model", f"0.00.001 E {refused}\n0.00.002 E {last}\n", 4)
    assert fault.kind is FaultKind.BAD_MODEL_FILE
    assert "values" in fault.message
    assert refused in fault.detail


@pytest.mark.parametrize(
    ("message", "kind", "reported"),
    [
        (
            "gguf_init_from_file: failed to open GGUF file 'x' (No such file or directory)",
            "bad_model_file",
            "not there",
        ),
        (
            "ImportError: libgomp.so.1: cannot open shared object file: No such file or directory",
            "not_supported",
            "system library",
        ),
        (
            "tensor 'blk.11' data is not within the file bounds, model is corrupted or incomplete",
            "bad_model_file",
            "cut",
        ),
        ("gguf_init_from_reader: invalid magic characters: 'XXXX'", "bad_model_file", "no GGUF"),
        (
            "this GGUF file is version 9 but this software only supports up to version 3",
            "bad_model_file",
            "version",
        ),
        ("error loading model: unknown model architecture: 'zlama'", "bad_model_file", "kind of model"),
        ("load_all_data: tensor 'blk.2' has invalid data", "bad_model_file", "damaged"),
        ("common_chat_templates_init: failed to initialize chat template", "bad_model_file", "chat template"),
        ("gguf_init_from_reader: failed to read key-value pairs", "bad_model_file", "incomplete"),
        ("error loading model: mmap failed: Cannot allocate memory", "out_of_memory", "memory"),
        ("error loading model: Resource temporarily unavailable", "out_of_memory", "memory"),
        (
            "ggml_aligned_malloc: insufficient memory (attempted to allocate 351562.50 MB)",
            "out_of_memory",
            "memory",
        ),
        ("couldn't bind HTTP server socket", "not_reachable", "port"),
        ("", "server_error", "did not say why"),
    ],
)
def test_that_a_failed_load_is_named_by_the_engines_words(message: str, kind: str, reported: str) -> None:
    fault = load_fault(
        "my-model", f"0.00.001.896 E {message}\n0.00.002.0 E srv load_model: failed to load model", 4
    )
    assert fault.kind.value == kind
    assert reported in fault.message
    assert fault.fix


@pytest.mark.parametrize(
    ("code", "short", "kind"),
    [
        (-signal.SIGKILL, False, FaultKind.CRASHED),
        (-signal.SIGKILL, True, FaultKind.OUT_OF_MEMORY),
        (137, True, FaultKind.OUT_OF_MEMORY),
        (-signal.SIGSEGV, True, FaultKind.CRASHED),
        (-signal.SIGABRT, False, FaultKind.CRASHED),
        (-signal.SIGILL, False, FaultKind.NOT_SUPPORTED),
        (0xC000001D, False, FaultKind.NOT_SUPPORTED),
        (0xC0000005, False, FaultKind.CRASHED),
        (1, False, FaultKind.CRASHED),
        (-99, False, FaultKind.CRASHED),
    ],
)
def test_that_an_engine_that_went_away_is_named_by_its_exit(code: int, short: bool, kind: FaultKind) -> None:
    fault = exit_fault("my-model", "", code, memory_was_short=short)
    assert fault.kind is kind
    assert "signal" in fault.detail or "exit code" in fault.detail


def test_that_an_abort_over_memory_is_told_as_memory() -> None:
    message = "terminate called after throwing an instance of 'std::bad_alloc'"
    assert exit_fault("m", message, -signal.SIGABRT).kind is FaultKind.OUT_OF_MEMORY


def test_that_a_process_that_died_while_loading_is_told_by_its_exit() -> None:
    assert load_fault("m", "", -signal.SIGSEGV).kind is FaultKind.CRASHED
    assert load_fault("m", "", -signal.SIGKILL, memory_was_short=True).kind is FaultKind.OUT_OF_MEMORY


def test_that_the_engines_words_come_without_stamps_repeats_and_noise() -> None:
    message = "0.00.1.2 E bad\n0.00.1.3 E bad\n0.00.1.4 E srv: exiting due to model loading error\n\nworse"
    assert own_text(message) == "bad\nworse"
    assert len(own_text("x\n" * 10 + "y" * 10_000)) <= 2000
