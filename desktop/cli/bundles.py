"""What several commands around bundles share."""

from __future__ import annotations

from pathlib import Path

from packs.errors import AppError

KEY_BYTES = 64 * 1024


def is_bundle_folder(path: Path) -> bool:
    """The folder of a qualification run, as against a run's id or the zip of a task run."""
    return path.is_dir() and (path / "hashes.json").is_file()


def read_key_file(file: Path) -> bytes:
    """Raises AppError when it cannot be read or is too large to be a key."""
    try:
        with file.open("rb") as stream:
            content = stream.read(KEY_BYTES + 1)
    except OSError as error:
        raise AppError(
            f"The key file '{file}' cannot be read: {error.strerror}.", "Check the path.", code="key_file"
        ) from None
    if len(content) > KEY_BYTES:
        raise AppError(f"'{file}' is too large to be a key.", "Check the path.", code="key_file")
    return content


def public_key_of(file: Path | None) -> bytes | None:
    """32 bytes, or None without a file. Raises AppError."""
    from packs.qualification.signing import read_public

    return read_public(read_key_file(file)) if file is not None else None
