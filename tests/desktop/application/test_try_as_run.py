"""*Try it* and a run: the same request from the same shared beginning, and so the same answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop.application.services import Services
from desktop.application.try_examples import TryModel, models_to_try, try_examples
from desktop.foundation.cancel import CancelToken
from desktop.foundation.paths import user_paths
from desktop.inference.backends.base import Backend, FaultKind, PrimedPrefix
from desktop.runs.engine import start
from desktop.runs.journal.reader import JournalReader
from desktop.runs.plan import make_plan
from desktop.runs.settings import RunSettings
from desktop.runs.task_work import TaskWork
from packs.task.content import read_content
from packs.task.loader import load_pack_from_files
from packs.task.trial import trial_of
from tests.fakes.desk_pack import write_desk_pack
from tests.fakes.fake_backend import FakeBackend, fault
from tests.fakes.runs import Told, model, setup_for

EXAMPLE = "001"


class Noting(FakeBackend):
    """Notes the prompts that a shared beginning is looked for in."""

    prompts: Sequence[str] = ()

    async def prime(self, prompts: Sequence[str]) -> PrimedPrefix | None:
        self.prompts = tuple(prompts)
        return await super().prime(prompts)


def work_of(pack: Path) -> TaskWork:
    loaded = load_pack_from_files(read_content(pack).files, pack).pack
    assert loaded is not None
    return TaskWork(loaded)


def run_all(pack: Path, backend: Backend, journal: Path, wanted: Sequence[str] = ()) -> None:
    async def run() -> None:
        work, settings = work_of(pack), RunSettings(models=tuple(wanted), health_check=False)
        plan = make_plan(work, await backend.list_models(), settings)
        await start(work, plan, settings, setup_for(backend, journal, Told()))

    asyncio.run(run())


def tried(pack: Path, asked: TryModel, services: Services) -> list[str]:
    texts: list[str] = []
    trial = trial_of(read_content(pack), [f"examples/{EXAMPLE}.json"], pack)
    assert try_examples(trial, asked, services, lambda answer: texts.append(answer.text), CancelToken()) == 1
    return texts


@pytest.mark.parametrize("primes, attempts", [(True, 0), (False, 0), (True, 2)])
def test_that_an_example_tried_is_asked_as_in_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, primes: bool, attempts: int
) -> None:
    """Also where the backend cannot keep the beginning, or failed over it twice."""
    pack = write_desk_pack(tmp_path / "desk")
    faults = [fault(FaultKind.SERVER_ERROR) for _ in range(attempts)]
    running, trying = (Noting([model("m")], primes=primes, prime_faults=list(faults)) for _ in range(2))
    run_all(pack, running, tmp_path / "runs.db")
    monkeypatch.setattr(Services, "backend", lambda *_place, **_how: trying)
    tried(pack, TryModel(model("m").ref()), Services(user_paths(), {}))
    request = trying.requests[-1]
    prompt = work_of(pack).prompt(EXAMPLE)
    in_the_run = [entry for entry in running.requests if entry.prompt == prompt][-1]
    assert request == in_the_run
    assert request.reuse_prefix is (primes and not attempts)
    assert trying.prompts == running.prompts
    assert len(trying.prompts) > 1
    assert trying.loads[-1] == running.loads[-1]


@pytest.mark.engine
def test_that_the_built_in_engine_answers_the_same_bytes(
    starter_model: Path, tmp_path: Path, own_home: Path
) -> None:
    pack = write_desk_pack(tmp_path / "desk")
    paths = user_paths()
    paths.models.mkdir(parents=True, exist_ok=True)
    (paths.models / starter_model.name).symlink_to(starter_model)
    services = Services(paths, {"PACKBENCH_HOME": str(own_home)})
    (asked,) = models_to_try(services)
    run_all(pack, services.embedded([]), tmp_path / "runs.db")
    with JournalReader(tmp_path / "runs.db") as reader:
        (run,) = reader.runs()
        answers = {answer.key.example: answer.text for answer in reader.answers(run.id)}
    assert tried(pack, asked, services) == [answers[EXAMPLE]]
