"""A table read as a document: each row is a passage, so that a model can draft from it."""

from __future__ import annotations

from pathlib import Path

from desktop.ingest.documents.model import DocumentText, Passage, ReadBudget, document
from desktop.ingest.tables.read import read_table


class TableReader:
    kind = "table"
    suffixes = (".csv", ".tsv", ".xlsx", ".xlsm", ".jsonl")

    def takes(self, file: Path, data: bytes) -> bool:
        return file.suffix.lower() in self.suffixes

    def read(self, file: Path, data: bytes, budget: ReadBudget) -> DocumentText:
        table = read_table(file)
        passages = []
        for row in table.rows:
            budget.check(file.name)
            pairs = zip(table.columns, row.cells, strict=True)
            filled = [f"{name}: {cell}" for name, cell in pairs if cell is not None and str(cell).strip()]
            passages.append(Passage("\n".join(filled), f"row {row.number}"))
        left_out = [f"Row {row.number}: {row.reason}" for row in table.rejected]
        return document(file, data, self.kind, passages, left_out)
