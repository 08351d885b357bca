"""Tokens as a QPalette for all three groups, and tokens out of a system palette of high contrast."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QColor, QPalette

from desktop.foundation.colours import CauseLook, CauseShape, MemoryColours, Tokens
from packs.task.outcome import Cause

_STRONG = {
    Cause.WRONG,
    Cause.GATE_FAILED,
    Cause.UNREADABLE,
    Cause.OUT_OF_MEMORY,
    Cause.CRASHED,
    Cause.SERVER_ERROR,
}


def make_palette(tokens: Tokens) -> QPalette:
    """Active, Inactive and Disabled. An inactive window keeps its selection visible."""
    role = QPalette.ColorRole
    colours = {
        role.Window: tokens.window,
        role.WindowText: tokens.text,
        role.Base: tokens.panel,
        role.AlternateBase: tokens.alt,
        role.Text: tokens.text,
        role.Button: tokens.window,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.on_accent,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.ToolTipBase: tokens.panel,
        role.ToolTipText: tokens.text,
        role.PlaceholderText: tokens.muted,
        role.Accent: tokens.accent,
        role.Light: tokens.panel,
        role.Midlight: tokens.alt,
        role.Mid: tokens.border,
        role.Dark: tokens.control,
        role.Shadow: tokens.control,
    }
    palette = QPalette()
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive, QPalette.ColorGroup.Disabled):
        for which, value in colours.items():
            palette.setColor(group, which, QColor(value))
    faint = QColor(tokens.muted)
    faint.setAlphaF(0.6)
    for which in (
        role.WindowText,
        role.Text,
        role.ButtonText,
        role.HighlightedText,
        role.PlaceholderText,
        role.Link,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, which, faint)
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(tokens.track))
    return palette


def tokens_of_high_contrast(system: QPalette, base: Tokens) -> Tokens:
    """The system's own colours in the places of ours; shapes, letters and words carry the meaning alone."""

    def named(which: QPalette.ColorRole) -> str:
        return system.color(QPalette.ColorGroup.Active, which).name()

    role = QPalette.ColorRole
    ground, ink = named(role.Base), named(role.Text)
    marked, on_marked = named(role.Highlight), named(role.HighlightedText)
    causes = {
        cause: CauseLook(look.letter, look.shape, *((ink, ground) if cause in _STRONG else (ground, ink)))
        for cause, look in base.causes.items()
        if look.shape is not CauseShape.DASHED
    }
    return replace(
        base,
        window=named(role.Window),
        panel=ground,
        alt=ground,
        rail=named(role.Window),
        border=ink,
        control=ink,
        text=ink,
        muted=ink,
        accent=marked,
        on_accent=on_marked,
        accent_soft=ground,
        selection=ground,
        focus=marked,
        track=ground,
        good=ink,
        good_soft=ground,
        warn=ink,
        warn_soft=ground,
        bad=ink,
        bad_soft=ground,
        info=ink,
        info_soft=ground,
        memory=MemoryColours(weights=ink, chat=ink, working=marked, program=ink),
        causes={
            cause: causes.get(cause, replace(look, fill=ground, ink=ink)) for cause, look in base.causes.items()
        },
    )
