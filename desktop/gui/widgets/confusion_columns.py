"""Columns of a confusion matrix: a row a reference, a column an answer; where both agree it is right.

table.setModel(RowsModel(confusion_columns(theme, ("billing", "returns", "[missing]"))))
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from desktop.gui.theme import Theme
from desktop.gui.widgets.rows_model import Column

MatrixRow = tuple[str, tuple[int, ...]]
"""(reference, counts in the order of the columns)."""
_BACKGROUND = int(Qt.ItemDataRole.BackgroundRole)


def confusion_columns(theme: Theme, names: Sequence[str], first: str = "Expected") -> list[Column[MatrixRow]]:
    columns: list[Column[MatrixRow]] = [Column(first, lambda row: row[0], tooltip=lambda row: row[0])]
    return columns + [_column(theme, name, place) for place, name in enumerate(names)]


def _column(theme: Theme, name: str, place: int) -> Column[MatrixRow]:
    def ground(row: MatrixRow) -> QColor | None:
        if not row[1][place]:
            return None
        tokens = theme.tokens
        return QColor(tokens.good_soft if row[0] == name else tokens.bad_soft)

    def spoken(row: MatrixRow) -> str:
        word = "right" if row[0] == name else f"answered {name}"
        return f"{row[1][place]} {word}"

    return Column(
        name,
        lambda row: str(row[1][place]) if row[1][place] else "·",
        right=True,
        sort=lambda row: row[1][place],
        spoken=spoken,
        roles={_BACKGROUND: ground},
    )
