"""Several units in flight against a real llama.cpp server in another process."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop.inference.backends.engine_process import EngineProcess
from desktop.inference.backends.engine_settings import EngineSettings
from desktop.inference.backends.openai_compatible import OpenAiCompatibleBackend
from desktop.runs.engine import RunEnd, start
from desktop.runs.events import UnitFinished, UnitStarted
from desktop.runs.journal.reader import JournalReader
from desktop.runs.plan import make_plan
from desktop.runs.records import RunStatus, UnitStatus
from desktop.runs.settings import RunSettings
from desktop.runs.setup import RunSetup
from tests.fakes.plain_work import PlainWork
from tests.fakes.runs import QuietComputer, Told

pytestmark = pytest.mark.engine


def test_that_a_server_that_batches_answers_several_units_at_once(starter_model: Path, tmp_path: Path) -> None:
    reported = Told()
    maximum = 0

    def look(event: object) -> None:
        nonlocal maximum
        maximum = max(maximum, len(reported.of(UnitStarted)) - len(reported.of(UnitFinished)))

    reported.on_event = look

    async def run() -> RunEnd:
        engine = EngineSettings(str(starter_model), "", context_tokens=2048, threads=1, slots=4)
        process = EngineProcess("starter", engine)
        try:
            await process.wait_until_ready(60)
            assert process.address is not None
            backend = OpenAiCompatibleBackend(process.address, api_key=process.api_key)
            work = PlainWork(8, max_tokens=6)
            settings = RunSettings(parallel=4)
            plan = make_plan(work, (await backend.list_models())[:1], settings)
            setup = RunSetup(backend, tmp_path / "runs.db", on_event=reported, surroundings=QuietComputer())
            return await start(work, plan, settings, setup)
        finally:
            await process.end()

    end = asyncio.run(run())
    assert end.status is RunStatus.FINISHED
    assert maximum == 4
    with JournalReader(tmp_path / "runs.db") as reader:
        rows = reader.units(end.run_id)
        assert len(rows) == 8
        assert {row.status for row in rows} == {UnitStatus.COMPLETED}
        assert all(answer.text for answer in reader.answers(end.run_id))
        assert "4 answers were asked for at once" in reader.run(end.run_id).notices[0]
