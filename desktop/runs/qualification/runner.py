"""The program's name and version in evidence and reports."""

from __future__ import annotations

from desktop import __version__
from packs.qualification.rules_corpus import FORMAT_VERSION


def runner_name() -> str:
    """'packbench 0.1.0 (qualification-pack rules 0.0.2)'."""
    return f"packbench {__version__} (qualification-pack rules {FORMAT_VERSION})"
