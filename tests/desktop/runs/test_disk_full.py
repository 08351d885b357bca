"""A disk that is full in the middle of a run: what is finished stays, and the run can go on later."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunStatus
from tests.fakes import killable_run

ROOT = Path(__file__).parents[3]

CHILD = """
import asyncio, resource, sys
from pathlib import Path
from packs.errors import AppError
from tests.fakes import killable_run
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
try:
    asyncio.run(killable_run.run(Path(sys.argv[1])))
except AppError as error:
    print(error.code, error.fix)
"""


def test_that_a_full_disk_ends_the_run_and_keeps_what_is_finished(tmp_path: Path) -> None:
    if sys.platform == "win32":
        return  # Files cannot be limited in size there.
    journal = tmp_path / "runs.db"
    command = [sys.executable, "-c", CHILD, str(journal)]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    last = child.stdout.splitlines()[-1]
    assert last.startswith("disk_full"), child.stdout[-500:] + child.stderr[-2000:]
    assert "resume the run" in last
    with JournalReader(journal) as reader:
        summary = reader.runs()[0]
        assert summary.status in (RunStatus.FAILED, RunStatus.INTERRUPTED)
        assert 0 < summary.completed < summary.units
        kept = summary.completed
    asyncio.run(killable_run.run(journal))
    with JournalReader(journal) as reader:
        assert reader.runs()[0].completed == reader.runs()[0].units > kept
