"""The composition root: the one place where objects are made and joined."""

from __future__ import annotations

from collections.abc import Sequence


def run_program(arguments: Sequence[str]) -> int:
    """Window without arguments, else the command named first. Returns the exit code."""
    return 0
