"""What Start lists: recent packs and runs, and the sample packs. Free of Qt; called off the GUI thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources.abc import Traversable
from pathlib import Path

from desktop.application.opened_pack import OpenedPack, PackKind, read_pack
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunSummary
from packs.errors import AppError

MAX_PACKS = 6
MAX_RUNS = 4


@dataclass(frozen=True, slots=True)
class RecentPack:
    """pack: None when it cannot be read any more, with the sentence why. changed_at: UTC, ISO 8601."""

    folder: Path
    pack: OpenedPack | None
    trouble: str
    changed_at: str


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """name: of its folder. title: the first heading of its README. kind: one word for a chip."""

    name: str
    title: str
    kind: str
    count: int
    is_task: bool = True


@dataclass(frozen=True, slots=True)
class StartFacts:
    packs: tuple[RecentPack, ...]
    runs: tuple[RunSummary, ...]
    any_run_finished: bool


def read_start(recent: Sequence[str], journal: Path) -> StartFacts:
    """Recent packs as they are now and the newest runs. Never raises for what lies there."""
    packs = tuple(_recent_pack(Path(folder)) for folder in recent[:MAX_PACKS])
    runs: list[RunSummary] = []
    if journal.is_file():
        try:
            with JournalReader(journal) as reader:
                runs = reader.runs()
        except AppError:
            # The Runs place tells what is wrong with the journal; Start lists what it can.
            runs = []
    newest = sorted(runs, key=lambda run: run.started_at, reverse=True)
    finished = any(run.completed > 0 and run.finished_at for run in runs)
    return StartFacts(packs, tuple(newest[:MAX_RUNS]), finished)


def _recent_pack(folder: Path) -> RecentPack:
    try:
        pack = read_pack(folder)
    except AppError as error:
        return RecentPack(folder, None, error.message, "")
    manifest = folder / ("task.yaml" if (folder / "task.yaml").is_file() else "pack.yaml")
    try:
        changed = datetime.fromtimestamp(manifest.stat().st_mtime, UTC).isoformat(timespec="seconds")
    except (OSError, ValueError, OverflowError):
        changed = ""
    return RecentPack(folder, pack, "", changed)


def read_samples(samples: Traversable) -> tuple[SampleFacts, ...]:
    """The sample packs that come along: task packs first, each kind by name. Empty when there are none."""
    from packs.task.scorers import scorer_named

    if not samples.is_dir():
        return ()
    found = []
    for entry in samples.iterdir():
        # They lie in a folder of the disk in every way the program is brought to a person.
        if isinstance(entry, Path) and entry.is_dir():
            try:
                pack = read_pack(entry)
            except AppError:
                continue
            is_task = pack.kind is PackKind.TASK
            scorer = scorer_named(pack.scorer)
            kind = scorer.word if scorer is not None else pack.scorer if is_task else "Qualification"
            title = _title(entry) or pack.name
            found.append(SampleFacts(entry.name, title, kind, pack.count or 0, is_task))
    return tuple(sorted(found, key=lambda sample: (not sample.is_task, sample.name)))


def _title(sample: Traversable) -> str:
    readme = sample.joinpath("README.md")
    if readme.is_file():
        for line in readme.read_text("utf-8").splitlines():
            if line.startswith("# "):
                return line[2:].strip()
    return ""
