"""What the program keeps is for its owner alone, and its children are told no secret."""

from __future__ import annotations

import logging.handlers
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.application.recovery_copies import RecoveryFolder
from desktop.foundation.child_environment import child_environment
from desktop.foundation.crash_reports import TraceOfThisProcess
from desktop.foundation.logs import start_logging
from desktop.foundation.private_files import make_private_folder, touch_private
from desktop.foundation.settings import SettingsFile
from desktop.reports.renderers import write_bytes
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.qualification.store import write_bundle
from packs.documents.atomic import write_atomically

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such bits")


@pytest.fixture(autouse=True)
def _usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {str(one.relative_to(folder)): one.stat().st_mode & 0o777 for one in folder.rglob("*")}


def test_that_what_the_program_keeps_for_itself_is_readable_for_its_owner_only(tmp_path: Path) -> None:
    with JournalWriter(tmp_path / "data" / "runs.db"):
        inside = modes(tmp_path)
    SettingsFile(tmp_path / "config").change()
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert RecoveryFolder(tmp_path / "recovery").keep(Path("/pack"), {"prompt.md": b"secret"}, now)
    trace = TraceOfThisProcess(tmp_path / "crashes")
    trace.begin()
    trace.end()
    write_bytes(b"answers", tmp_path / "report.html")
    write_bundle(tmp_path / "bundle", {"outputs.jsonl": b"answers"})
    found = {**inside, **modes(tmp_path)}
    for name, mode in found.items():
        if name.startswith("bundle/"):
            continue  # behind a folder that nobody else enters
        assert mode & 0o077 == 0, name
    assert {"data", "config", "recovery", "crashes", "bundle", "data/runs.db"} <= set(found)


def test_that_a_log_is_readable_for_its_owner_only_also_after_it_was_turned(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = root.handlers[:]
    file = start_logging(tmp_path / "logs")
    assert file is not None
    (handler,) = [one for one in root.handlers if one not in before]
    try:
        logging.getLogger("packs").warning("something")
        assert isinstance(handler, logging.handlers.RotatingFileHandler)
        handler.doRollover()
        assert set(modes(tmp_path).values()) == {0o600, 0o700}
    finally:
        root.removeHandler(handler)
        handler.close()


def test_that_folders_that_are_there_stay_as_they_are_and_a_file_is_not_made_twice(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private_folder(tmp_path / "a" / "b")
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert modes(tmp_path) == {"a": 0o700, "a/b": 0o700}
    touch_private(tmp_path / "a" / "file")
    (tmp_path / "a" / "file").write_text("kept")
    touch_private(tmp_path / "a" / "file")
    assert (tmp_path / "a" / "file").read_text() == "kept"


def test_that_a_pack_that_is_written_is_for_whom_the_mask_says(tmp_path: Path) -> None:
    write_atomically(tmp_path / "task.yaml", b"name: x")
    assert (tmp_path / "task.yaml").stat().st_mode & 0o777 == 0o644


def test_that_a_child_is_given_what_it_needs_and_no_secret_whatever_its_name() -> None:
    secrets = {
        "ANTHROPIC_API_KEY": "1",
        "PACKBENCH_API_KEY": "2",
        "PACKBENCH_KEY_PASSPHRASE": "3",
        "OPENAI_API_KEY": "4",
        "HF_TOKEN": "5",
        "AWS_SECRET_ACCESS_KEY": "6",
        "DATABASE_URL": "postgres://me:pass@host",
        "GGML_TOKEN": "7",
        "LC_API_KEY": "8",
        "MY_OWN": "9",
    }
    needed = {
        "PATH": "/bin",
        "Path": "C:/",
        "HOME": "/h",
        "LC_ALL": "C",
        "SystemRoot": "C:/W",
        "OMP_NUM_THREADS": "2",
    }
    assert child_environment({**secrets, **needed}) == needed
