"""Which pack is meant: a folder, a manifest inside it, or the bare name of a sample."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from desktop.application.opened_pack import PackKind as PackKind
from desktop.foundation.paths import Paths
from desktop.foundation.resource_files import sample_packs
from packs.errors import AppError
from packs.registry import nearest

MANIFESTS = {PackKind.TASK: "task.yaml", PackKind.QUALIFICATION: "pack.yaml"}
_OF_QUALIFICATION = ("qualification.yaml", "thresholds.yaml", "evaluators.yaml")
"""Files that only a qualification pack has: they tell what a folder without its manifest was meant to be."""


@dataclass(frozen=True, slots=True)
class FoundPack:
    """folder: absolute. sample: its name when it is a sample of the program, read where it lies."""

    folder: Path
    kind: PackKind
    sample: str | None = None


def find_pack(given: str) -> FoundPack:
    """A folder (or a manifest in it), else a sample. Raises AppError when there is neither.

    A folder without a manifest counts as a task pack, so that the loader says what is missing.
    """
    path = Path(given).expanduser()
    if path.name in MANIFESTS.values() and path.is_file():
        path = path.parent
    if path.is_dir():
        return FoundPack(path.absolute(), kind_of(path))
    bare = not any(separator in given for separator in ("/", "\\"))
    if bare and given in sample_names():
        folder = Path(str(sample_packs().joinpath(given)))
        return FoundPack(folder, kind_of(folder), given)
    if path.exists():
        raise AppError(
            f"{path} is a file, not a pack.",
            "Name the folder that holds task.yaml or pack.yaml.",
            code="not_a_pack",
        )
    near = nearest(given, sample_names()) if bare else None
    hint = f"Did you mean the sample '{near}'?" if near else "Check the spelling of the folder."
    raise AppError(f"There is no pack '{given}'.", hint, code="no_pack")


def kind_of(folder: Path) -> PackKind:
    """By its manifest, and where that is missing by other files; a folder with both is a task pack."""
    if (folder / MANIFESTS[PackKind.TASK]).exists():
        return PackKind.TASK
    if any((folder / name).exists() for name in (MANIFESTS[PackKind.QUALIFICATION], *_OF_QUALIFICATION)):
        return PackKind.QUALIFICATION
    return PackKind.TASK


def sample_names() -> list[str]:
    """Names of the packs that come with the program, in alphabetical order."""
    root = sample_packs()
    if not root.is_dir():
        return []
    return sorted(entry.name for entry in root.iterdir() if entry.is_dir() and _has_manifest(entry))


def own_copy(pack: FoundPack, paths: Paths) -> FoundPack:
    """A sample as a pack of the person's own, copied to the documents folder once; any other pack as it is.

    Raises AppError when the copy cannot be written. A copy that is there already is used as it stands.
    """
    if pack.sample is None:
        return pack
    target = paths.documents / pack.sample
    if not (target / MANIFESTS[pack.kind]).exists():
        from desktop.ingest.pack_copies import copy_sample

        target = copy_sample(sample_packs().joinpath(pack.sample), paths.documents)
    return FoundPack(target, pack.kind)


def is_zip(given: str) -> bool:
    """Is a pack meant that somebody has sent as one file?"""
    path = Path(given).expanduser()
    return path.suffix.lower() == ".zip" and path.is_file()


def pack_to_run(given: str, paths: Paths) -> FoundPack:
    """As `find_pack`, but a sample or a zip becomes a folder in the person's documents first."""
    if not is_zip(given):
        return own_copy(find_pack(given), paths)
    from desktop.ingest.pack_copies import unpack_pack

    folder = unpack_pack(Path(given).expanduser(), paths.documents)
    return FoundPack(folder, kind_of(folder))


@contextmanager
def pack_to_read(given: str) -> Iterator[FoundPack]:
    """As `find_pack`; a zip is unpacked into a folder that is gone afterwards."""
    if not is_zip(given):
        yield find_pack(given)
        return
    from desktop.ingest.pack_copies import unpack_pack

    with tempfile.TemporaryDirectory() as folder:
        unpacked = unpack_pack(Path(given).expanduser(), Path(folder))
        yield FoundPack(unpacked, kind_of(unpacked))


def _has_manifest(folder: Traversable) -> bool:
    return any(folder.joinpath(name).is_file() for name in MANIFESTS.values())
