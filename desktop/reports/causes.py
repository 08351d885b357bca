"""How each cause is shown: letter, shape, colours, order. Letters are the same in every language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from packs.task.outcome import Cause


class Shape(StrEnum):
    """Reads without colour: square = the model answered, cut corner = it stopped early, circle = not the
    model's doing, dashed = did not happen."""

    SQUARE = "square"
    HALF = "half"
    CUT = "cut"
    CIRCLE = "circle"
    DASHED = "dashed"


@dataclass(frozen=True, slots=True)
class CauseLook:
    """Fill and ink for light and dark; the contrast of ink on fill is at least 6."""

    letter: str
    shape: Shape
    fill: str
    ink: str
    dark_fill: str
    dark_ink: str


LOOKS: dict[Cause, CauseLook] = {
    Cause.CORRECT: CauseLook("C", Shape.SQUARE, "#CFE8D6", "#14532D", "#24492F", "#A6E0B5"),
    Cause.PARTLY_CORRECT: CauseLook("P", Shape.HALF, "#E3ECBE", "#3F5212", "#3F4A1C", "#D5E39A"),
    Cause.WRONG: CauseLook("W", Shape.SQUARE, "#B3261E", "#FFFFFF", "#F0867D", "#2A0806"),
    Cause.GATE_FAILED: CauseLook("G", Shape.SQUARE, "#8C2F5E", "#FFFFFF", "#E58AB4", "#2E0A1B"),
    Cause.UNREADABLE: CauseLook("U", Shape.SQUARE, "#A04A12", "#FFFFFF", "#EFA067", "#2B1200"),
    Cause.ANSWER_CUT: CauseLook("A", Shape.CUT, "#FBE3B5", "#6B4300", "#4D3A14", "#F2CE86"),
    Cause.REASONING_USED_IT_UP: CauseLook("R", Shape.CUT, "#F1E3A4", "#5C4A00", "#484012", "#EADB7F"),
    Cause.EMPTY: CauseLook("E", Shape.CUT, "#EFE6D8", "#5F4A2C", "#453B2C", "#E2CDA9"),
    Cause.INPUT_CUT: CauseLook("I", Shape.CIRCLE, "#D5E6F7", "#1B4F82", "#1F3C59", "#A9D0F5"),
    Cause.SERVER_ERROR: CauseLook("S", Shape.CIRCLE, "#2B5C9E", "#FFFFFF", "#86B2EE", "#08182C"),
    Cause.TIMED_OUT: CauseLook("T", Shape.CIRCLE, "#CDE7EC", "#0E5360", "#163F47", "#9BDCE7"),
    Cause.OUT_OF_MEMORY: CauseLook("M", Shape.CIRCLE, "#4B3A8C", "#FFFFFF", "#B3A2F0", "#150B33"),
    Cause.CRASHED: CauseLook("X", Shape.CIRCLE, "#343B43", "#FFFFFF", "#D5DAE0", "#15181B"),
    Cause.TEMPLATE_SUSPECTED: CauseLook("Q", Shape.CIRCLE, "#DCDDF5", "#3B3F94", "#2F315E", "#C3C6F7"),
    Cause.CANCELLED: CauseLook("H", Shape.DASHED, "#FFFFFF", "#59626B", "#26292D", "#A6AEB6"),
    Cause.NOT_RUN: CauseLook("N", Shape.DASHED, "#FFFFFF", "#59626B", "#26292D", "#A6AEB6"),
}

ORDER: tuple[Cause, ...] = tuple(LOOKS)
"""Of parts in a bar and of entries in a legend."""
