"""What new examples begin with, and rows of a spreadsheet as example files. Free of Qt."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from desktop.application.example_rows import next_example_file
from packs.documents.strict_json import JsonFault, parse
from packs.task.content import PackContent
from packs.task.new_pack import NewExample, example_text
from packs.task.scorers import ExpectedShape
from packs.task.text import normalise

MAX_PASTED = 10_000
_FIELD_BYTES = 1 << 20
_CODE = re.compile(r"\+|-?0[0-9]|.*_", re.DOTALL)
_HEADINGS = frozenset({"input", "text", "question", "example", "expected", "answer", "label", "output"})


def stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].removesuffix(".json")


def usual_expected(content: PackContent) -> object:
    """An expected value of the right kind with nothing in it."""
    scorer, params = content.scorer()
    return scorer.blank(params) if scorer is not None else ""


def number_or_text(text: str) -> int | float | str:
    """The number that the whole text is, else the text."""
    body = text.strip()
    try:
        return int(body)
    except ValueError:
        pass
    try:
        number = float(body)
    except ValueError:
        return text
    return number if number == number and abs(number) != float("inf") else text


def number_or_code(text: str) -> int | float | str:
    """As `number_or_text`, but what is no amount stays as it is written: `00731`, `+4989…`, `1_000`, `１２`."""
    return text if _CODE.match(text.strip()) or not text.isascii() else number_or_text(text)


def read_expected(content: PackContent, text: str) -> object:
    """What is meant by a cell: a number or JSON where the scorer needs it, else the text."""
    scorer, _ = content.scorer()
    shape = scorer.shape if scorer is not None else None
    if shape is ExpectedShape.NUMBER:
        return number_or_text(text)
    if shape is not ExpectedShape.LABEL and text[:1] in ("{", "["):
        try:
            return parse(text)
        except JsonFault:
            return text
    return text


def pasted_files(content: PackContent, text: str) -> dict[str, bytes | None]:
    """Rows of a spreadsheet as new example files: input, then expected or one column a key field.

    A first row of headings is left out. Cells in quotes may hold several lines. At most `MOST_PASTED` rows.
    """
    return dict(each_pasted(content, text))


def each_pasted(content: PackContent, text: str) -> Iterator[tuple[str, bytes]]:
    """As `pasted_files`, one file after the other, with the names that are free at the first one."""
    rows = _rows(text)
    scorer, params = content.scorer()
    fields = scorer.fields(params) if scorer is not None else []
    if rows and _is_heading(rows[0], fields):
        rows = rows[1:]
    folder = content.examples_folder
    first = next_example_file(content)
    width, number = len(stem(first)), int(stem(first))
    for row in rows[:MAX_PASTED]:
        name = f"{number:0{width}d}.json"
        expected = _expected(content, row[1:], fields)
        data = example_text(NewExample(row[0], expected)).encode()
        yield f"{folder}/{name}" if folder else name, data
        number += 1


def _rows(text: str) -> list[list[str]]:
    """Those that are not blank, no more than are used: a heading and `MOST_PASTED`."""
    before = csv.field_size_limit(_FIELD_BYTES)
    try:
        return _some(csv.reader(io.StringIO(text.replace("\x00", "")), delimiter="\t"))
    except csv.Error:
        return _some(line.split("\t") for line in text.splitlines())
    finally:
        csv.field_size_limit(before)


def _some(rows: Iterable[list[str]]) -> list[list[str]]:
    return list(islice((row for row in rows if any(cell.strip() for cell in row)), MAX_PASTED + 1))


def _is_heading(row: list[str], fields: list[str]) -> bool:
    known = {normalise(name) for name in fields} | _HEADINGS
    cells = [normalise(cell) for cell in row if cell.strip()]
    return len(cells) > 1 and all(cell in known for cell in cells)


def _expected(content: PackContent, cells: list[str], fields: list[str]) -> object:
    if not cells or not any(cell.strip() for cell in cells):
        return usual_expected(content)
    if fields and not cells[0].lstrip().startswith("{"):
        values = [number_or_code(cell.strip()) if cell.strip() else None for cell in cells]
        return dict(zip(fields, [*values, *[None] * len(fields)], strict=False))
    return read_expected(content, cells[0].strip())
