"""What was asked for is made definite, or refused, before anything runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.inference.backends.base import BackendInfo, Capabilities
from desktop.runs.addresses import without_secrets
from desktop.runs.engine import start
from desktop.runs.journal.reader import JournalReader
from desktop.runs.plan import make_plan
from desktop.runs.records import CandidateStatus
from desktop.runs.resolve_settings import settled
from desktop.runs.settings import RunSettings
from packs.errors import AppError
from tests.fakes.fake_backend import FakeBackend
from tests.fakes.plain_work import PlainWork
from tests.fakes.runs import Told, model, setup_for, started


class Wanting(PlainWork):
    wants_constrained = True


class Formless(PlainWork):
    def constraint(self) -> None:
        return None


def test_that_the_engine_on_a_processor_is_not_asked_for_several_answers_at_once() -> None:
    with pytest.raises(AppError) as caught:
        settled(RunSettings(parallel=2), PlainWork(), "embedded")
    assert caught.value.code == "bad_parallel"
    assert settled(RunSettings(parallel=2), PlainWork(), "openai").parallel == 2


def test_that_a_pack_can_ask_for_constrained_answers_itself() -> None:
    assert settled(RunSettings(), Wanting(), "fake").constrained
    assert not settled(RunSettings(), PlainWork(), "fake").constrained


def test_that_a_scorer_without_a_form_refuses_constrained_answers() -> None:
    with pytest.raises(AppError) as caught:
        settled(RunSettings(constrained=True), Formless(), "fake")
    assert caught.value.code == "bad_constrained"


def test_that_a_server_that_cannot_constrain_fails_as_a_candidate_and_says_so(tmp_path: Path) -> None:
    backend = FakeBackend([model()], capabilities=Capabilities())
    end = asyncio.run(started(Wanting(2), backend, tmp_path / "runs.db", Told()))
    with JournalReader(tmp_path / "runs.db") as reader:
        candidate = reader.candidates(end.run_id)[0]
        assert candidate.status is CandidateStatus.FAILED
        assert "cannot limit answers" in candidate.reason
        assert any("limited to the form" in notice for notice in reader.run(end.run_id).notices)


def test_that_a_run_of_several_at_once_says_whose_speed_it_shows(tmp_path: Path) -> None:
    end = asyncio.run(
        started(PlainWork(4), FakeBackend([model()]), tmp_path / "runs.db", Told(), RunSettings(parallel=2))
    )
    with JournalReader(tmp_path / "runs.db") as reader:
        assert "2 answers were asked for at once" in reader.run(end.run_id).notices[0]
        assert reader.run(end.run_id).settings["parallel"] == 2


SECRET = "sk-canary-1234567890"


@pytest.mark.parametrize(
    "address, kept",
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        (f"https://me:{SECRET}@host.example/v1", "https://host.example/v1"),
        (f"https://host/v1?model=a&api-key={SECRET}&x=1", "https://host/v1?model=a&api-key=…&x=1"),
        (f"run p --endpoint http://{SECRET}@host:1/ --limit 2", "run p --endpoint http://host:1/ --limit 2"),
        ("packbench run p --model a@b", "packbench run p --model a@b"),
    ],
)
def test_that_an_address_is_kept_without_its_secrets(address: str, kept: str) -> None:
    assert without_secrets(address) == kept


def test_that_no_secret_of_an_address_reaches_the_journal(tmp_path: Path) -> None:
    address = f"https://me:{SECRET}@host.example/v1?key={SECRET}"
    backend, journal, work = FakeBackend([model()]), tmp_path / "runs.db", PlainWork(2)
    setup = replace(
        setup_for(backend, journal, Told()),
        info=BackendInfo("fake", "fake 1", address),
        command=f"packbench run plain --endpoint {address}",
    )
    settings = RunSettings(endpoint=address)

    async def run() -> None:
        await start(work, make_plan(work, await backend.list_models(), settings), settings, setup)

    asyncio.run(run())
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes()
