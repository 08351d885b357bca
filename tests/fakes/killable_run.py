"""A run in a process of its own that a test may kill: `python -m tests.fakes.killable_run JOURNAL`.

Starts a run in a new journal, goes on with the last run otherwise. One line on standard output for every event.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from desktop.runs.engine import start
from desktop.runs.events import RunEvent
from desktop.runs.journal.reader import JournalReader
from desktop.runs.plan import make_plan
from desktop.runs.resume import go_on
from desktop.runs.settings import RunSettings
from tests.fakes.fake_backend import FakeBackend
from tests.fakes.plain_work import PlainWork
from tests.fakes.runs import Told, model, setup_for

EXAMPLES, REPETITIONS, CANDIDATES = 40, 2, 2


async def run(journal: Path) -> None:
    def notify(event: RunEvent) -> None:
        sys.stdout.write(f"{type(event).__name__}\n")
        sys.stdout.flush()

    backend = FakeBackend([model(f"model {number}", size_bytes=number) for number in range(1, CANDIDATES + 1)])
    work = PlainWork(EXAMPLES, repetitions=REPETITIONS)
    setup = setup_for(backend, journal, Told(on_event=notify))
    with JournalReader(journal) as reader:
        runs = reader.runs()
    if runs:
        await go_on(runs[0].id, lambda _: work, setup)
    else:
        settings = RunSettings()
        await start(work, make_plan(work, await backend.list_models(), settings), settings, setup)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
