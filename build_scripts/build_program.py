"""Makes the one-file program and then uses it: self-check without network, Python or a writable folder; the
list of licences compared with what is inside; crash, full disk, damaged journal and the like done for real.

Called by `dev.py build` in an environment that has the locked requirements and the packager. Prints what it
measured and writes it to `build/figures.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from build_scripts.bundled_parts import contents_of, listed_parts, record_of, superfluous, unlisted  # noqa: E402
from build_scripts.fault_checks import check_faults  # noqa: E402
from build_scripts.trial import Fault, bare_environment  # noqa: E402

BUILD = ROOT / "build"
DIST = BUILD / "dist"
NAME = "packbench"
ODD_HOME = "Zoë’s home, 家"
"""A home folder with blanks and letters outside ASCII."""
STARTS = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--with-starter-model", type=Path, metavar="FILE", help="lay this model file beside the program"
    )
    arguments = parser.parse_args()
    figures: dict[str, object] = {"system": platform.platform(), "python": platform.python_version()}
    figures["build_s"] = build()
    program = DIST / (f"{NAME}.exe" if os.name == "nt" else NAME)
    folder = DIST / f"{NAME}-folder" / program.name
    figures["folder_mb"] = round(size_of(folder.parent) / 1e6, 1)
    if arguments.with_starter_model:
        for target in (DIST, folder.parent):
            lay_model(arguments.with_starter_model, target)
    figures["load"] = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    figures["one_file_mb"] = round(program.stat().st_size / 1e6, 1)
    figures |= check_contents(program)
    for name, target in (("one_file", program), ("folder", folder)):
        print(f"Self-check of the {name.replace('_', ' ')} …", flush=True)
        checked = self_check(target, arguments.with_starter_model)
        figures[f"{name}_self_check"] = checked
        figures[f"{name}_start_s"] = start_times(target)
    print("What goes wrong on a person's computer …", flush=True)
    try:
        figures["faults"] = check_faults([str(program)])
    except Fault as fault:
        raise SystemExit(str(fault)) from fault
    (BUILD / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2))
    return 0


def build() -> float:
    """Run the packager; returns seconds."""
    began = time.monotonic()
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += [
        "--distpath",
        str(DIST),
        "--workpath",
        str(BUILD / "work"),
        str(ROOT / "build_scripts" / "app.spec"),
    ]
    subprocess.run(command, check=True, cwd=ROOT)
    return round(time.monotonic() - began, 1)


def check_contents(program: Path) -> dict[str, object]:
    """Compare what is inside with the list of licences, and end where they differ.

    Returns what every start unpacks.
    """
    contents = contents_of(program)
    (BUILD / "contents.json").write_text(json.dumps(record_of(contents), indent=1) + "\n", encoding="utf-8")
    # The list of libraries beside the packages is that of a build on Linux.
    if sys.platform == "linux":
        print("\n".join(superfluous(contents, listed_parts())), end="", flush=True)
        if reported := unlisted(contents, listed_parts()):
            raise SystemExit("\n".join(reported))
    return {
        "unpacked_mb": round(contents.unpacked_bytes / 1e6, 1),
        "unpacked_files": contents.unpacked_files,
        "bundled": f"{len(contents.distributions)} packages and {len(contents.libraries)} libraries",
    }


def lay_model(model: Path, target: Path) -> None:
    """Beside the program, never inside: unpacking the model at every start would cost seconds."""
    models = target / "models"
    models.mkdir(exist_ok=True)
    shutil.copy2(model, models / model.name)


def self_check(program: Path, model: Path | None) -> dict[str, object]:
    """Run `self-check` where nothing helps: empty folder and home, no network, no Python, read-only program."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / ODD_HOME
        home.mkdir()
        empty = Path(scratch) / "empty"
        empty.mkdir()
        environment = bare_environment(home, empty)
        command = [str(program), "self-check", "--json"]
        isolated = isolation(program)
        began = time.monotonic()
        ran = subprocess.run(
            [*isolated, *command], cwd=empty, env=environment, capture_output=True, text=True, check=False
        )
        seconds = round(time.monotonic() - began, 1)
        left = sorted(str(path.relative_to(empty)) for path in empty.rglob("*"))
    if ran.returncode or left:
        sys.stderr.write(ran.stdout + ran.stderr)
        raise SystemExit(f"The self-check of {program.name} ended with {ran.returncode}; left behind: {left}")
    checks = json.loads(ran.stdout)["checks"]
    return {
        "seconds": seconds,
        "isolated": bool(isolated),
        "with_model": model is not None,
        "checks": {check["name"]: check["words"] for check in checks},
    }


def isolation(program: Path) -> list[str]:
    """A command prefix: own network with loopback only, and the program's folder read-only. Empty where that
    cannot be had (only the superuser on Linux may); the figures then say so."""
    if platform.system() != "Linux" or os.geteuid() != 0 or not shutil.which("unshare"):
        return []
    folder = program.parent
    script = f'ip link set lo up && mount --bind -o ro "{folder}" "{folder}" && exec "$@"'
    tools = {"ip": shutil.which("ip"), "mount": shutil.which("mount")}
    if not all(tools.values()):
        return []
    for name, found in tools.items():
        script = script.replace(f"{name} ", f"{found} ", 1)
    return [str(shutil.which("unshare")), "--net", "--mount", "/bin/sh", "-c", script, "sh"]


def start_times(program: Path) -> dict[str, float | None]:
    """Seconds of `--version` and of the first painted window, and the memory of that window.

    cold: the program's files are read from the disk. least, median: of the starts after that one; other work on
    the computer only ever adds, so the least says what the program itself needs.
    """
    figures: dict[str, float | None] = {}
    peak: float | None = None
    for name, command in (("command", ["--version"]), ("first_window", ["--first-window"])):
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "PACKBENCH_HOME": home, "QT_QPA_PLATFORM": "offscreen"}
            forget_in_memory(program)
            figures[f"{name}_cold"], peak = once(program, command, environment)
            again = [once(program, command, environment)[0] for _ in range(STARTS)]
        figures[f"{name}_least"] = min(again)
        figures[f"{name}_median"] = round(statistics.median(again), 2)
    # Of the last one, the window.
    figures["first_window_peak_mib"] = peak
    return figures


def forget_in_memory(program: Path) -> None:
    """Have Linux drop what it keeps of the program's files, as after a restart. Elsewhere nothing."""
    if sys.platform != "linux":
        return
    files = (
        [program] if program.parent == DIST else [file for file in program.parent.rglob("*") if file.is_file()]
    )
    for file in files:
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def once(program: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float | None]:
    """(seconds, peak memory in MiB of the largest process of the start, None where the system does not tell).

    Until the first line of output: the version, or that the window is painted.
    """
    began = time.monotonic()
    command = [str(program), *arguments]
    with subprocess.Popen(command, env=dict(environment), stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        seconds = time.monotonic() - began
        running.stdout.read()
        peak = None
        if sys.platform == "linux":
            _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
            peak = round(used.ru_maxrss / 1024, 1)
    if running.returncode or not line:
        raise SystemExit(f"{program.name} {' '.join(arguments)} ended with {running.returncode}.")
    return round(seconds, 2), peak


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    sys.exit(main())
