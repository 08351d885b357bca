"""What a drawing is made of, whoever draws it: the window and paper by Qt, a page as SVG.

Lengths are pixels, y grows downward. Tones are names of colours in `desktop.foundation.colours.Tokens`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def middle(self) -> float:
        """Of its height."""
        return self.top + self.height / 2

    def shared(self, other: Box) -> float:
        """Area of both."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """ruled: part of the axes, drawn on whole pixels."""

    x1: float
    y1: float
    x2: float
    y2: float
    tone: str
    width: float = 1.0
    ruled: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """Dashed, through all points."""

    points: tuple[tuple[float, float], ...]
    tone: str


@dataclass(frozen=True, slots=True)
class Bar:
    """Filled. title: what it says to whoever does not see it."""

    box: Box
    tone: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Square:
    """Filled, with a thin line of paper around it."""

    box: Box
    tone: str


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle filled with paper."""

    box: Box
    tone: str


@dataclass(frozen=True, slots=True)
class Words:
    """x: where it begins, ends or has its middle, by `anchor`: 'start', 'end', 'middle'. y: the baseline.

    halo: a line of paper around every letter.
    """

    x: float
    y: float
    text: str
    tone: str
    anchor: str = "start"
    bold: bool = False
    halo: bool = False
    title: str = ""
    """What it says at length."""


Shape = Line | Way | Bar | Square | Ring | Words


@dataclass(frozen=True, slots=True)
class Letters:
    """How large text is where it is drawn. width(text, bold); cut(text, room, bold): elided in the middle."""

    width: Callable[[str, bool], float]
    cut: Callable[[str, float, bool], str]
    height: float
    ascent: float

    def baseline(self, cell: Box) -> float:
        """Of one line in the middle of a cell."""
        return cell.middle + self.ascent - self.height / 2
