"""From a table to a pack: looked at first, written only when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop.ingest.tables.examples import ImportedExamples, build_examples
from desktop.ingest.tables.model import DataTable, TableFormat
from desktop.ingest.tables.proposal import Mapping, propose
from desktop.ingest.tables.read import read_table
from packs.errors import AppError
from packs.registry import nearest
from packs.task.new_pack import NewExample, NewPack, kebab, pack_files
from packs.task.scorers import SCORERS


@dataclass(frozen=True, slots=True)
class TableImport:
    """What an import would make. mapping: None when it is not known which columns to use; then no examples."""

    file: Path
    table: DataTable
    mapping: Mapping | None
    reasons: tuple[str, ...]
    examples: ImportedExamples | None


def look_at_table(
    file: Path,
    wanted: TableFormat | None = None,
    *,
    input_column: str | None = None,
    expected_columns: Sequence[str] | None = None,
    scorer: str | None = None,
    table: DataTable | None = None,
) -> TableImport:
    """Read a table and say what it would become; what is given is taken, the rest is found. Writes nothing.

    table: of the file, read before with the same `wanted`; saves reading it again.

    Raises AppError, also for a column or scorer that does not exist.
    """
    table = table or read_table(file, wanted)
    for name in [input_column, *(expected_columns or ())]:
        if name is not None and name not in table.columns:
            raise _no_such_column(name, table.columns)
    if scorer is not None and scorer not in SCORERS:
        raise AppError(
            f"There is no scorer '{scorer}'.",
            f"Choose one of: {', '.join(SCORERS.names)}.",
            code="unknown_scorer",
        )
    proposal = propose(table, input_column=input_column, expected_columns=expected_columns, scorer=scorer)
    examples = build_examples(table, proposal.mapping) if proposal.mapping else None
    return TableImport(file, table, proposal.mapping, proposal.reasons, examples)


def imported_files(found: TableImport, name: str | None = None) -> dict[str, bytes]:
    """The files of the pack. name: of the pack; the table's file name when None. Raises AppError."""
    if found.mapping is None or found.examples is None:
        raise AppError(
            f"It is not clear which columns of {found.file.name} are the input and the expected answer.",
            f"Name them; the columns are: {', '.join(found.table.columns)}.",
            code="columns_unknown",
        )
    if not found.examples.examples:
        raise AppError(
            f"No row of {found.file.name} can become an example: {found.examples.summary()}",
            "Look at the rejected rows, or choose other columns.",
            code="no_examples",
        )
    mapping = found.mapping
    scorer = SCORERS[mapping.scorer]
    job, form = scorer.job, scorer.scaffold
    pack = NewPack(
        name=name or kebab(found.file.stem) or "imported",
        type=job.name if job is not None else form.type,
        scorer=mapping.scorer,
        scorer_params=mapping.scorer_params,
        prompt=job.prompt(scorer.purpose, mapping.scorer_params) if job is not None else form.prompt,
        examples=[NewExample(example.input, example.expected) for example in found.examples.examples],
        comment=(
            f"Examples from {_one_line(found.file.name)}.",
            "Say in prompt.md what the task is, then check this pack and run it.",
        ),
    )
    return pack_files(pack)


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _no_such_column(name: str, columns: Sequence[str]) -> AppError:
    meant = nearest(name, columns)
    hint = f"Did you mean '{meant}'? " if meant else ""
    return AppError(
        f"The table has no column '{name}'.",
        f"{hint}The columns are: {', '.join(columns)}.",
        code="no_such_column",
    )
