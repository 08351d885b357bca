"""Parts of the one-file program come into its folder when something imports them, whole or not at all."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from desktop.foundation.frozen.deferred_packages import (
    ARCHIVE,
    FOLDER,
    INDEX,
    RESOURCES,
    DeferredPackages,
    packed_resources,
    provide,
    provide_deferred_packages,
    unpack,
)
from desktop.foundation.resource_files import SAMPLES
from desktop.inference.backends.base import FaultKind
from desktop.inference.backends.engine_faults import load_fault

ROOT = Path(__file__).parents[3]


def archive_of(file: Path, files: dict[str, bytes]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


def parts(home: Path, files: dict[str, bytes]) -> Path:
    """An archive with its index: each file belongs to the package that its first folder names."""
    made = archive_of(home / FOLDER / ARCHIVE, files)
    index = "".join(f"{name.split('/')[0]}\t{name}\n" for name in files)
    (home / FOLDER / INDEX).write_text(index, "utf-8")
    return made


def child(home: Path, code: str) -> str:
    """What a program that is unpacked in `home` prints."""
    begin = f"import sys\nsys._MEIPASS = {str(home)!r}; sys.path.insert(0, sys._MEIPASS)\n"
    command = [sys.executable, "-c", begin + code]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_that_a_part_is_there_when_it_is_imported_and_not_before(tmp_path: Path) -> None:
    files = {"large/__init__.py": b"SIZE = 7\n", "large/more.py": b"", "other/__init__.py": b""}
    parts(tmp_path, files)
    code = (
        "from pathlib import Path\n"
        "from desktop.foundation.frozen.deferred_packages import provide_deferred_packages\n"
        "provide_deferred_packages()\n"
        "home = Path(sys._MEIPASS)\n"
        "assert not (home / 'large').exists()\n"
        "import large.more, large\n"
        "print(large.SIZE, *sys.meta_path[0].left, (home / 'other').exists())\n"
    )
    assert child(tmp_path, code) == "7 other False\n"


def test_that_a_file_that_is_there_stays_and_half_a_file_is_replaced(tmp_path: Path) -> None:
    archive = parts(tmp_path, {"p/whole.so": b"abc", "p/half.so": b"defghi"})
    (tmp_path / "p").mkdir()
    whole = tmp_path / "p" / "whole.so"
    whole.write_bytes(b"xyz")
    (tmp_path / "p" / "half.so").write_bytes(b"def")
    unpack(archive, ["p/whole.so", "p/half.so"], tmp_path)
    assert whole.read_bytes() == b"xyz", "another process of the same start put it there"
    assert (tmp_path / "p" / "half.so").read_bytes() == b"defghi"
    assert sorted(file.name for file in (tmp_path / "p").iterdir()) == ["half.so", "whole.so"]


def test_that_a_full_disk_is_told_with_the_place_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(tmp_path, {"p/library.so": b"abc"})
    finder = DeferredPackages(tmp_path)

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfileobj", full)
        with pytest.raises(OSError) as reported:
            finder.find_spec("p", None)
    assert reported.value.filename == str(tmp_path / "p" / "library.so")
    assert list((tmp_path / "p").iterdir()) == []
    assert finder.find_spec("p", None) is None
    assert (tmp_path / "p" / "library.so").read_bytes() == b"abc"
    assert finder.left == frozenset()


@pytest.mark.parametrize("name", ["../outside.so", "/outside.so"])
def test_that_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    archive = parts(home, {name: b"abc"})
    with pytest.raises(OSError, match="outside"):
        unpack(archive, [name], home)
    assert not (tmp_path / "outside.so").exists() and not Path("/outside.so").exists()


def test_that_a_damaged_archive_is_told(tmp_path: Path) -> None:
    archive = parts(tmp_path, {"p/library.so": b"abc" * 100})
    with pytest.raises(OSError, match="damaged"):
        unpack(archive, ["p/other.so"], tmp_path)
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(OSError, match="damaged"):
        unpack(archive, ["p/library.so"], tmp_path)


def test_that_other_imports_are_left_alone_and_source_needs_no_finder(tmp_path: Path) -> None:
    finder = DeferredPackages(tmp_path)
    assert finder.find_spec("json", None) is None and finder.left == frozenset()
    before = list(sys.meta_path)
    provide_deferred_packages()
    provide(SAMPLES)
    assert sys.meta_path == before
    assert packed_resources() is None


def test_that_the_programs_own_files_are_read_where_they_are_packed(tmp_path: Path) -> None:
    icon, page = b"<svg/>", "# Hello – page\n".encode()
    archive_of(tmp_path / FOLDER / RESOURCES, {"icons/a.svg": icon, "help/index.md": page})
    code = (
        "from desktop.foundation.resource_files import resource\n"
        "print([entry.name for entry in resource('help').iterdir()], resource('licences').is_dir())\n"
        "print(ascii(resource('help', 'index.md').read_text('utf-8')))\n"
        "print(resource('icons', 'a.svg').read_bytes())\n"
        "print(resource('licences', 'index.json').is_file(), resource('icons', 'a.svg').is_file())\n"
    )
    assert child(tmp_path, code).splitlines() == [
        "['index.md'] False",
        "'# Hello \\u2013 page\\n'",
        "b'<svg/>'",
        "False True",
    ]


def test_that_samples_are_unpacked_when_they_are_asked_for(tmp_path: Path) -> None:
    name = f"{SAMPLES}/small/task.yaml"
    archive_of(tmp_path / FOLDER / ARCHIVE, {name: b"name: small\n"})
    (tmp_path / FOLDER / INDEX).write_text(f"{SAMPLES}\t{name}\n", "utf-8")
    code = (
        "from pathlib import Path\n"
        "from desktop.foundation.frozen.deferred_packages import provide_deferred_packages\n"
        "provide_deferred_packages()\n"
        "from desktop.foundation.resource_files import sample_packs\n"
        "file = Path(sys._MEIPASS, 'packs', 'samples', 'small', 'task.yaml')\n"
        "print(file.exists()); sample_packs(); print(file.exists())\n"
    )
    assert child(tmp_path, code).split() == ["False", "True"]


def test_that_an_engine_without_room_is_told_as_such() -> None:
    message = "engine library missing: [Errno 28] No space left on device: '/tmp/_MEI/xllamacpp.abi3.so'"
    fault = load_fault("small-model", message, None)
    assert fault.kind is FaultKind.SERVER_ERROR
    assert "no room to unpack the engine" in fault.message and "30 MB" in fault.fix


def test_that_parts_that_were_tidied_away_are_no_missing_model() -> None:
    message = "engine library missing: [Errno 2] No such file or directory: '/tmp/_MEI/later/parts.zip'"
    fault = load_fault("small-model", message, None)
    assert fault.kind is FaultKind.NOT_SUPPORTED
    assert "tidied up" in fault.message and "start it again" in fault.fix
