"""Read-only files that come with the program; the same in the source tree, a wheel and a one-file binary."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from desktop.foundation.frozen.deferred_packages import packed_resources, provide

SAMPLES = "packs/samples"
"""Name of the samples among the parts that the one-file program unpacks later."""


def resource(*parts: str) -> Traversable:
    """A file or folder below `resources/`."""
    packed = packed_resources()
    return (files("resources") if packed is None else packed).joinpath(*parts)


def sample_packs() -> Traversable:
    """The folder with the sample packs, one folder each. Raises OSError where they cannot be unpacked."""
    provide(SAMPLES)
    return files("packs").joinpath("samples")
