"""Contrast figures of the design, computed."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from desktop.foundation.colours import CAUSE_ORDER, DARK, LIGHT, CauseShape, Tokens, contrast
from packs.task.outcome import Cause, CauseKind

TEXTS = ("text", "muted", "accent", "good", "warn", "bad", "info")
GROUNDS = ("window", "panel", "alt", "rail", "track", "accent_soft", "selection")
BOTH = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


def colour(tokens: Tokens, name: str) -> str:
    value = getattr(tokens, name)
    assert isinstance(value, str)
    return value


@BOTH
@pytest.mark.parametrize(("text", "ground"), list(itertools.product(TEXTS, GROUNDS)))
def test_that_text_is_readable_on_every_ground(tokens: Tokens, text: str, ground: str) -> None:
    lowest = 4.98 if tokens.dark else 4.76
    assert contrast(colour(tokens, text), colour(tokens, ground)) >= lowest - 0.01


@pytest.mark.parametrize(
    ("name", "light", "dark"),
    [
        ("control", 3.3, 4.1),
        ("text", 16.6, 12.3),
        ("muted", 6.2, 6.5),
        ("accent", 6.3, 7.0),
        ("focus", 6.3, 8.8),
        ("good", 6.3, 7.5),
        ("warn", 6.3, 7.7),
        ("bad", 6.5, 6.4),
        ("info", 6.7, 7.1),
    ],
)
def test_that_contrast_on_panel_is_as_designed(name: str, light: float, dark: float) -> None:
    assert contrast(colour(LIGHT, name), LIGHT.panel) >= light - 0.05
    assert contrast(colour(DARK, name), DARK.panel) >= dark - 0.05


@pytest.mark.parametrize(
    ("name", "light", "dark"), [("good", 5.3, 6.4), ("warn", 5.4, 6.6), ("bad", 5.3, 5.9), ("info", 5.5, 6.1)]
)
def test_that_chips_are_readable(name: str, light: float, dark: float) -> None:
    assert contrast(colour(LIGHT, name), colour(LIGHT, f"{name}_soft")) >= light - 0.05
    assert contrast(colour(DARK, name), colour(DARK, f"{name}_soft")) >= dark - 0.05


def test_that_text_on_the_accent_is_readable() -> None:
    assert contrast(LIGHT.on_accent, LIGHT.accent) >= 6.25
    assert contrast(DARK.on_accent, DARK.accent) >= 8.45


def test_that_edges_of_controls_stand_out_of_the_window() -> None:
    assert contrast(LIGHT.control, LIGHT.window) >= 2.95
    assert contrast(DARK.control, DARK.window) >= 4.45


@BOTH
@pytest.mark.parametrize("cause", CAUSE_ORDER, ids=str)
def test_that_the_letter_of_a_cause_is_readable(tokens: Tokens, cause: Cause) -> None:
    look = tokens.causes[cause]
    assert contrast(look.ink, look.fill) >= 6.0 - 0.05
    if look.shape is CauseShape.HALF:
        assert contrast(look.ink, tokens.panel) >= 6.0


@BOTH
@pytest.mark.parametrize("part", ["weights", "chat", "working", "program"])
@pytest.mark.parametrize("ground", ["track", "selection"])
def test_that_parts_of_the_memory_bar_stand_out(tokens: Tokens, part: str, ground: str) -> None:
    assert contrast(getattr(tokens.memory, part), colour(tokens, ground)) >= 3.0


@BOTH
def test_that_every_cause_has_its_own_letter_and_the_shape_of_its_kind(tokens: Tokens) -> None:
    assert set(tokens.causes) == set(Cause) == set(CAUSE_ORDER)
    assert len({look.letter for look in tokens.causes.values()}) == len(Cause)
    shapes = {
        CauseKind.ANSWERED: {CauseShape.SQUARE, CauseShape.HALF},
        CauseKind.STOPPED_EARLY: {CauseShape.CUT_CORNER},
        CauseKind.NOT_THE_MODEL: {CauseShape.CIRCLE},
        CauseKind.DID_NOT_HAPPEN: {CauseShape.DASHED},
    }
    for cause, look in tokens.causes.items():
        assert look.shape in shapes[cause.kind]


def test_that_no_other_file_of_the_window_holds_a_hex_colour() -> None:
    import re

    root = Path(__file__).parents[2]
    hexes = re.compile(r"""["'(\s:]#[0-9A-Fa-f]{6}\b""")
    for file in (root / "desktop" / "gui").rglob("*.py"):
        assert not hexes.search(file.read_text("utf-8")), f"{file} holds a colour of its own"
