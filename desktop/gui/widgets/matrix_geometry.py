"""Where the cells of the cause matrix lie. Arithmetic only; all figures in logical pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

LETTERS_UP_TO = 200
"""More columns than this are drawn without letters, from 2 px on."""


@dataclass(frozen=True, slots=True)
class MatrixGeometry:
    """left, top: where the first cell's pitch begins. per_column: examples that share one column."""

    rows: int
    examples: int
    left: int
    top: int
    column_pitch: int
    row_pitch: int
    cell_width: int
    cell_height: int
    per_column: int
    letters: bool

    @property
    def columns(self) -> int:
        return math.ceil(self.examples / self.per_column)

    @property
    def width(self) -> int:
        """Of everything, names included."""
        return self.left + self.columns * self.column_pitch

    @property
    def height(self) -> int:
        return self.top + self.rows * self.row_pitch

    def box(self, row: int, column: int) -> tuple[int, int, int, int]:
        """x, y, width, height of one cell before scrolling."""
        x = self.left + column * self.column_pitch + (self.column_pitch - self.cell_width) // 2
        y = self.top + row * self.row_pitch + (self.row_pitch - self.cell_height) // 2
        return x, y, self.cell_width, self.cell_height

    def column_of(self, example: int) -> int:
        return example // self.per_column

    def span(self, column: int) -> range:
        """The examples in a column."""
        first = column * self.per_column
        return range(first, min(first + self.per_column, self.examples))

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """Row and first example under a point before scrolling, or None beside the cells."""
        if x < self.left or y < self.top:
            return None
        row, column = (y - self.top) // self.row_pitch, (x - self.left) // self.column_pitch
        if row >= self.rows or column >= self.columns:
            return None
        return row, column * self.per_column


def lay_out(
    *,
    rows: int,
    examples: int,
    width: int,
    left: int,
    top: int,
    cell: int,
    narrow: int,
    wide: int,
    row_pitch: int,
) -> MatrixGeometry:
    """width: of the whole view. cell: side of a lettered cell; narrow, wide: limits of its pitch.

    Up to 200 examples keep their letters and scroll when there are too many. Beyond that columns shrink down
    to 2 px, and then several examples share one.
    """
    room = max(width - left, 1)
    count = max(examples, 1)
    if examples <= LETTERS_UP_TO:
        pitch = min(max(room // count, narrow), wide)
        return MatrixGeometry(rows, examples, left, top, pitch, row_pitch, cell, cell, 1, True)
    pitch = max(room // count, 2)
    per_column = math.ceil(count * pitch / room) if pitch * count > room else 1
    cell_width = pitch - 1 if pitch > 3 else pitch
    return MatrixGeometry(rows, examples, left, top, pitch, row_pitch, cell_width, cell, per_column, False)
