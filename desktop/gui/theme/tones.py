"""What a colour says: used for chips, answer panels, toasts and states, never without a word or a sign."""

from __future__ import annotations

from enum import StrEnum

from desktop.foundation.colours import Tokens


class Tone(StrEnum):
    NEUTRAL = "neutral"
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    INFO = "info"
    MUTED = "muted"

    def ink(self, tokens: Tokens) -> str:
        """For words, signs and bars."""
        return {
            Tone.NEUTRAL: tokens.text,
            Tone.ACCENT: tokens.accent,
            Tone.GOOD: tokens.good,
            Tone.WARN: tokens.warn,
            Tone.BAD: tokens.bad,
            Tone.INFO: tokens.info,
            Tone.MUTED: tokens.muted,
        }[self]

    def soft(self, tokens: Tokens) -> str:
        """For the ground under `ink`."""
        return {
            Tone.NEUTRAL: tokens.track,
            Tone.ACCENT: tokens.accent_soft,
            Tone.GOOD: tokens.good_soft,
            Tone.WARN: tokens.warn_soft,
            Tone.BAD: tokens.bad_soft,
            Tone.INFO: tokens.info_soft,
            Tone.MUTED: tokens.track,
        }[self]
