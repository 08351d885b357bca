"""`packbench import TABLE DIR`: examples from a spreadsheet become a pack."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from desktop.cli.command import Command, UsageError, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields, problem_fields
from desktop.ingest.pack_folder import check_target, write_new_pack
from desktop.ingest.table_import import TableImport, imported_files, look_at_table
from desktop.ingest.tables.model import RejectedRow, TableFormat
from desktop.reports import text
from packs import numbers
from packs.documents.problems import Problem, has_errors

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
_SHOWN_ROWS = 20
_PREVIEW_ROWS = 3


def describe(parser: argparse.ArgumentParser) -> None:
    from packs.task.scorers import SCORERS

    parser.add_argument("table", metavar="TABLE", help="CSV, TSV, XLSX, JSONL, or DOCX with a table")
    parser.add_argument("folder", metavar="DIR", nargs="?", help="the new pack's folder")
    parser.add_argument("--input", metavar="COL", help="the column with the input")
    parser.add_argument("--expected", metavar="COL[,COL…]", help="the column(s) with the expected answer")
    parser.add_argument("--scorer", metavar="NAME", help=", ".join(SCORERS.names))
    parser.add_argument("--name", help="the pack's name; the folder's name when left out")
    parser.add_argument("--encoding", help="utf-8, utf-16-le, windows-1252, … when it was not found rightly")
    parser.add_argument("--delimiter", choices=tuple(_DELIMITERS), help="what separates the columns")
    parser.add_argument("--decimal", choices=("point", "comma"), help="how numbers are written")
    parser.add_argument("--header", choices=("yes", "no"), help="is the first row the names of the columns?")
    parser.add_argument("--sheet", help="the sheet of a workbook, or 'Table 2' of a document")
    parser.add_argument("--dry-run", action="store_true", help="show what would be made, write nothing")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.folder is None and not arguments.dry_run:
        raise UsageError("No folder is named for the new pack.", "Name one, or use --dry-run to look first.")
    if arguments.folder is not None and not arguments.dry_run:
        check_target(Path(arguments.folder))
    wanted = TableFormat(
        encoding=arguments.encoding,
        delimiter=_DELIMITERS.get(arguments.delimiter),
        has_header=None if arguments.header is None else arguments.header == "yes",
        decimal={"point": ".", "comma": ","}.get(arguments.decimal),
        sheet=arguments.sheet,
    )
    expected = [name.strip() for name in arguments.expected.split(",")] if arguments.expected else None
    found = look_at_table(
        Path(arguments.table),
        wanted,
        input_column=arguments.input,
        expected_columns=expected,
        scorer=arguments.scorer,
    )
    if not arguments.json:
        _print_found(found, context)
    problems: tuple[Problem, ...] = ()
    if not arguments.dry_run:
        folder = Path(arguments.folder)
        write_new_pack(folder, imported_files(found, arguments.name or folder.name))
        problems = _checked(folder)
    if arguments.json:
        context.terminal.document(DOCUMENT.stamped(_document(found, arguments, problems)))
    elif not arguments.dry_run:
        _print_written(Path(arguments.folder), problems, context)
    if found.mapping is None:
        return Exit.PROBLEMS
    return Exit.PROBLEMS if has_errors(problems) else Exit.DONE


def _checked(folder: Path) -> tuple[Problem, ...]:
    from packs.task.loader import load_pack

    return tuple(load_pack(folder).problems)


def _print_found(found: TableImport, context: Context) -> None:
    out = context.terminal
    for note in found.table.notes:
        out.line(text.one_line(note))
    out.line(f"Columns: {', '.join(text.one_line(name, 40) for name in found.table.columns)}.")
    for reason in found.reasons:
        out.line(text.one_line(reason))
    if found.examples is None:
        out.line(out.style("Name the columns with --input and --expected.", "warn"))
        return
    for example in found.examples.examples[:_PREVIEW_ROWS]:
        shown = text.one_line(example.input, 60)
        out.line(f"  row {example.row}: {shown} → {text.one_line(_written(example.expected), 40)}")
    out.line(found.examples.summary())
    _print_rows(found.examples.rejected, "rejected", context)
    _print_rows(found.examples.repeated, "left out", context)


def _print_rows(rows: tuple[RejectedRow, ...], word: str, context: Context) -> None:
    out = context.terminal
    for row in rows[:_SHOWN_ROWS]:
        out.line(f"  row {row.number} {word}: {text.one_line(row.reason)}")
    if len(rows) > _SHOWN_ROWS:
        out.line(f"  … and {len(rows) - _SHOWN_ROWS} more; --json names all of them")


def _print_written(folder: Path, problems: tuple[Problem, ...], context: Context) -> None:
    out = context.terminal
    count = sum(1 for problem in problems if has_errors([problem]))
    state = f"{numbers.count(count, 'problem')} to mend" if count else "it can be used"
    out.line(f"The pack is in {text.one_line(str(folder))}: {state}.")
    out.line("Next: say in prompt.md what the task is, then: packbench validate " + text.one_line(str(folder)))


def _document(
    found: TableImport, arguments: argparse.Namespace, problems: tuple[Problem, ...]
) -> dict[str, object]:
    read_as = found.table.format
    mapping = found.mapping
    return {
        "table": str(found.file),
        "folder": arguments.folder if not arguments.dry_run else None,
        "format": {
            "encoding": read_as.encoding,
            "delimiter": read_as.delimiter,
            "header": read_as.has_header,
            "decimal": read_as.decimal,
            "sheet": read_as.sheet,
        },
        "columns": list(found.table.columns),
        "mapping": None
        if mapping is None
        else {
            "input": mapping.input,
            "expected": list(mapping.expected),
            "scorer": mapping.scorer,
            "scorer_params": mapping.scorer_params,
        },
        "reasons": list(found.reasons),
        "used": len(found.examples.examples) if found.examples else 0,
        "empty": list(found.examples.empty) if found.examples else [],
        "repeated": _rows(found.examples.repeated if found.examples else ()),
        "rejected": _rows(found.examples.rejected if found.examples else found.table.rejected),
        "problems": [problem.as_json() for problem in problems],
    }


def _rows(rows: tuple[RejectedRow, ...]) -> list[dict[str, object]]:
    return [{"row": row.number, "reason": row.reason} for row in rows]


def _written(expected: object) -> str:
    """As it will stand in the example's file; a text without its quotes."""
    return expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)


DOCUMENT = JsonDocument(
    "packbench-import/1",
    (
        *fields(
            ("table", "string", "the file that was read"),
            ("folder", "string or null", "the new pack; null with --dry-run"),
            ("format", "object", "how the table was read"),
            ("format.encoding", "string or null", "of its text"),
            ("format.delimiter", "string or null", "between two columns"),
            ("format.header", "boolean or null", "is the first row names?"),
            ("format.decimal", "string or null", "the sign in numbers"),
            ("format.sheet", "string or null", "of a workbook or document"),
            ("columns", "array", "their names"),
            ("mapping", "object or null", "what becomes what; null when it was not found"),
            ("mapping.input", "string", "the column with the input"),
            ("mapping.expected", "array", "the columns with the answer"),
            ("mapping.scorer", "string", "how answers are judged"),
            ("mapping.scorer_params", "object", "settings of the scorer"),
            ("reasons", "array", "why it was taken so, one sentence each"),
            ("used", "integer", "rows that became examples"),
            ("empty", "array", "numbers of the rows without anything in them"),
            ("repeated", "array", "rows that say what another said"),
            ("repeated[].row", "integer", "its number in the file"),
            ("repeated[].reason", "string", "which one it repeats"),
            ("rejected", "array", "rows that became no example"),
            ("rejected[].row", "integer", "its number in the file"),
            ("rejected[].reason", "string", "why"),
        ),
        *problem_fields("problems"),
    ),
)

COMMAND = Command(
    "import",
    "Makes a pack from a table of real examples. Shows how the table was read and what it would\n"
    "become; every row is accounted for. Nothing that is there is overwritten.",
    describe,
    run,
    (
        "packbench import tickets.csv ./tickets --dry-run",
        "packbench import invoices.xlsx ./invoices --input text --expected vendor,total,due_date",
    ),
    documents=(DOCUMENT,),
    exits={0: "the pack is made, or can be", 1: "columns were not found, or the pack has problems"},
)
