"""A disk that is full while something is written: a sentence, and what was there before is as it was."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.foundation.logs import start_logging
from desktop.foundation.settings import SettingsFile
from desktop.reports.renderers import write_bytes
from packs.documents.writer import write_files
from packs.errors import AppError
from tests.desktop.cli.conftest import Ran
from tests.desktop.cli.conftest import packbench as packbench


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says when the last block is gone."""

    def no_room(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("packs.documents.atomic.os.fsync", no_room)


def test_that_a_report_keeps_the_old_file_and_says_what_to_do(tmp_path: Path, full: None) -> None:
    target = tmp_path / "report.html"
    target.write_text("the old report")
    with pytest.raises(AppError) as caught:
        write_bytes(b"x" * 1000, target)
    assert "No space left" in caught.value.message and "make room" in caught.value.fix
    assert target.read_text() == "the old report"
    assert list(tmp_path.iterdir()) == [target], "no half file is left"


def test_that_a_pack_keeps_its_files(tmp_path: Path, full: None) -> None:
    (tmp_path / "task.yaml").write_text("name: old\n")
    with pytest.raises(AppError) as caught:
        write_files(tmp_path, {"task.yaml": b"name: new\n"})
    assert caught.value.fix
    assert (tmp_path / "task.yaml").read_text() == "name: old\n"


def test_that_settings_that_cannot_be_kept_stop_nothing(tmp_path: Path, full: None) -> None:
    settings = SettingsFile(tmp_path)
    assert settings.change(zoom_percent=150).zoom_percent == 150
    assert SettingsFile(tmp_path).current.zoom_percent == 100


def test_that_new_packs_on_a_full_disk_are_a_sentence(
    tmp_path: Path, full: None, packbench: Callable[..., Ran]
) -> None:
    ran = packbench("init", str(tmp_path / "new"))
    assert ran.code == 3 and "No space left" in ran.err and "fault of ours" not in ran.err


def test_that_a_log_that_cannot_be_written_prints_nothing_over_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import logging

    root = logging.getLogger()
    before = list(root.handlers)
    file = start_logging(tmp_path / "logs")
    assert file is not None
    file.mkdir()
    try:
        logging.getLogger("test").error("cannot be written")
        (tmp_path / "taken").write_text("x")
        assert start_logging(tmp_path / "taken") is None
    finally:
        for handler in [entry for entry in root.handlers if entry not in before]:
            root.removeHandler(handler)
            handler.close()
    assert "Traceback" not in capsys.readouterr().err
    assert sys.stderr is not None
