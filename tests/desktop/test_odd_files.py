"""Every reader of a file that somebody may have replaced goes on when it is a pipe: none waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.application.evidence.keys import read_key_file
from desktop.application.run_tasks import with_config
from desktop.foundation.settings import SettingsFile
from desktop.inference.backends.model_references import sha256_of
from desktop.inference.machine.bandwidth_file import BandwidthFile
from desktop.inference.machine.corrections import CorrectionsFile
from desktop.inference.model_files.file_card import CardCache
from desktop.inference.model_files.gguf import read_gguf
from desktop.inference.model_files.library import content_digest
from desktop.ingest.arrivals import understand
from desktop.ingest.documents import read_document
from desktop.ingest.pack_copies import unpack_pack
from desktop.ingest.tables.read import read_table
from desktop.reports.verify import verify_bundle
from desktop.runs.settings import RunSettings
from packs.documents.reading import UnreadableFile, read_bytes
from packs.errors import AppError

READERS: dict[str, Callable[[Path], object]] = {
    "key.pem": read_key_file,
    "run.yaml": lambda file: with_config(RunSettings(config_path=str(file)), None),
    "settings.json": lambda file: SettingsFile(file.parent).current,
    "memory-speed.json": lambda file: BandwidthFile(file.parent).read(4),
    "machine.json": lambda file: CorrectionsFile(file.parent).read(),
    "cards.json": CardCache,
    "model.gguf": read_gguf,
    "hashed.gguf": content_digest,
    "referred.gguf": lambda file: sha256_of([file], lambda: False),
    "dropped.csv": understand,
    "letter.pdf": read_document,
    "pack.zip": lambda file: unpack_pack(file, file.parent),
    "bundle.zip": verify_bundle,
    "table.csv": read_table,
    "book.xlsx": read_table,
    "side.yaml": lambda file: read_bytes(file, 100),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
@pytest.mark.parametrize("name", READERS)
def test_that_no_reader_waits_for_a_pipe(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    os.mkfifo(file)
    try:
        READERS[name](file)
    except (AppError, UnreadableFile, OSError) as error:
        assert str(error)
