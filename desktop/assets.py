"""Read-only files that come with the program; the same in the source tree, a wheel and a one-file binary."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable


def resource(*parts: str) -> Traversable:
    """A file or folder below `resources/`."""
    return files("resources").joinpath(*parts)


def sample_packs() -> Traversable:
    """The folder with the sample packs, one folder each."""
    return files("packs").joinpath("samples")
