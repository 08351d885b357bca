"""JSON lines: one object a line; its keys are the columns."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from desktop.ingest.encoding import decode
from desktop.ingest.limits import MAX_COLUMNS, MAX_ROWS
from desktop.ingest.tables.model import Cell, DataTable, RejectedRow, TableFormat, TableRow
from packs.errors import AppError

_MAX_DIGITS = 300
"""Longer ones are beyond every double."""


def read_json_lines(data: bytes, wanted: TableFormat, *, name: str) -> DataTable:
    """Lines split at LF only, so that other line separators inside texts stay. A whole JSON list of objects is
    accepted as well. Raises AppError."""
    decoded = decode(data, wanted.encoding, name=name)
    objects: list[tuple[int, dict[str, Cell]]] = []
    rejected: list[RejectedRow] = []
    whole = _whole_list(decoded.text)
    if whole is not None:
        for number, entry in enumerate(whole, start=1):
            _take(entry, number, objects, rejected)
    else:
        for number, line in enumerate(decoded.text.split("\n"), start=1):
            if not line.strip():
                continue
            if number > MAX_ROWS:
                raise _too_many()
            try:
                entry = strict_json(line)
            except (ValueError, RecursionError) as error:
                rejected.append(RejectedRow(number, f"The line is not JSON: {_reported(error)}."))
                continue
            _take(entry, number, objects, rejected)
    if len(objects) > MAX_ROWS:
        raise _too_many()
    columns = list(dict.fromkeys(key for _, entry in objects for key in entry))
    if not columns:
        raise AppError(f"{name} has no rows.", "Choose a file with one JSON object a line.", code="empty_table")
    if len(columns) > MAX_COLUMNS:
        raise AppError(
            f"{name} has more than {MAX_COLUMNS} different keys.", "Use fewer keys.", code="too_large"
        )
    rows = tuple(TableRow(number, tuple(entry.get(key) for key in columns)) for number, entry in objects)
    found = TableFormat(encoding=decoded.encoding, has_header=True, decimal=wanted.decimal or ".")
    notes = (f"Encoding: {decoded.encoding} ({decoded.reason}).", "One JSON object a line.")
    return DataTable(tuple(columns), rows, found, notes, tuple(rejected))


def strict_json(text: str) -> Any:
    """JSON without NaN and Infinity, nor numbers that become it. Raises ValueError or RecursionError."""
    return json.loads(text, parse_constant=_refuse, parse_int=_whole_number, parse_float=_number)


def _whole_number(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number has more than {_MAX_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not allowed in JSON")


def _whole_list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        value = strict_json(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) and len(value) <= MAX_ROWS else None


def _take(
    entry: object, number: int, objects: list[tuple[int, dict[str, Cell]]], rejected: list[RejectedRow]
) -> None:
    if not isinstance(entry, dict):
        rejected.append(RejectedRow(number, "The line is not a JSON object."))
    elif not can_be_written(entry):
        rejected.append(RejectedRow(number, "The line holds half of a character, which no file can keep."))
    else:
        objects.append((number, entry))


def can_be_written(value: object) -> bool:
    """Is every text in it whole? JSON may name half of a pair (`\\ud800`), which UTF-8 does not know."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _reported(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {error.colno}"
    return str(error) if isinstance(error, ValueError) else "nested too deeply"


def _too_many() -> AppError:
    return AppError(
        f"The file has more than {MAX_ROWS:,} rows.",
        "Take the rows that are needed into a smaller file; 20 to 50 examples are enough.",
        code="too_large",
    )
