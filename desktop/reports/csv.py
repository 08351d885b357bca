"""Every unit as one row of a table, for spreadsheets: no cell can be taken for a formula."""

from __future__ import annotations

import csv
import io

from desktop.reports.data import ReportData
from desktop.reports.text import csv_cell
from desktop.reports.unit_rows import COLUMNS, Value, cut, unit_rows


def render_csv(data: ReportData) -> bytes:
    """UTF-8 with a byte-order mark (spreadsheets need it), line ends of RFC 4180; unknown is empty.

    As long as nobody has reviewed a drafted pack, a last column `not_reviewed` says so in every row: rows are
    copied and sorted, and nothing else of a table travels along.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    label = [csv_cell(data.label)] if data.label else []
    writer.writerow([*COLUMNS, *(["not_reviewed"] if label else [])])
    writer.writerows([*map(_cell, row), *label] for row in unit_rows(data))
    return b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8", "replace")


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return csv_cell(cut(value)) if isinstance(value, str) else repr(value)
