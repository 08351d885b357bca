"""What the harness costs for each answer: everything but the model.

Run by hand: `python -m tests.bench.bench_harness`. Prints milliseconds per generation at 60, 1,000 and 3,000
units, against a backend that answers at once and against an instant server on this computer. Aim: below 0.5 ms
at 1,000 units (a comparable tool: 6 / 1.1 / 1.4 ms).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from desktop.inference.backends.base import Backend
from desktop.inference.backends.openai_compatible import OpenAiCompatibleBackend
from desktop.runs.engine import start
from desktop.runs.events import RunEvent, RunFinished, UnitFinished
from desktop.runs.journal.reader import JournalReader
from desktop.runs.plan import make_plan
from desktop.runs.settings import RunSettings
from desktop.runs.setup import RunSetup
from desktop.runs.task_work import TaskWork
from packs.task.loader import load_pack_from_files
from tests.fakes.fake_backend import FakeBackend, FakeModel

SIZES = (60, 1000, 3000)

MANIFEST = """
name: bench
type: classification
scorer: exact-label
scorer_params: {labels: [billing, access, delivery]}
generation: {context: 65536, max_tokens: 16, temperature: 0, seed: 42, runs_per_example: 1}
prompt_template: prompt.md
examples_dir: examples
"""


def work(examples: int) -> TaskWork:
    """A labels pack whose inputs are as long as a short message."""
    files = {
        "task.yaml": MANIFEST.encode(),
        "prompt.md": b"Answer billing, access or delivery.\n\n{{input}}\n",
    }
    for number in range(examples):
        text = f"Message {number}: " + "the parcel did not come although the tracking page says so. " * 5
        files[f"examples/{number:05}.json"] = f'{{"input": "{text}", "expected": "delivery"}}'.encode()
    loaded = load_pack_from_files(files)
    assert loaded.pack is not None
    return TaskWork(loaded.pack)


async def measured(units: int, backend: Backend) -> tuple[float, float, float]:
    """(ms per generation over the units alone, processor ms of this process for it, longest gap in ms)."""
    pack = work(units)
    moments: list[float] = []
    work_s: list[float] = []

    def notify(event: RunEvent) -> None:
        if isinstance(event, UnitFinished | RunFinished):
            moments.append(time.perf_counter())
            work_s.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder:
        settings = RunSettings()
        setup = RunSetup(backend, Path(folder) / "runs.db", on_event=notify)
        plan = make_plan(pack, (await backend.list_models())[:1], settings)
        end = await start(pack, plan, settings, setup)
        with JournalReader(setup.journal) as reader:
            assert reader.summary(end.run_id).completed == units, end
    finished = moments[:-1]
    gaps = [later - earlier for earlier, later in itertools.pairwise(finished)]
    between = (len(finished) - 1) / 1000
    return (finished[-1] - finished[0]) / between, (work_s[-2] - work_s[0]) / between, max(gaps) * 1000


def in_process() -> Backend:
    return FakeBackend([FakeModel("instant", lambda prompt, nth: "delivery")])


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Address of an instant server in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.instant_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def report(name: str, make: Callable[[], Backend]) -> None:
    for units in SIZES:
        cost, work_ms, gap = asyncio.run(measured(units, make()))
        print(
            f"{name:<22}{units:>6} units {cost:7.3f} ms per generation,"
            f" {work_ms:6.3f} of it processor time, longest gap {gap:6.1f} ms"
        )


if __name__ == "__main__":
    report("instant backend", in_process)
    with server() as address:
        report("instant server, HTTP", lambda: OpenAiCompatibleBackend(address))
