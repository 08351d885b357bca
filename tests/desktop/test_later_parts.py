"""Parts of the one-file program come into its folder when something imports them, whole or not at all."""

from __future__ import annotations

import errno
import importlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from desktop.backends.base import FaultKind
from desktop.backends.engine_faults import load_fault
from desktop.later_parts import FOLDER, LaterParts, provide_later_parts, unpack

ROOT = Path(__file__).parents[2]


def part(home: Path, package: str, files: dict[str, bytes]) -> Path:
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    file = home / FOLDER / f"{package}.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


def test_that_a_part_is_there_when_it_is_imported_and_not_before(tmp_path: Path) -> None:
    part(tmp_path, "largepart", {"largepart/__init__.py": b"SIZE = 7\n", "largepart/more.py": b""})
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        f"sys._MEIPASS = {str(tmp_path)!r}; sys.path.insert(0, sys._MEIPASS)\n"
        "from desktop.later_parts import provide_later_parts\n"
        "provide_later_parts()\n"
        f"assert not Path({str(tmp_path / 'largepart')!r}).exists()\n"
        "import largepart.more, largepart\n"
        "print(largepart.SIZE, sys.meta_path[0].left)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == "7 frozenset()\n"


def test_that_a_file_that_is_there_stays_and_half_a_file_is_replaced(tmp_path: Path) -> None:
    archive = part(tmp_path, "p", {"p/whole.so": b"abc", "p/half.so": b"defghi"})
    (tmp_path / "p").mkdir()
    whole = tmp_path / "p" / "whole.so"
    whole.write_bytes(b"xyz")
    (tmp_path / "p" / "half.so").write_bytes(b"def")
    unpack(archive, tmp_path)
    assert whole.read_bytes() == b"xyz", "another process of the same start put it there"
    assert (tmp_path / "p" / "half.so").read_bytes() == b"defghi"
    assert sorted(file.name for file in (tmp_path / "p").iterdir()) == ["half.so", "whole.so"]


def test_that_a_full_disk_is_told_with_the_place_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part(tmp_path, "p", {"p/library.so": b"abc"})
    finder = LaterParts(tmp_path)

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfileobj", full)
        with pytest.raises(OSError) as told:
            finder.find_spec("p", None)
    assert told.value.filename == str(tmp_path / "p" / "library.so")
    assert list((tmp_path / "p").iterdir()) == []
    assert finder.find_spec("p", None) is None
    assert (tmp_path / "p" / "library.so").read_bytes() == b"abc"
    assert finder.left == frozenset()


@pytest.mark.parametrize("name", ["../outside.so", "/outside.so"])
def test_that_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    archive = part(home, "p", {name: b"abc"})
    with pytest.raises(OSError, match="outside"):
        unpack(archive, home)
    assert not (tmp_path / "outside.so").exists() and not Path("/outside.so").exists()


def test_that_a_damaged_part_is_told(tmp_path: Path) -> None:
    archive = part(tmp_path, "p", {"p/library.so": b"abc" * 100})
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(OSError, match="damaged"):
        unpack(archive, tmp_path)


def test_that_other_imports_are_left_alone_and_source_needs_no_finder(tmp_path: Path) -> None:
    finder = LaterParts(tmp_path)
    assert finder.find_spec("json", None) is None and finder.left == frozenset()
    before = list(sys.meta_path)
    provide_later_parts()
    assert sys.meta_path == before
    assert importlib.import_module("json")


def test_that_an_engine_without_room_is_told_as_such() -> None:
    words = "engine library missing: [Errno 28] No space left on device: '/tmp/_MEI/xllamacpp.abi3.so'"
    fault = load_fault("small-model", words, None)
    assert fault.kind is FaultKind.SERVER_ERROR
    assert "no room to unpack the engine" in fault.message and "30 MB" in fault.fix
