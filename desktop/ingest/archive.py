"""Looking into zip-based office files before any library unpacks them."""

from __future__ import annotations

from pathlib import Path

from desktop.ingest.limits import MAX_FILE_BYTES, MAX_UNPACKED_BYTES, MAX_ZIP_ENTRIES
from packs.documents.regular_file import read_regular
from packs.documents.zip_faults import ZIP_FAULTS
from packs.documents.zip_opening import opened_zip
from packs.errors import AppError


def check_size(file: Path) -> None:
    """Raises AppError when the file is missing, not a file, or larger than MAX_FILE_BYTES."""
    try:
        size = file.stat().st_size
    except OSError as error:
        reason = error.strerror or "unknown"
        raise AppError(
            f"{file.name} could not be read: {reason}.", "Choose another file.", code="unreadable"
        ) from None
    if not file.is_file():
        raise AppError(f"{file.name} is not a file.", "Choose a file.", code="unreadable")
    if size > MAX_FILE_BYTES:
        raise AppError(
            f"{file.name} is {size // 2**20} MiB; at most {MAX_FILE_BYTES // 2**20} MiB are read.",
            "Take the part that is needed into a smaller file.",
            code="too_large",
        )
    if size == 0:
        raise AppError(f"{file.name} is empty.", "Choose a file with content.", code="empty_file")


def read_bytes(file: Path) -> bytes:
    """The content of a file within the limit. Raises AppError."""
    check_size(file)
    try:
        return read_regular(file, MAX_FILE_BYTES)
    except OSError as error:
        reason = error.strerror or "unknown"
        raise AppError(
            f"{file.name} could not be read: {reason}.", "Choose another file.", code="unreadable"
        ) from None


def check_office_zip(file: Path) -> None:
    """Raises AppError when the file is no zip, or would unpack to more than the limits."""
    check_size(file)
    try:
        with opened_zip(file, MAX_ZIP_ENTRIES) as archive:
            entries = archive.infolist()
    except (*ZIP_FAULTS, OSError, ValueError):
        raise AppError(
            f"{file.name} is damaged, or is not the kind of file that its name says.",
            "Open it in the program it comes from and save it again.",
            code="damaged",
        ) from None
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
        raise AppError(
            f"{file.name} would unpack to more than {MAX_UNPACKED_BYTES // 2**20} MiB.",
            "Take the part that is needed into a smaller file.",
            code="too_large",
        )
    if any(entry.flag_bits & 1 for entry in entries):
        raise _protected(file.name)


def _protected(name: str) -> AppError:
    return AppError(
        f"{name} is protected with a password.", "Save a copy without a password.", code="protected"
    )
