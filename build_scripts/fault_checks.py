"""What goes wrong on a person's computer, done to the built program for real.

    python build_scripts/fault_checks.py build/dist/packbench     # in the environment that built it

`dev.py build` does it after each build. Each check returns a sentence that says what was seen, raises Fault
when that was wrong, and says so when it cannot be tried on this system.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from build_scripts.trial import PATIENCE_S, Fault, Trial, demand, small_disk, wait_for  # noqa: E402
from desktop.cli.self_check_run import run_with_own_answers  # noqa: E402
from desktop.foundation.frozen.deferred_packages import ARCHIVE, FOLDER, INDEX  # noqa: E402
from desktop.foundation.frozen.temp_folder import MARKER, SIGN  # noqa: E402

SAMPLE = ROOT / "packs" / "samples" / "ticket-routing"
NOT_HERE = "not tried: this needs Linux and the superuser"
PAGE = 4096
"""Bytes of a page of the journal."""
UNPACKED_BY_NO_RUN = ("xllamacpp", "cryptography", "lxml")
"""The engine, for which there is to be no room, and large packages that a run does not need."""
FIRST_USER = 61_001
"""User numbers that nobody has."""


def crash_leaves_a_trace(trial: Trial) -> str:
    """A native fault of the window: readable at the next start, and nothing unpacked stays behind."""
    with trial.window() as window:
        os.kill(window.inner(), signal.SIGSEGV)
        code = window.process.wait(PATIENCE_S)
    demand(code != 0, "A crash ended with 0.")
    (file,) = trial.traces()
    trace = file.read_text("utf-8", errors="replace")
    demand("Segmentation fault" in trace and "run_window" in trace, f"The trace is not readable: {trace!r}")
    with trial.window() as again:
        wait_for(lambda: list(trial.logs.glob("told-crash-*")), "the next start did not look at the trace")
        demand(again.close() == 0, "The window after a crash did not close in good order.")
    demand(not trial.traces(), "A clean end left a crash file.")
    demand(not trial.unpacked(), f"Left unpacked: {trial.unpacked()}")
    return f"a trace of {len(trace.splitlines())} lines, taken up by the next start"


def killed_start_is_tidied_up(trial: Trial) -> str:
    """The power goes: what was unpacked goes at the next start, and the window opens at the old socket."""
    with trial.window() as window:
        window.kill()
    left = trial.unpacked()
    if not left:
        return "nothing is unpacked, so nothing is left"
    size = sum(file.lstat().st_size for file in left[0].rglob("*") if not file.is_dir())
    with trial.window() as window:
        wait_for(lambda: not left[0].exists(), "what a killed start had unpacked stays")
        demand(len(trial.unpacked()) == 1, "The folder of the start itself is gone.")
        demand(window.close() == 0, "The window did not close in good order.")
    demand(not trial.unpacked(), f"Left unpacked: {trial.unpacked()}")
    return f"{size / 1e6:.0f} MB that a killed start had unpacked were removed by the next"


def start_killed_while_unpacking(trial: Trial) -> str:
    """No line of ours has run then. The next start takes away what is there all the same."""
    starting = subprocess.Popen(
        [*trial.command, "--version"],
        env=trial.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_for(
        lambda: any((folder / SIGN).exists() for folder in trial.unpacked()) or starting.poll() is not None,
        "nothing is unpacked",
    )
    with contextlib.suppress(ProcessLookupError):
        os.killpg(starting.pid, signal.SIGKILL)
    starting.wait(PATIENCE_S)
    left = trial.unpacked()
    if not left:
        return "nothing is unpacked, so nothing is left"
    demand(not (left[0] / MARKER).exists(), "It was killed too late for this check.")
    with trial.window() as window:
        wait_for(lambda: not left[0].exists(), "what a start left that was killed while unpacking stays")
        demand(window.close() == 0, "The window did not close in good order.")
    return "a start that was killed while it unpacked leaves nothing after the next"


def second_start_hands_over(trial: Trial) -> str:
    pack = trial.folder / "my pack"
    shutil.copytree(SAMPLE, pack)
    with trial.window() as window:
        ended = trial.run("open", str(pack))
        demand(ended.returncode == 0, f"The second start ended with {ended.returncode}: {ended.stderr}")
        wait_for(
            lambda: str(pack) in trial.recent(),
            "the first window did not open what the second start was given",
        )
        demand(window.close() == 0, "The first window did not close in good order.")
    return "the second start ended, and its pack was opened in the first window"


def damaged_journal_is_kept_aside(trial: Trial) -> str:
    """Told when it is read; at the next run it is kept aside and what can be read of it taken over."""
    _finished_run(trial)
    connection = sqlite3.connect(trial.journal)
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'answers'").fetchone()[0]
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with trial.journal.open("r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(b"\xa5" * PAGE)
    reported = trial.run("show", "last")
    demand(reported.returncode == 3 and "damaged" in reported.stderr, f"Not told: {reported.stderr}")
    with _models(trial) as endpoint:
        ran = trial.run(*endpoint)
    demand(ran.returncode == 0, f"The next run ended with {ran.returncode}: {ran.stderr}")
    aside = [file for file in trial.journal.parent.iterdir() if file.match("*damaged*.db")]
    runs = trial.run("runs").stdout
    demand(aside and "invoice-extraction" in runs and "ticket-routing" in runs, f"Kept {aside}, has {runs}")
    return f"kept aside as {aside[0].name}, and the run in it taken over"


def full_disk_is_a_sentence(trial: Trial) -> str:
    """A report that finds no room, and a run that finds none half way: a sentence, and no half file."""
    target = trial.folder / "small"
    target.mkdir()
    around = small_disk(target, 16)
    if not around:
        return NOT_HERE
    _finished_run(trial)
    ended = trial.run("report", "last", "--format", "html", "--out", str(target / "r.html"), around=around)
    demand(ended.returncode == 3 and "No space left" in ended.stderr, f"Report: {ended.stderr}")
    demand(ended.stdout.strip() == "", f"Half a report was left: {ended.stdout}")
    with _models(trial) as endpoint:
        small = small_disk(trial.home, 200)
        ended = trial.run(*endpoint, around=small)
    demand(ended.returncode not in (0, 1), f"A run on a full disk ended with {ended.returncode}.")
    demand(re.search(r"full|space|room", ended.stderr), f"The run does not say why: {ended.stderr}")
    return f"a report and a run end with a sentence: {_last_lines(ended.stderr)}"


def no_room_to_unpack_is_reported(trial: Trial) -> str:
    """The temporary folder has room for the program, but not for the engine."""
    program = Path(trial.command[0])
    models = list((program.parent / "models").glob("*.gguf"))
    if not models:
        return "not tried: no model lies beside the program"
    with trial.window():
        room = sum(_room_without_engine(folder) for folder in trial.unpacked())
    if not room:
        return "nothing is unpacked"
    around = small_disk(trial.temporary, room // 1024 + 1_000)
    if not around:
        return NOT_HERE
    ended = trial.run("run", str(SAMPLE), "--model", "starter", "--limit", "1", around=around)
    demand("no room to unpack the engine" in ended.stderr, f"Not told: {ended.stdout} {ended.stderr}")
    return _last_lines(ended.stderr)


def _room_without_engine(unpacked: Path) -> int:
    """Bytes on the disk of all that a run unpacks but the engine."""
    folder = unpacked / FOLDER
    index = (folder / INDEX).read_text("utf-8").splitlines() if (folder / INDEX).is_file() else []
    waiting = {file: package for package, file in (line.split("\t") for line in index)}
    room = sum(
        file.lstat().st_blocks * 512
        for file in unpacked.rglob("*")
        if file.suffix != ".part" and file.relative_to(unpacked).as_posix() not in waiting
    )
    if waiting:
        with zipfile.ZipFile(folder / ARCHIVE) as archive:
            for name, package in waiting.items():
                if package not in UNPACKED_BY_NO_RUN:
                    room += -(-archive.getinfo(name).file_size // 4096) * 4096
    return room


def home_that_cannot_be_written(trial: Trial) -> str:
    """Reading works, the window opens, and a run says why it cannot be kept."""
    _finished_run(trial)
    around = small_disk(trial.home, 0, read_only=True)
    if not around:
        return NOT_HERE
    for command in (["--version"], ["validate", str(SAMPLE)], ["runs"], ["--first-window"]):
        ended = trial.run(*command, around=around)
        demand(ended.returncode == 0, f"{' '.join(command)} ended with {ended.returncode}: {ended.stderr}")
    with trial.window(around=around) as window:
        demand(window.close() == 0, "The window did not close in good order.")
    with _models(trial) as endpoint:
        ended = trial.run(*endpoint, around=around)
    demand(ended.returncode == 3 and str(trial.home) in ended.stderr, f"Run: {ended.stderr}")
    return f"reading and the window work; a run says: {_last_lines(ended.stderr)}"


CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/time.h>
static long back(void) {
    static int (*real)(clockid_t, struct timespec *);
    static long first;
    struct timespec now;
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    real(CLOCK_MONOTONIC, &now);
    long tick = now.tv_sec * 50 + now.tv_nsec / 20000000;
    if (!first) first = tick;
    return (tick - first) * 3600;
}
int clock_gettime(clockid_t which, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(which, at);
    if (which == CLOCK_REALTIME) at->tv_sec -= back();
    return code;
}
time_t time(time_t *to) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (to) *to = at.tv_sec;
    return at.tv_sec;
}
int gettimeofday(struct timeval *to, void *zone) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    to->tv_sec = at.tv_sec;
    to->tv_usec = at.tv_nsec / 1000;
    return 0;
}
"""
"""The clock of a process goes back by an hour fifty times a second."""


def clock_that_goes_back(trial: Trial) -> str:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        return "not tried: this needs Linux and a C compiler"
    library = trial.folder / "clock.so"
    source = trial.folder / "clock.c"
    source.write_text(CLOCK, "utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    with _models(trial) as endpoint:
        ended = trial.run(*endpoint, "--json", more={"LD_PRELOAD": str(library)})
    demand(ended.returncode == 0, f"The run ended with {ended.returncode}: {ended.stderr}")
    report = json.loads(ended.stdout)
    run = report["run"]
    demand(
        run["state"] == "finished" and run["finished_at"] < run["started_at"], f"The clock did not go: {run}"
    )
    below = [name for name, value in numbers(report) if name.endswith(("_ms", "_s")) and value < 0]
    demand(not below and run["elapsed_s"] is None, f"Negative times: {below}, {run['elapsed_s']}")
    listed = trial.run("show", "last")
    demand(listed.returncode == 0, f"show ended with {listed.returncode}: {listed.stderr}")
    return f"started {run['started_at']}, finished {run['finished_at']}: no time below zero, its length unknown"


def two_people_at_one_computer(trial: Trial) -> str:
    """Each has a window, and what one's killed start left is none of the other's business."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or sys.platform == "win32":
        return NOT_HERE
    program = trial.folder / "program" / Path(trial.command[0]).name
    program.parent.mkdir()
    shutil.copy2(trial.command[0], program)
    shared = trial.folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for folder in (trial.folder, *trial.folder.parents):
        if folder.stat().st_uid == os.geteuid() and folder.is_relative_to(tempfile.gettempdir()):
            folder.chmod(folder.stat().st_mode | 0o055)
    ann, bob = (
        Trial(
            [str(program), *trial.command[1:]], trial.folder / name, temporary=shared, user=FIRST_USER + number
        )
        for number, name in enumerate(("ann", "bob"))
    )
    with ann.window() as first, bob.window() as second:
        demand(len(ann.sockets()) == len(bob.sockets()) == 1, "Not one window for each.")
        demand(first.process.poll() is None, "The second window ended the first.")
        first.kill()
        demand(second.process.poll() is None, "The end of one window ended the other.")
    left = ann.unpacked()
    with bob.window() as window:
        demand(window.close() == 0, "The window did not close in good order.")
    hers = [folder for folder in left if folder.exists() and folder.stat().st_uid == ann.user]
    demand(not left or hers, "One person's start removed what the other's had left.")
    with ann.window() as window:
        wait_for(lambda: not any(folder.exists() for folder in hers), "her own start does not tidy up")
        demand(window.close() == 0, "The window did not close in good order.")
    return "two windows at once, each with its own data; each start tidies up its own person's folders alone"


CHECKS: dict[str, Callable[[Trial], str]] = {
    "native crash": crash_leaves_a_trace,
    "killed start": killed_start_is_tidied_up,
    "killed while unpacking": start_killed_while_unpacking,
    "second start": second_start_hands_over,
    "damaged journal": damaged_journal_is_kept_aside,
    "full disk": full_disk_is_a_sentence,
    "no room for the engine": no_room_to_unpack_is_reported,
    "read-only home": home_that_cannot_be_written,
    "clock set back": clock_that_goes_back,
    "two people": two_people_at_one_computer,
}


def check_faults(command: Sequence[str], only: Sequence[str] = ()) -> dict[str, str]:
    """What each check saw. Raises Fault with the name of the first that saw something wrong."""
    if sys.platform != "linux":
        return {"all": "not tried: the checks know crashes, sockets and disks as Linux has them"}
    seen: dict[str, str] = {}
    for name, check in CHECKS.items():
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory(prefix="packbench-trial-") as folder:
            try:
                seen[name] = check(Trial(command, Path(folder)))
            except Fault as fault:
                raise Fault(f"{name}: {fault}") from fault
        print(f"  {name}: {seen[name]}", flush=True)
    return seen


def _finished_run(trial: Trial) -> None:
    trial.journal.parent.mkdir(parents=True, exist_ok=True)
    run_with_own_answers(trial.journal, datetime.now(UTC))


@contextlib.contextmanager
def _models(trial: Trial) -> Iterator[list[str]]:
    """The arguments for a short run over a model that answers rightly, played by the program itself."""
    playing = subprocess.Popen(
        [*trial.command, "mock-endpoint", str(SAMPLE), "--port", "0"],
        cwd=trial.folder,
        env=trial.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert playing.stdout is not None
    try:
        found = re.search(r"http://[\d.]+:\d+", playing.stdout.readline())
        demand(found, "mock-endpoint does not say where it listens.")
        assert found is not None
        where = ["--backend", "openai", "--endpoint", found[0], "--model", "demo-right"]
        yield ["run", str(SAMPLE), *where]
    finally:
        playing.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            playing.wait(5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(playing.pid, signal.SIGKILL)
        playing.wait()
        playing.stdout.close()


def numbers(value: object, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number in a document, with the name of its field."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from numbers(inside, key)
    elif isinstance(value, list):
        for inside in value:
            yield from numbers(inside, name)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value


def _last_lines(text: str) -> str:
    return " ".join(text.strip().splitlines()[-2:])


def main() -> int:
    try:
        check_faults([sys.argv[1]], sys.argv[2:])
    except Fault as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
