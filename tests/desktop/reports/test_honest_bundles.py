"""A bundle of any honest run verifies: what went wrong in the run is no sign that somebody changed it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop.application.run_tasks import load_work
from desktop.inference.backends.base import FaultKind
from desktop.reports.bundle import render_bundle
from desktop.reports.gather import gather
from desktop.reports.verify_whole import verify_whole
from desktop.runs.control import RunControl
from desktop.runs.journal.reader import JournalReader
from desktop.runs.settings import RunSettings
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel, fault
from tests.fakes.runs import Told, started

GONE = fault(FaultKind.SERVER_ERROR, "the server said no")
MEMORY = fault(FaultKind.OUT_OF_MEMORY)

RUNS: dict[str, tuple[Sequence[FakeModel], int, RunSettings]] = {
    "faults in answers": (
        [
            desk_model(
                said={
                    1: Answer("oth", fault=GONE, fault_after=1),
                    2: "",
                    3: Answer("x", finish_reason="length"),
                }
            )
        ],
        1,
        RunSettings(),
    ),
    "one model does not load": ([desk_model("good"), desk_model("large", load_fault=MEMORY)], 1, RunSettings()),
    "three models, two repetitions": (
        [desk_model("a"), desk_model("b", {1: "other"}), desk_model("c", {2: "**other**", 4: "no"})],
        2,
        RunSettings(repetitions=2),
    ),
    "nothing is known of memory or speed": (
        [desk_model("a", {n: Answer("billing", ttft_ms=None, tokens_per_second=None) for n in range(1, 7)})],
        1,
        RunSettings(),
    ),
    "all fail": ([desk_model("a", load_fault=MEMORY)], 1, RunSettings()),
    "one name twice in another case": ([desk_model("Model"), desk_model("model", {1: "x"})], 1, RunSettings()),
}


@pytest.mark.parametrize("with_inputs", [True, False], ids=["with inputs", "without"])
@pytest.mark.parametrize("name", RUNS)
def test_that_an_honest_bundle_verifies_however_its_run_went(
    name: str, with_inputs: bool, tmp_path: Path
) -> None:
    models, repetitions, settings = RUNS[name]
    work, _ = load_work(write_desk_pack(tmp_path / "desk", repetitions=repetitions))
    end = asyncio.run(started(work, FakeBackend(list(models)), tmp_path / "runs.db", Told(), settings))
    verify(tmp_path, end.run_id, with_inputs)


def test_that_an_honest_bundle_of_a_stopped_run_verifies(tmp_path: Path) -> None:
    work, _ = load_work(write_desk_pack(tmp_path / "desk"))
    control = RunControl()

    class StopsAfterTwo(Told):
        def __call__(self, event: object) -> None:
            super().__call__(event)  # type: ignore[arg-type]
            if len([one for one in self.events if type(one).__name__ == "UnitFinished"]) == 2:
                control.stop()

    end = asyncio.run(
        started(
            work,
            FakeBackend([desk_model(), desk_model("b")]),
            tmp_path / "runs.db",
            StopsAfterTwo(),
            control=control,
        )
    )
    verify(tmp_path, end.run_id, True)


def verify(folder: Path, run_id: str, with_inputs: bool) -> None:
    with JournalReader(folder / "runs.db") as reader:
        content = render_bundle(
            gather(reader, run_id, created_at="2026-11-30T12:00:00Z"), with_inputs=with_inputs
        )
    path = folder / "bundle.zip"
    path.write_bytes(content)
    found = verify_whole(path)
    assert found.good, found.differences
