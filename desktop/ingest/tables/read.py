"""One door for all tables: the kind is found by content first, by name second."""

from __future__ import annotations

from pathlib import Path

from desktop.ingest.archive import read_bytes
from desktop.ingest.damage import reported_as_damaged
from desktop.ingest.tables.delimited import read_delimited
from desktop.ingest.tables.json_lines import read_json_lines
from desktop.ingest.tables.model import DataTable, TableFormat
from desktop.ingest.tables.word import read_word_table
from desktop.ingest.tables.workbook import read_workbook
from packs.errors import AppError

SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".xlsx", ".xlsm", ".docx", ".jsonl", ".ndjson", ".json")


def read_table(file: Path, wanted: TableFormat | None = None) -> DataTable:
    """Read a table of examples; what `wanted` leaves open is found from the content. Raises AppError."""
    wanted = wanted or TableFormat()
    data = read_bytes(file)
    with reported_as_damaged(file.name):
        return _read(file, data, wanted)


def _read(file: Path, data: bytes, wanted: TableFormat) -> DataTable:
    if data.startswith(b"PK\x03\x04"):
        return read_word_table(file, wanted) if file.suffix.lower() == ".docx" else read_workbook(file, wanted)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise AppError(
            f"{file.name} is a workbook of the old kind (.xls), or is protected with a password.",
            "Save it as .xlsx without a password.",
            code="old_workbook",
        )
    if file.suffix.lower() in (".jsonl", ".ndjson", ".json"):
        return read_json_lines(data, wanted, name=file.name)
    return read_delimited(data, wanted, name=file.name)
