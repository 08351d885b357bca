"""A native crash leaves a trace that the next start finds; folders of killed one-file starts are removed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from desktop.foundation.crash_reports import take_traces
from desktop.foundation.frozen.temp_folder import HOME_VARIABLE, MARKER, SIGN, mark, remove_left
from desktop.foundation.paths import user_paths
from desktop.foundation.writability import can_write, what_is_not_kept

ROOT = Path(__file__).parents[3]
GONE = 2**22 + 1
"""A process number that no system gives out."""

CRASHING = """
import faulthandler, sys
import desktop.app
def crash(arguments):
    api_key = "sk-abcdefgh12345678"
    faulthandler._sigsegv()
desktop.app.run_program = crash
from desktop.__main__ import main
sys.argv = ["packbench"]
main()
"""


def child(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_that_a_native_crash_leaves_a_trace_that_is_told_once() -> None:
    ended = child(CRASHING)
    assert ended.returncode != 0
    logs = user_paths().logs
    traces = take_traces(logs)
    assert len(traces) == 1
    assert "Segmentation fault" in traces[0].text or "access violation" in traces[0].text
    assert " in crash" in traces[0].text, "the function that crashed is named"
    assert traces[0].file.is_file()
    assert take_traces(logs) == []


def test_that_a_clean_end_leaves_nothing() -> None:
    code = "import sys; sys.argv = ['packbench', '--version']\nfrom desktop.__main__ import main\nmain()"
    ended = child(code)
    assert ended.returncode == 0 and "Packbench" in ended.stdout
    assert not list(user_paths().logs.glob("crash-*"))


def test_that_traces_hold_no_key_and_only_a_few_are_kept(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"crash-{GONE + number}.txt").write_text("Fatal: api_key=sk-abcdefgh12345678\n")
    traces = take_traces(tmp_path)
    assert len(traces) == 9
    assert all("abcdefgh" not in trace.text for trace in traces)
    assert len(list(tmp_path.iterdir())) == 5


def test_that_files_of_living_and_of_killed_processes_are_no_crash(tmp_path: Path) -> None:
    mine = tmp_path / f"crash-{os.getpid()}.txt"
    mine.write_text("being written")
    (tmp_path / f"crash-{GONE}.txt").write_text("")
    (tmp_path / "crash-words.txt").write_text("somebody else's")
    assert take_traces(tmp_path) == []
    assert mine.is_file()
    assert not (tmp_path / f"crash-{GONE}.txt").exists()
    assert (tmp_path / "crash-words.txt").exists()


def test_that_a_folder_that_is_not_there_or_a_file_has_no_traces(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert take_traces(tmp_path / "none") == take_traces(tmp_path / "file") == []


def unpacked(folder: Path, marker: object) -> Path:
    (folder / "PySide6").mkdir(parents=True)
    (folder / "PySide6" / "library.so").write_bytes(b"x")
    if marker is not None:
        (folder / MARKER).write_text(marker if isinstance(marker, str) else json.dumps(marker))
    return folder


def test_that_only_unpacked_folders_of_ours_without_a_process_are_removed(tmp_path: Path) -> None:
    me = psutil.Process()
    left = unpacked(tmp_path / "_MEIleft", {"pid": GONE, "started": 1.0})
    reused = unpacked(tmp_path / "_MEIreused", {"pid": me.pid, "started": me.create_time() - 100})
    kept = [
        unpacked(tmp_path / "_MEIalive", {"pid": me.pid, "started": me.create_time()}),
        unpacked(tmp_path / "_MEIother", None),
        unpacked(tmp_path / "_MEIbroken", "{"),
        unpacked(tmp_path / "_MEIstrange", {"pid": "1", "started": 1.0}),
        unpacked(tmp_path / "_MEIown", {"pid": GONE, "started": 1.0}),
        unpacked(tmp_path / "other", {"pid": GONE, "started": 1.0}),
    ]
    outside = unpacked(tmp_path / "outside", {"pid": GONE, "started": 1.0})
    if sys.platform != "win32":
        (tmp_path / "_MEIlink").symlink_to(outside)
        (left / "link").symlink_to(outside)
    assert remove_left(tmp_path, tmp_path / "_MEIown") == [left, reused]
    assert not left.exists() and not reused.exists()
    assert all((folder / "PySide6" / "library.so").is_file() for folder in [*kept, outside])


def half_unpacked(folder: Path, *, sign: bool = True) -> Path:
    """What a start leaves that was ended before its first line."""
    unpacked(folder, None)
    if sign:
        (folder / SIGN).write_text("")
    return folder


def test_that_what_a_start_left_that_ended_while_it_unpacked_is_removed(tmp_path: Path) -> None:
    """Known by its sign and by the process number in its name; a process that is still there keeps its own."""
    gone, mine = f"{GONE:08x}", f"{os.getpid():08x}"
    left = [half_unpacked(tmp_path / f"_MEI{gone}abcdef")]
    inherited = half_unpacked(tmp_path / f"_MEI{mine}aaaaaa")
    os.utime(inherited / SIGN, (1.0, 1.0))
    left.append(inherited)
    kept = [
        half_unpacked(tmp_path / f"_MEI{gone}nosign", sign=False),
        half_unpacked(tmp_path / f"_MEI{mine}unpack"),
        half_unpacked(tmp_path / "_MEIothername"),
    ]
    lived_in = half_unpacked(tmp_path / f"_MEI{gone}livein")
    code = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, HOME_VARIABLE: str(lived_in)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as inner:
        assert inner.stdout is not None and inner.stdout.readline()
        assert sorted(remove_left(tmp_path, None)) == sorted(left)
    assert not any(folder.exists() for folder in left)
    assert all((folder / "PySide6" / "library.so").is_file() for folder in [*kept, lived_in])
    assert remove_left(tmp_path, None) == [lived_in]


def test_that_a_folder_is_marked_once_while_its_process_lives(tmp_path: Path) -> None:
    mark(tmp_path)
    first = (tmp_path / MARKER).read_text()
    assert json.loads(first)["pid"] == os.getpid()
    code = (
        "from pathlib import Path; from desktop.foundation.frozen.temp_folder import mark; "
        f"mark(Path({str(tmp_path)!r}))"
    )
    assert child(code).returncode == 0
    assert (tmp_path / MARKER).read_text() == first
    assert remove_left(tmp_path.parent, None) == []


def test_that_an_interrupted_removal_is_gone_on_with(tmp_path: Path) -> None:
    left = unpacked(tmp_path / "_MEIleft", {"pid": GONE, "started": 1.0})

    def refuse(_folder: Path) -> None:
        raise OSError("in use")

    assert remove_left(tmp_path, None, refuse) == []
    assert (left / MARKER).is_file()
    assert remove_left(tmp_path, None) == [left]


def test_that_a_file_where_the_folder_should_be_is_told_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert what_is_not_kept(user_paths()) is None
    file = tmp_path / "file"
    file.write_text("x")
    monkeypatch.setenv("PACKBENCH_HOME", str(file))
    assert not can_write(user_paths().data)
    reported = what_is_not_kept(user_paths())
    assert (
        reported is not None
        and str(file) in reported.message
        and "runs and copies of unsaved work" in reported.message
    )
    assert "PACKBENCH_HOME" in reported.fix
    for arguments in (
        ["--version"],
        ["validate", str(ROOT / "packs" / "samples" / "ticket-routing")],
        ["runs"],
    ):
        ended = subprocess.run(
            [sys.executable, "-m", "desktop", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        assert "Traceback" not in ended.stderr


def test_that_a_start_of_the_one_file_program_marks_its_folder_and_tidies_others(tmp_path: Path) -> None:
    own = unpacked(tmp_path / "_MEIown", None)
    left = unpacked(tmp_path / "_MEIleft", {"pid": GONE, "started": 1.0})
    code = (
        "import sys, threading\n"
        f"sys.frozen = True; sys._MEIPASS = {str(own)!r}\n"
        "import desktop.__main__ as program\n"
        "program.tidy_unpacked()\n"
        "[thread.join(30) for thread in threading.enumerate() if thread.name == 'tidy']\n"
    )
    ended = child(code)
    assert ended.returncode == 0, ended.stderr
    assert (own / MARKER).is_file() and (own / "PySide6" / "library.so").is_file()
    assert not left.exists()
