"""What several commands around bundles share."""

from __future__ import annotations

from pathlib import Path


def is_bundle_folder(path: Path) -> bool:
    """The folder of a qualification run, as against a run's id or the zip of a task run."""
    return path.is_dir() and (path / "hashes.json").is_file()


def public_key_of(file: Path | None) -> bytes | None:
    """32 bytes, or None without a file. Raises AppError."""
    from desktop.application.evidence.keys import read_key_file
    from packs.qualification.signing import read_public

    return read_public(read_key_file(file)) if file is not None else None
