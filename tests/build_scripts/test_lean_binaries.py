"""Libraries of the one-file program are made smaller without losing what is used."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from build_scripts.lean_binaries import (
    ICU_LEFT_OUT,
    Entry,
    common_data,
    loads,
    packed_for_later,
    part_of,
    stripped,
    without_items,
    without_unused_icu_data,
)
from desktop.foundation.frozen.deferred_packages import ARCHIVE, INDEX, RESOURCES
from desktop.foundation.resource_files import SAMPLES

ITEMS = {
    "icudt73l/brkitr/root.res": b"breaks" * 10,
    "icudt73l/coll/root.res": b"sorting" * 3,
    "icudt73l/curr/de.res": b"money" * 100,
    "icudt73l/root.res": b"root",
}
HEADER = 32


def icu_data(items: dict[str, bytes]) -> bytes:
    """As ICU's own tool writes it: header, count, pairs, names, items at multiples of 16."""
    head = struct.pack("<HBB", HEADER, 0xDA, 0x27) + b"\x14\0\0\0\0\0\2\0" + b"CmnD"
    names = b"".join(name.encode() + b"\0" for name in items)
    body_at = 4 + 8 * len(items) + len(names)
    body_at += -body_at % 16
    table, body, name_at = struct.pack("<I", len(items)), b"", 4 + 8 * len(items)
    for name, content in items.items():
        table += struct.pack("<II", name_at, body_at + len(body))
        name_at += len(name) + 1
        body += content + b"\0" * (-len(content) % 16)
    between = b"\0" * (body_at - 4 - 8 * len(items) - len(names))
    return head.ljust(HEADER, b"\0") + table + names + between + body


def read_items(data: bytes) -> dict[str, bytes]:
    (count,) = struct.unpack_from("<I", data, HEADER)
    pairs = [struct.unpack_from("<II", data, HEADER + 4 + 8 * index) for index in range(count)]
    ends = [HEADER + start for _, start in pairs[1:]] + [len(data)]
    found = {}
    for (name, start), end in zip(pairs, ends, strict=True):
        text = data[HEADER + name : data.index(b"\0", HEADER + name)].decode()
        assert (HEADER + start) % 16 == 0
        found[text] = data[HEADER + start : end].rstrip(b"\0")
    return found


def test_that_left_out_folders_go_and_the_rest_stays_readable() -> None:
    data = icu_data(ITEMS)
    assert read_items(data) == ITEMS
    smaller = without_items(data, ICU_LEFT_OUT)
    assert smaller is not None and len(smaller) < len(data)
    assert read_items(smaller) == {
        name: ITEMS[name] for name in ("icudt73l/coll/root.res", "icudt73l/root.res")
    }


def test_that_data_in_a_library_is_found_by_its_header() -> None:
    data = icu_data(ITEMS)
    assert common_data(b"\x7fELF CmnD \0icudt73_dat\0" + data) == ("icudt73_dat", data)
    assert common_data(b"\x7fELF \0icudt73_dat\0 nothing") is None
    assert common_data(data) is None, "no symbol"


@pytest.mark.parametrize("count", [0, 2**31])
def test_that_data_that_is_not_understood_is_left_as_it_is(count: int) -> None:
    data = bytearray(icu_data(ITEMS))
    struct.pack_into("<I", data, HEADER, count)
    assert without_items(bytes(data), ICU_LEFT_OUT) is None


def test_that_a_file_that_is_no_library_is_taken_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "libicudata.so.73"
    file.write_bytes(b"no library")
    entries: list[Entry] = [("xllamacpp/x.so", str(file), "BINARY"), (file.name, str(file), "BINARY")]
    assert stripped(entries, tmp_path / "work") == entries
    assert without_unused_icu_data(entries, tmp_path / "work") == entries


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("ld"), reason="needs the linker of Linux")
def test_that_the_library_that_qt_brings_still_loads_and_sorts_when_it_is_smaller(tmp_path: Path) -> None:
    import PySide6

    source = next((Path(PySide6.__file__).parent / "Qt" / "lib").glob("libicudata.so.*"))
    entry = (f"PySide6/Qt/lib/{source.name}", str(source), "BINARY")
    (made,) = without_unused_icu_data([entry], tmp_path)
    assert made[0] == entry[0] and made[1] != entry[1]
    assert Path(made[1]).stat().st_size < 0.6 * source.stat().st_size
    assert loads(Path(made[1]))
    ran = subprocess.run(
        [sys.executable, "-c", _SORTING],
        env={"LD_PRELOAD": made[1], "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == ["a ä o ö z", "a o z ä ö", "True", made[1]]


_SORTING = """
from functools import cmp_to_key
from PySide6.QtCore import QCollator, QLocale, QStringDecoder
for name in ("de", "sv"):
    order = QCollator(QLocale(name))
    print(*sorted(["z", "ä", "a", "o", "ö"], key=cmp_to_key(order.compare)))
print(QStringDecoder("EUC-JP").isValid())
with open("/proc/self/maps") as maps:
    print(*{line.split()[-1] for line in maps if "libicudata" in line})
"""


DYNLOAD = "python3.11/lib-dynload"


@pytest.mark.parametrize(
    ("place", "part"),
    [
        ("xllamacpp/xllamacpp.abi3.so", "xllamacpp"),
        ("docx/templates/default.docx", "docx"),
        ("_cffi_backend.cpython-311-x86_64-linux-gnu.so", "_cffi_backend"),
        (f"{DYNLOAD}/_codecs_jp.cpython-311-x86_64-linux-gnu.so", "_codecs_jp"),
        ("packs/samples/small/task.yaml", SAMPLES),
        (f"{DYNLOAD}/_ctypes.cpython-311-x86_64-linux-gnu.so", None),
        ("PySide6/QtCore.abi3.so", None),
        ("libz.so.1", None),
        ("cryptography-50.0.2.dist-info/METADATA", None),
    ],
)
def test_that_a_file_waits_for_the_module_it_belongs_to(place: str, part: str | None) -> None:
    assert part_of((place, "", "BINARY")) == part


def test_that_seldom_needed_files_are_packed_and_the_rest_is_not(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"engine" * 1000)
    entries: list[Entry] = [
        ("xllamacpp/xllamacpp.abi3.so", str(file), "EXTENSION"),
        ("libgomp.so.1", str(file), "BINARY"),
        ("xllamacpp/link.so", "xllamacpp.abi3.so", "SYMLINK"),
        ("resources/help/index.md", str(file), "DATA"),
    ]
    work = tmp_path / "work"
    now = packed_for_later(entries, work)
    assert now[:2] == entries[1:3]
    assert [place for place, _, _ in now[2:]] == [f"later/{name}" for name in (INDEX, ARCHIVE, RESOURCES)]
    assert (work / INDEX).read_text() == "xllamacpp\txllamacpp/xllamacpp.abi3.so\n"
    with zipfile.ZipFile(work / ARCHIVE) as archive:
        assert archive.read("xllamacpp/xllamacpp.abi3.so") == file.read_bytes()
    with zipfile.ZipFile(work / RESOURCES) as archive:
        assert archive.namelist() == ["help/index.md"]
    first = (work / ARCHIVE).read_bytes()
    packed_for_later(entries, work)
    assert (work / ARCHIVE).read_bytes() == first, "the same files make the same archive"
