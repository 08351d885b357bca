"""A zip's entries are counted before the library builds its directory, whatever its end record says."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.application.evidence.look import contents_of, look_into
from desktop.ingest.archive import check_office_zip
from desktop.ingest.arrivals import ArrivalKind, understand
from desktop.ingest.pack_copies import unpack_pack
from desktop.reports.from_bundle import report_of_bundle
from desktop.reports.verify import verify_bundle
from packs.documents import zip_opening
from packs.documents.regular_file import open_regular, read_regular
from packs.documents.zip_opening import holds_at_most, opened_zip
from packs.errors import AppError

ENTRY = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"


def crowded(count: int, *, claimed: int | None = None, long: bool = False, comment: bytes = b"") -> bytes:
    """`count` listed entries, and an end record that claims `claimed`. long: the form for large zips."""
    said = count if claimed is None else claimed
    directory = ENTRY * count
    content = bytearray(directory)
    if long:
        content += struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, said, said, len(directory), 0)
        content += struct.pack("<4sLQL", b"PK\6\7", 0, len(directory), 1)
        content += struct.pack(
            "<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, len(comment)
        )
    else:
        short = min(said, 0xFFFF)
        content += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, short, short, len(directory), 0, len(comment))
    return bytes(content + comment)


@pytest.mark.parametrize("comment", [b"", b"made by hand", b"x" * 0xFFFF])
@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("claimed", [None, 0, 3])
def test_that_entries_are_counted_as_the_library_would_build_them(
    claimed: int | None, long: bool, comment: bytes
) -> None:
    stream = io.BytesIO(crowded(12, claimed=claimed, long=long, comment=comment))
    with zipfile.ZipFile(stream) as archive:
        assert len(archive.infolist()) == 12
    assert holds_at_most(stream, 12)
    assert not holds_at_most(stream, 11)


def test_that_an_end_record_of_more_is_believed() -> None:
    assert not holds_at_most(io.BytesIO(crowded(1, claimed=2_000_000, long=True)), 10_000)


def test_that_no_more_entries_are_walked_than_the_limit() -> None:
    class Counted(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1) -> bytes:
            self.reads += 1
            return super().read(size)

    stream = Counted(crowded(50_000, claimed=1))
    assert not holds_at_most(stream, 100)
    assert stream.reads <= 103


def test_that_a_directory_of_long_names_is_bounded_by_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_opening, "DIRECTORY_BYTES", 400)
    assert holds_at_most(io.BytesIO(crowded(8)), 100)
    assert not holds_at_most(io.BytesIO(crowded(9)), 100)


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\5\6", b"no zip at all" * 9, crowded(5)[:-4], ENTRY * 3])
def test_that_what_is_no_zip_is_left_to_the_library_to_say(content: bytes, tmp_path: Path) -> None:
    assert holds_at_most(io.BytesIO(content), 1_000)
    file = tmp_path / "odd.zip"
    file.write_bytes(content)
    with pytest.raises(zipfile.BadZipFile), opened_zip(file, 1_000):
        pass


OPENERS: list[Callable[[Path, Path], object]] = [
    lambda file, _: check_office_zip(file),
    unpack_pack,
    lambda file, _: look_into(file),
    lambda file, _: contents_of(file),
    lambda file, _: verify_bundle(file),
    lambda file, _: report_of_bundle(file, created_at=""),
]


@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize("claimed", [0, None])
def test_that_no_opener_builds_the_directory_of_a_crowded_zip(
    opener: Callable[[Path, Path], object], claimed: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "crowded.zip"
    file.write_bytes(crowded(zip_opening.MOST_ENTRIES + 1, claimed=claimed, long=True))
    built: list[object] = []
    monkeypatch.setattr(zipfile, "ZipInfo", lambda *_: built.append(None))
    with pytest.raises(AppError) as caught:
        opener(file, tmp_path / "out")
    assert caught.value.code == "too_large"
    assert not built
    arrived = understand(file)
    assert arrived.kind is ArrivalKind.UNKNOWN and "200,000" in arrived.message
    assert not built


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_that_only_ordinary_files_are_opened_and_never_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for odd in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError) as caught:
            open_regular(odd)
        assert caught.value.strerror


def test_that_a_file_over_its_limit_is_refused_and_one_at_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(b"12345")
    assert read_regular(file, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_regular(file, 4)
