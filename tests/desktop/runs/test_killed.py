"""Nothing finished is lost when the program is killed, and going on ends where an undisturbed run does."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from pathlib import Path

from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunStatus
from tests.fakes import killable_run

ROOT = Path(__file__).parents[3]
MOMENTS = 20


def content(journal: Path) -> list[object]:
    """Every unit with its answer and judgement, without the times of this computer."""
    with JournalReader(journal) as reader:
        run_id = reader.runs()[0].id
        units = [reader.unit(run_id, row.key) for row in reader.units(run_id)]
    return [
        (unit.key, unit.status, unit.attempts, unit.generation, unit.outcome)
        for unit in units
        if unit is not None
    ]


def kill_after(journal: Path, events: int) -> int:
    """Go on with the run in a process that is killed after so many events. Returns its exit code."""
    command = [sys.executable, "-m", "tests.fakes.killable_run", str(journal)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(events):
            if not process.stdout.readline():
                break
        process.kill()
        process.stdout.close()
        return process.wait()


def completed(journal: Path) -> int:
    with JournalReader(journal) as reader:
        runs = reader.runs()
        return runs[0].completed if runs else 0


def test_that_a_run_killed_at_20_moments_ends_with_the_units_and_bytes_of_an_undisturbed_one(
    tmp_path: Path,
) -> None:
    undisturbed, disturbed = tmp_path / "undisturbed.db", tmp_path / "disturbed.db"
    asyncio.run(killable_run.run(undisturbed))
    choice = random.Random(7)
    done = 0
    for _ in range(MOMENTS):
        kill_after(disturbed, choice.randrange(1, 40))
        now = completed(disturbed)
        assert now >= done, "a finished unit was lost"
        done = now
        with JournalReader(disturbed) as reader:
            for summary in reader.runs():
                assert summary.status in (RunStatus.INTERRUPTED, RunStatus.FINISHED)
    asyncio.run(killable_run.run(disturbed))
    assert content(disturbed) == content(undisturbed)
    with JournalReader(disturbed) as reader:
        assert reader.runs()[0].status is RunStatus.FINISHED
        assert len(reader.runs()) == 1
