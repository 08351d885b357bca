"""All colours of the program, light and dark: the only file with a hex value in it.

Free of Qt, so that the window and the HTML reports show the same colours. Figures (WCAG contrast) are kept true
by a test that computes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from packs.task.outcome import Cause


class CauseShape(StrEnum):
    """What a cause looks like without colour."""

    SQUARE = "square"
    """The model answered."""
    HALF = "half"
    """It answered partly right: a square filled in its lower half."""
    CUT_CORNER = "cut_corner"
    """The answer stopped early."""
    CIRCLE = "circle"
    """Not the model's doing."""
    DASHED = "dashed"
    """It did not happen."""


@dataclass(frozen=True, slots=True)
class CauseLook:
    """letter: the same in every language. fill: of the shape; ink: of the letter on it."""

    letter: str
    shape: CauseShape
    fill: str
    ink: str


@dataclass(frozen=True, slots=True)
class MemoryColours:
    """Parts of a memory bar, in the order they are drawn; `chat` is striped with `panel`."""

    weights: str
    chat: str
    working: str
    program: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """Every colour as '#RRGGBB'. The names say what a colour is for, not what it looks like."""

    dark: bool
    window: str
    panel: str
    alt: str
    rail: str
    border: str
    """Hairlines; decoration only."""
    control: str
    """Edges of fields, buttons and boxes, axes."""
    text: str
    muted: str
    accent: str
    on_accent: str
    accent_soft: str
    selection: str
    focus: str
    track: str
    good: str
    good_soft: str
    warn: str
    warn_soft: str
    bad: str
    bad_soft: str
    info: str
    info_soft: str
    memory: MemoryColours
    causes: Mapping[Cause, CauseLook]


CAUSE_ORDER: tuple[Cause, ...] = (
    Cause.CORRECT,
    Cause.PARTLY_CORRECT,
    Cause.WRONG,
    Cause.GATE_FAILED,
    Cause.UNREADABLE,
    Cause.ANSWER_CUT,
    Cause.REASONING_USED_IT_UP,
    Cause.EMPTY,
    Cause.INPUT_CUT,
    Cause.SERVER_ERROR,
    Cause.TIMED_OUT,
    Cause.OUT_OF_MEMORY,
    Cause.CRASHED,
    Cause.TEMPLATE_SUSPECTED,
    Cause.CANCELLED,
    Cause.NOT_RUN,
)
"""Order of parts in a bar."""

_SHAPES: tuple[tuple[str, CauseShape], ...] = (
    ("C", CauseShape.SQUARE),
    ("P", CauseShape.HALF),
    ("W", CauseShape.SQUARE),
    ("G", CauseShape.SQUARE),
    ("U", CauseShape.SQUARE),
    ("A", CauseShape.CUT_CORNER),
    ("R", CauseShape.CUT_CORNER),
    ("E", CauseShape.CUT_CORNER),
    ("I", CauseShape.CIRCLE),
    ("S", CauseShape.CIRCLE),
    ("T", CauseShape.CIRCLE),
    ("M", CauseShape.CIRCLE),
    ("X", CauseShape.CIRCLE),
    ("Q", CauseShape.CIRCLE),
    ("H", CauseShape.DASHED),
    ("N", CauseShape.DASHED),
)


def _causes(*colours: tuple[str, str]) -> Mapping[Cause, CauseLook]:
    """One (fill, ink) for each cause in `CAUSE_ORDER`."""
    return {
        cause: CauseLook(letter, shape, fill, ink)
        for cause, (letter, shape), (fill, ink) in zip(CAUSE_ORDER, _SHAPES, colours, strict=True)
    }


LIGHT = Tokens(
    dark=False,
    window="#F3F4F5",
    panel="#FFFFFF",
    alt="#F8F9FA",
    rail="#E9EBED",
    border="#D3D7DB",
    control="#868E96",
    text="#1B1F23",
    muted="#59626B",
    accent="#0B6B6F",
    on_accent="#FFFFFF",
    accent_soft="#DCEEEE",
    selection="#CFE6E6",
    focus="#0B6B6F",
    track="#E7EAED",
    good="#1B6E3C",
    good_soft="#DDF0E3",
    warn="#8A5300",
    warn_soft="#FBEBD0",
    bad="#B3261E",
    bad_soft="#FBE1DF",
    info="#2B5C9E",
    info_soft="#DFEAF8",
    memory=MemoryColours(weights="#0B6B6F", chat="#4F7FBF", working="#A67113", program="#737B83"),
    causes=_causes(
        ("#CFE8D6", "#14532D"),
        ("#E3ECBE", "#3F5212"),
        ("#B3261E", "#FFFFFF"),
        ("#8C2F5E", "#FFFFFF"),
        ("#A04A12", "#FFFFFF"),
        ("#FBE3B5", "#6B4300"),
        ("#F1E3A4", "#5C4A00"),
        ("#EFE6D8", "#5F4A2C"),
        ("#D5E6F7", "#1B4F82"),
        ("#2B5C9E", "#FFFFFF"),
        ("#CDE7EC", "#0E5360"),
        ("#4B3A8C", "#FFFFFF"),
        ("#343B43", "#FFFFFF"),
        ("#DCDDF5", "#3B3F94"),
        ("#FFFFFF", "#59626B"),
        ("#FFFFFF", "#59626B"),
    ),
)

DARK = Tokens(
    dark=True,
    window="#1E2124",
    panel="#26292D",
    alt="#2B2F33",
    rail="#191B1E",
    border="#3D4349",
    control="#7F8891",
    text="#E9ECEF",
    muted="#A6AEB6",
    accent="#5FC3C0",
    on_accent="#0E1A1A",
    accent_soft="#1F3D3E",
    selection="#243F40",
    focus="#7FD8D4",
    track="#33383D",
    good="#7CCB93",
    good_soft="#203A2A",
    warn="#E8B45C",
    warn_soft="#40321A",
    bad="#F2928A",
    bad_soft="#472524",
    info="#8DB8F0",
    info_soft="#22344D",
    memory=MemoryColours(weights="#5FC3C0", chat="#8DB8F0", working="#E0B060", program="#939CA5"),
    causes=_causes(
        ("#24492F", "#A6E0B5"),
        ("#3F4A1C", "#D5E39A"),
        ("#F0867D", "#2A0806"),
        ("#E58AB4", "#2E0A1B"),
        ("#EFA067", "#2B1200"),
        ("#4D3A14", "#F2CE86"),
        ("#484012", "#EADB7F"),
        ("#453B2C", "#E2CDA9"),
        ("#1F3C59", "#A9D0F5"),
        ("#86B2EE", "#08182C"),
        ("#163F47", "#9BDCE7"),
        ("#B3A2F0", "#150B33"),
        ("#D5DAE0", "#15181B"),
        ("#2F315E", "#C3C6F7"),
        ("#26292D", "#A6AEB6"),
        ("#26292D", "#A6AEB6"),
    ),
)


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio of two '#RRGGBB' colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Relative luminance, 0 to 1 (WCAG 2, definition of relative luminance)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
