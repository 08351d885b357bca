"""What is read when a pack is opened."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from desktop.application.opened_pack import read_pack
from packs.documents.files import DiskFiles
from tests.fakes.desk_pack import write_desk_pack


def test_that_each_file_of_a_pack_is_read_once_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_desk_pack(tmp_path / "pack")
    read = DiskFiles.read
    opened: Counter[str] = Counter()

    def counted(files: DiskFiles, path: str, limit: int) -> bytes:
        content = read(files, path, limit)
        opened[path] += 1
        return content

    monkeypatch.setattr(DiskFiles, "read", counted)
    pack = read_pack(folder)
    assert pack.content is not None
    assert set(opened) == set(pack.content.files)
    assert set(opened.values()) == {1}
