"""The computer's clock is set back in the middle of a run: durations come from one that never is."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.reports.gather import elapsed_s
from desktop.runs.engine import start
from desktop.runs.events import Activity
from desktop.runs.journal.reader import JournalReader
from desktop.runs.plan import make_plan
from desktop.runs.records import RunStatus
from desktop.runs.settings import RunSettings
from tests.fakes.fake_backend import FakeBackend
from tests.fakes.plain_work import PlainWork
from tests.fakes.runs import Told, model, setup_for


class BackwardsClock:
    """An hour earlier each time it is asked."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> str:
        self._now -= timedelta(hours=1)
        return self._now.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_that_a_run_ends_and_no_duration_is_negative(tmp_path: Path) -> None:
    journal, reported = tmp_path / "runs.db", Told()
    backend = FakeBackend([model("first"), model("second")])
    work, settings = PlainWork(4), RunSettings()

    async def whole() -> None:
        plan = make_plan(work, await backend.list_models(), settings)
        setup = replace(setup_for(backend, journal, reported), now=BackwardsClock())
        await start(work, plan, settings, setup)

    asyncio.run(whole())
    with JournalReader(journal) as reader:
        summary = reader.runs()[0]
        assert summary.status is RunStatus.FINISHED and summary.completed == 8
        run = reader.run(summary.id)
        assert run.finished_at is not None and run.finished_at < run.started_at
        assert elapsed_s(run) is None, "unknown, and not minus some hours"
        assert all((unit.wall_ms or 0) >= 0 and (unit.ttft_ms or 0) >= 0 for unit in reader.units(run.id))
    since = [event.since for event in reported.of(Activity)]
    assert since == sorted(since)
