"""A sweep over three model files, one of them corrupt and one too large: it ends with a complete report."""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from desktop.foundation.paths import user_paths
from desktop.inference.machine.corrections import Corrections, CorrectionsFile
from tests.desktop.cli.conftest import Ran
from tests.fakes.engine_models import Shape, write_engine_model

pytestmark = pytest.mark.engine

Packbench = Callable[..., Ran]
SAMPLE = Path(__file__).parents[3] / "packs" / "samples" / "ticket-routing"
LARGE = Shape(
    "llama",
    layers=16,
    embedding=4096,
    heads=32,
    kv_heads=8,
    head_length=128,
    feed_forward=11008,
    vocabulary=32000,
)
"""Some 3 GiB of weights, nearly none of it on the disk."""


@pytest.fixture
def three_files(starter_model: Path) -> None:
    folder = user_paths().models
    folder.mkdir(parents=True)
    shutil.copy(starter_model, folder / "good.gguf")
    whole = starter_model.read_bytes()
    (folder / "corrupt.gguf").write_bytes(whole[: len(whole) // 3])
    write_engine_model(folder / "large.gguf", LARGE)


@contextmanager
def address_space_limited_to(more_mib: int) -> Iterator[None]:
    """Children started meanwhile get no more address space than this process has plus `more_mib`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = psutil.Process().memory_info().vms + more_mib * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def sweep(packbench: Packbench, *more: str) -> dict[str, Any]:
    ran = packbench("run", str(SAMPLE), "--limit", "3", "--repetitions", "1", "--json", *more)
    assert ran.code == 0, ran.err
    report = packbench("report", "last", "--format", "json", "--out", "-")
    reported: dict[str, Any] = json.loads(report.out)
    return reported


def units_of(reported: dict[str, Any], name: str) -> list[dict[str, Any]]:
    number = next(entry["index"] for entry in reported["candidates"] if entry["name"] == name)
    return [unit for unit in reported["units"] if unit["candidate"] == number]


def notes(reported: dict[str, Any]) -> str:
    return "\n".join(reported["run"]["notes"])


def test_that_a_sweep_names_what_is_corrupt_and_what_is_too_large_for_the_limit_that_was_set(
    packbench: Packbench, three_files: None
) -> None:
    CorrectionsFile(user_paths().config).write(Corrections(memory_mib=1500.0))
    reported = sweep(packbench)
    assert [unit["score"] is not None for unit in units_of(reported, "good")] == [True] * 3
    assert "corrupt was left out" in notes(reported)
    assert "large was left out: Does not fit" in notes(reported)


def test_that_a_sweep_forced_over_a_model_that_memory_does_not_hold_ends_with_a_complete_report(
    packbench: Packbench, three_files: None
) -> None:
    with address_space_limited_to(2600):
        reported = sweep(packbench, "--force")
    assert [unit["score"] is not None for unit in units_of(reported, "good")] == [True] * 3
    assert [unit["score"] for unit in units_of(reported, "large")] == [None] * 3
    assert {entry["name"]: entry["status"] for entry in reported["candidates"]} == {
        "good": "completed",
        "large": "oom",
    }
    assert "corrupt was left out" in notes(reported)
