"""Whole runs over the engine that comes along: deadlines, order and resuming with a real model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from desktop.inference.backends.embedded import EmbeddedBackend
from desktop.runs.control import RunControl
from desktop.runs.engine import RunEnd, start
from desktop.runs.events import Activity, RunEvent, RunFinished, TextArrived, UnitFinished, UnitStarted
from desktop.runs.journal.reader import JournalReader
from desktop.runs.plan import make_plan
from desktop.runs.records import CandidateStatus, RunStatus, UnitStatus
from desktop.runs.resume import go_on
from desktop.runs.settings import RunSettings
from desktop.runs.setup import RunSetup
from desktop.runs.task_work import TaskWork
from packs.task.loader import load_pack_from_files
from packs.task.outcome import Cause
from tests.fakes.runs import QuietComputer, Told

pytestmark = pytest.mark.engine

MANIFEST = """
name: sorting
type: classification
scorer: exact-label
scorer_params: {{labels: [billing, access, delivery]}}
generation: {{context: {context}, max_tokens: {max_tokens}, temperature: 0, seed: 7, runs_per_example: 1}}
prompt_template: prompt.md
examples_dir: examples
"""
RULES = "Bills and refunds are billing. Passwords are access. Parcels are delivery. "
INPUTS = ("I was charged twice", "I cannot log in", "My parcel is late", "Refund me", "Reset fails", "It broke")


def work(*, max_tokens: int = 8, context: int = 2048, long_input: int = 0, rules: int = 2) -> TaskWork:
    """Six short messages after a shared beginning; long_input: words added to each message."""
    files = {
        "task.yaml": MANIFEST.format(max_tokens=max_tokens, context=context).encode(),
        "prompt.md": f"Sort the message. {RULES * rules}\n\nMessage: {{{{input}}}}\n\nLabel:".encode(),
    }
    for number, text in enumerate(INPUTS, 1):
        whole = text + " and so on" * long_input
        files[f"examples/{number}.json"] = f'{{"input": "{whole}", "expected": "billing"}}'.encode()
    loaded = load_pack_from_files(files)
    assert loaded.pack is not None, loaded.problems
    return TaskWork(loaded.pack)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def reader(journal: Path) -> Iterator[JournalReader]:
    with JournalReader(journal) as opened:
        yield opened


def setup(files: list[Path], journal: Path, reported: Told, control: RunControl | None = None) -> RunSetup:
    return RunSetup(
        EmbeddedBackend([], files),
        journal,
        on_event=reported,
        control=control or RunControl(),
        surroundings=QuietComputer(),
    )


def run(
    files: list[Path],
    journal: Path,
    reported: Told,
    pack: TaskWork,
    settings: RunSettings | None = None,
    control: RunControl | None = None,
) -> RunEnd:
    async def whole() -> RunEnd:
        made = setup(files, journal, reported, control)
        chosen = settings or RunSettings()
        return await start(pack, make_plan(pack, await made.backend.list_models(), chosen), chosen, made)

    return asyncio.run(whole())


def texts(reader: JournalReader, run_id: str) -> dict[str, str]:
    return {answer.key.example: answer.text for answer in reader.answers(run_id)}


def is_moment(event: RunEvent, moment: str) -> bool:
    if moment == "writing":
        return isinstance(event, TextArrived)
    return isinstance(event, Activity) and event.message.startswith("reading the prompt")


PIECES_UNDER_WAY = 20
"""Of 200: what the engine has already written when it is told to end."""


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def test_that_a_stopped_and_resumed_run_gives_the_bytes_of_an_undisturbed_one(
    starter_model: Path, journal: Path, reader: JournalReader
) -> None:
    pack, reported, control = work(), Told(), RunControl()
    whole = run([starter_model], journal, Told(), pack)

    def stop_after_two(event: RunEvent) -> None:
        if isinstance(event, UnitFinished) and event.key.example == "2":
            control.stop()

    reported.on_event = stop_after_two
    broken = run([starter_model], journal, reported, pack, None, control)
    assert broken.status is RunStatus.STOPPED
    asyncio.run(go_on(broken.run_id, lambda _: pack, setup([starter_model], journal, Told())))
    assert texts(reader, broken.run_id) == texts(reader, whole.run_id)
    assert len(texts(reader, whole.run_id)) == 6
    assert all(row.cold is False for row in reader.units(whole.run_id))
    candidate = reader.candidates(whole.run_id)[0]
    assert candidate.status is CandidateStatus.COMPLETED
    assert candidate.peak_mib is not None and candidate.peak_mib > 100
    assert candidate.memory_method
    assert candidate.digest is not None
    assert children() == []


@pytest.mark.parametrize("moment", ["reading", "writing"])
def test_that_stopping_ends_the_answer_under_way_and_frees_the_engine(
    starter_model: Path, journal: Path, reader: JournalReader, moment: str
) -> None:
    reported, control = Told(), RunControl()
    seen: list[int] = []

    def stop(event: RunEvent) -> None:
        reading = isinstance(event, Activity) and event.message.startswith("reading the prompt")
        if (
            not seen
            and reported.of(UnitStarted)
            and (reading if moment == "reading" else isinstance(event, TextArrived))
        ):
            seen.append(len(reported.of(TextArrived)))
            control.stop()

    reported.on_event = stop
    pack = work(max_tokens=200, long_input=130 if moment == "reading" else 0)
    settings = RunSettings(health_check=False, cold=True)
    end = run([starter_model], journal, reported, pack, settings, control)
    assert end.status is RunStatus.STOPPED
    assert children() == []
    assert len(reported.of(TextArrived)) - seen[0] <= (PIECES_UNDER_WAY if moment == "writing" else 0)
    assert not reported.of(UnitFinished)
    assert isinstance(reported.events[-1], RunFinished)


@pytest.mark.parametrize("moment", ["reading", "writing"])
def test_that_skipping_a_unit_ends_its_answer_and_the_next_one_is_answered(
    starter_model: Path, journal: Path, reader: JournalReader, moment: str
) -> None:
    reported, control = Told(), RunControl()
    seen: dict[str, int] = {}

    def skip(event: RunEvent) -> None:
        match event:
            case UnitFinished(key) if key.example == "1":
                seen["skipped"] = len(reported.of(TextArrived))
            case UnitFinished(key) if key.example == "2":
                control.stop()
        if "asked" not in seen and reported.of(UnitStarted) and is_moment(event, moment):
            seen["asked"] = len(reported.of(TextArrived))
            control.skip_unit(reported.of(UnitStarted)[-1].key)

    reported.on_event = skip
    pack = work(max_tokens=200, long_input=130 if moment == "reading" else 0)
    end = run([starter_model], journal, reported, pack, RunSettings(health_check=False, cold=True), control)
    rows = reader.units(end.run_id)
    assert (rows[0].status, rows[0].cause) == (UnitStatus.SKIPPED, Cause.CANCELLED)
    assert rows[1].status is UnitStatus.COMPLETED
    assert seen["skipped"] - seen["asked"] <= (PIECES_UNDER_WAY if moment == "writing" else 0)


def test_that_a_broken_file_among_good_ones_is_named_and_the_rest_is_run(
    starter_model: Path, journal: Path, reader: JournalReader, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.gguf"
    with starter_model.open("rb") as source:
        cut.write_bytes(source.read(20 * 2**20))
    reported = Told()
    end = run([starter_model, cut], journal, reported, work(), RunSettings(limit=2))
    by_name = {record.name: record for record in reader.candidates(end.run_id)}
    assert end.status is RunStatus.FINISHED
    if "cut" in by_name:
        assert by_name["cut"].status is CandidateStatus.FAILED
        assert by_name["cut"].reason
    else:
        left_out = reader.run(end.run_id).settings["left_out"]
        assert isinstance(left_out, list) and left_out[0][0] == "cut" and left_out[0][2]
    sound = next(record for record in by_name.values() if record.name != "cut")
    assert sound.status is CandidateStatus.COMPLETED


def test_that_constrained_answers_are_labels(starter_model: Path, journal: Path, reader: JournalReader) -> None:
    end = run([starter_model], journal, Told(), work(), RunSettings(constrained=True, limit=3))
    assert set(texts(reader, end.run_id).values()) <= {"billing", "access", "delivery"}
    assert len(texts(reader, end.run_id)) == 3
