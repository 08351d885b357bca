"""Going on with a run: only what is missing, and only if all is as it was."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.inference.backends.base import FaultKind
from desktop.runs.control import RunControl
from desktop.runs.engine import RunEnd
from desktop.runs.events import RunStarted, UnitFinished
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import CandidateStatus, RunStatus
from desktop.runs.resume import go_on, newest_resumable
from desktop.runs.settings import RunSettings
from packs.errors import AppError
from packs.task.outcome import Cause
from tests.fakes.fake_backend import Answer, FakeBackend, fault
from tests.fakes.plain_work import PlainWork
from tests.fakes.runs import Told, finished_keys, model, setup_for, started


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def reader(journal: Path) -> Iterator[JournalReader]:
    with JournalReader(journal) as opened:
        yield opened


def stopped_run(
    journal: Path, after: int = 2, settings: RunSettings | None = None
) -> tuple[FakeBackend, RunEnd]:
    """A run of two models over three examples that was stopped after so many units."""
    backend = FakeBackend([model("large", size_bytes=9), model("small", size_bytes=1)])
    control = RunControl()
    reported = Told()

    def look(event: object) -> None:
        if isinstance(event, UnitFinished) and len(reported.of(UnitFinished)) == after:
            control.stop()

    reported.on_event = look
    return backend, asyncio.run(started(PlainWork(3), backend, journal, reported, settings, control))


def resumed(
    journal: Path,
    run_id: str,
    backend: FakeBackend,
    work: PlainWork | None = None,
    reported: Told | None = None,
    *,
    retry_failed: bool = False,
) -> RunEnd:
    reported = reported or Told()
    present = work or PlainWork(3)
    return asyncio.run(
        go_on(run_id, lambda _: present, setup_for(backend, journal, reported), retry_failed=retry_failed)
    )


def test_that_a_resumed_run_asks_only_what_is_missing(journal: Path, reader: JournalReader) -> None:
    backend, end = stopped_run(journal, after=2)
    reported = Told()
    again = resumed(journal, end.run_id, backend, reported=reported)
    assert again.run_id == end.run_id
    assert again.message == "6 of 6 units completed."
    assert [(key.candidate, key.example) for key in finished_keys(reported)] == [
        (0, "0003"),
        (1, "0001"),
        (1, "0002"),
        (1, "0003"),
    ]
    assert reported.of(RunStarted)[0].units_done == 2
    assert reader.summary(end.run_id).status is RunStatus.FINISHED


def test_that_the_newest_run_with_something_left_is_offered(journal: Path, reader: JournalReader) -> None:
    assert newest_resumable(reader) is None
    backend, end = stopped_run(journal)
    assert newest_resumable(reader) == end.run_id
    resumed(journal, end.run_id, backend)
    assert newest_resumable(reader) is None


def test_that_a_run_killed_after_its_last_unit_is_finished_by_resuming(
    journal: Path, reader: JournalReader
) -> None:
    backend, end = stopped_run(journal)
    resumed(journal, end.run_id, backend)
    with JournalWriter(journal) as writer:
        writer.update_run(end.run_id, status=RunStatus.RUNNING)
    assert reader.summary(end.run_id).status is RunStatus.INTERRUPTED
    assert newest_resumable(reader) == end.run_id
    assert resumed(journal, end.run_id, backend).status is RunStatus.FINISHED


def test_that_failed_units_are_run_again_only_when_asked(journal: Path, reader: JournalReader) -> None:
    failing = {"on": True}

    def special(word: str, nth: int) -> Answer | None:
        return Answer(fault=fault(FaultKind.SERVER_ERROR)) if word == "0002" and failing["on"] else None

    backend = FakeBackend([model(special=special)])
    end = asyncio.run(started(PlainWork(3), backend, journal, Told(), RunSettings(cold=True)))
    failing["on"] = False
    reported = Told()
    resumed(journal, end.run_id, backend, reported=reported)
    assert finished_keys(reported) == []
    resumed(journal, end.run_id, backend, reported=reported, retry_failed=True)
    assert [key.example for key in finished_keys(reported)] == ["0002"]
    assert [row.cause for row in reader.units(end.run_id)] == [Cause.CORRECT] * 3


def test_that_a_candidate_out_of_memory_is_tried_again_only_when_asked(
    journal: Path, reader: JournalReader
) -> None:
    backend = FakeBackend([model(load_fault=fault(FaultKind.OUT_OF_MEMORY))])
    end = asyncio.run(started(PlainWork(2), backend, journal, Told()))
    backend.models[0].load_fault = None
    resumed(journal, end.run_id, backend)
    assert reader.candidates(end.run_id)[0].status is CandidateStatus.OOM
    resumed(journal, end.run_id, backend, retry_failed=True)
    assert reader.candidates(end.run_id)[0].status is CandidateStatus.COMPLETED
    assert reader.summary(end.run_id).completed == 2


def drift(journal: Path, run_id: str, backend: FakeBackend, work: PlainWork | None = None) -> str:
    with pytest.raises(AppError) as caught:
        resumed(journal, run_id, backend, work)
    assert caught.value.code == "drift"
    assert "new run" in caught.value.fix
    return caught.value.message


def test_that_a_changed_pack_is_refused(journal: Path) -> None:
    backend, end = stopped_run(journal)
    assert "pack's files have changed" in drift(
        journal, end.run_id, backend, PlainWork(3, fingerprint="0" * 64)
    )


def test_that_a_pack_that_is_gone_is_refused(journal: Path) -> None:
    backend, end = stopped_run(journal)
    with pytest.raises(AppError, match="cannot be read"):
        asyncio.run(go_on(end.run_id, lambda _: None, setup_for(backend, journal, Told())))


def test_that_another_engine_version_is_refused_with_both_named(journal: Path) -> None:
    backend, end = stopped_run(journal)
    backend.version_text = "fake 2"
    message = drift(journal, end.run_id, backend)
    assert "fake 1" in message and "fake 2" in message


def test_that_another_backend_is_refused(journal: Path) -> None:
    backend, end = stopped_run(journal)
    backend.name = "other"
    assert "other" in drift(journal, end.run_id, backend)


def test_that_changed_weights_are_refused_before_or_when_they_are_loaded(
    journal: Path, reader: JournalReader
) -> None:
    backend, end = stopped_run(journal)
    backend.models[0].digest = "sha256:" + "1" * 64
    assert "large has other weights" in drift(journal, end.run_id, backend)

    class SaysLate(FakeBackend):
        async def list_models(self) -> list[object]:  # type: ignore[override]
            return []

    late = SaysLate(backend.models)
    assert "weights have changed" in drift(journal, end.run_id, late)
    assert late.loaded is None
    assert reader.summary(end.run_id).pending == 4


def test_that_a_model_that_is_gone_is_refused_instead_of_failing_its_units(
    journal: Path, reader: JournalReader
) -> None:
    backend, end = stopped_run(journal)
    small = backend.models[1]
    backend.models = [small]
    assert "large is not there any more" in drift(journal, end.run_id, backend)
    assert reader.summary(end.run_id).pending == 4
    assert reader.summary(end.run_id).status is RunStatus.STOPPED
    with JournalWriter(journal) as writer:
        writer.connection.execute("UPDATE candidates SET path = '/gone/large.gguf' WHERE position = 0")
    assert "/gone/large.gguf" in drift(journal, end.run_id, backend)


def test_that_a_changed_or_missing_configuration_is_refused(journal: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_bytes(b"backend: ollama\n")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    settings = RunSettings(config_path=str(file), config_sha256=digest)
    backend, end = stopped_run(journal, settings=settings)
    file.write_bytes(b"backend: anthropic\n")
    assert "configuration has changed" in drift(journal, end.run_id, backend)
    file.unlink()
    assert "configuration is gone" in drift(journal, end.run_id, backend)


def test_that_everything_that_changed_is_named_at_once(journal: Path) -> None:
    backend, end = stopped_run(journal)
    backend.version_text = "fake 2"
    backend.models[0].digest = "sha256:" + "1" * 64
    message = drift(journal, end.run_id, backend, PlainWork(3, fingerprint="0" * 64))
    assert message.count(";") == 2


def test_that_answers_started_from_a_prefix_and_from_nothing_are_not_mixed(
    journal: Path, reader: JournalReader
) -> None:
    backend, end = stopped_run(journal)
    backend.primes = False
    resumed(journal, end.run_id, backend)
    large, small = reader.candidates(end.run_id)
    assert (large.status, small.status) == (CandidateStatus.COMPLETED, CandidateStatus.COMPLETED)
    assert "could not be restored" in large.reason
    assert [row.cause for row in reader.units(end.run_id, 0)][2:] == [Cause.NOT_RUN]
    assert [row.cause for row in reader.units(end.run_id, 1)] == [Cause.CORRECT] * 3


def test_that_prompts_read_whole_before_are_read_whole_afterwards(journal: Path) -> None:
    backend, end = stopped_run(journal, settings=RunSettings(cold=True))
    resumed(journal, end.run_id, backend)
    assert not any(request.reuse_prefix for request in backend.requests)


def test_that_a_resumed_run_keeps_its_number_of_threads(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.runs.candidate_run.default_threads", lambda: 3)
    backend, end = stopped_run(journal)
    monkeypatch.setattr("desktop.runs.candidate_run.default_threads", lambda: 5)
    resumed(journal, end.run_id, backend)
    assert [settings.threads for settings in backend.loads] == [3, 3, 5]


def test_that_an_unknown_run_is_told(journal: Path) -> None:
    backend, _ = stopped_run(journal)
    with pytest.raises(AppError) as caught:
        resumed(journal, "ffff", backend)
    assert caught.value.code == "unknown_run"


def test_that_adaptive_repetition_compares_with_answers_of_the_earlier_session(
    journal: Path, reader: JournalReader
) -> None:
    backend = FakeBackend([model()])
    control, reported = RunControl(), Told()

    def look(event: object) -> None:
        if isinstance(event, UnitFinished) and len(reported.of(UnitFinished)) == 6:
            control.stop()

    reported.on_event = look
    settings = RunSettings(adaptive=True)
    work = PlainWork(10, repetitions=3)
    end = asyncio.run(started(work, backend, journal, reported, settings, control))
    resumed(journal, end.run_id, backend, work)
    assert len(reader.units(end.run_id)) == 15
    assert reader.candidates(end.run_id)[0].repetitions_stopped
