"""Signing a bundle, and the keys for it. Signing writes beside the evidence: into a folder, not a zip."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from desktop.reports.qualification.bundle_folder import verify_contents
from desktop.runs.qualification.store import read_folder
from packs.documents.atomic import write_atomically
from packs.documents.regular_file import open_regular
from packs.errors import AppError
from packs.qualification.bundle import HASHES, SIGNATURE
from packs.qualification.signing import (
    is_locked,
    new_keys,
    private_file,
    public_file,
    read_private,
    signature_file,
)

KEY_BYTES = 64 * 1024


def read_key_file(file: Path) -> bytes:
    """Raises AppError when it cannot be read or is too large to be a key."""
    try:
        with open_regular(file) as stream:
            content = stream.read(KEY_BYTES + 1)
    except OSError as error:
        raise AppError(
            f"The key file '{file}' cannot be read: {error.strerror}.", "Check the path.", code="key_file"
        ) from None
    if len(content) > KEY_BYTES:
        raise AppError(f"'{file}' is too large to be a key.", "Check the path.", code="key_file")
    return content


def sign_bundle(folder: Path, key_file: Path, passphrase: Callable[[], str | None]) -> str:
    """Signs an untouched bundle; an earlier signature is replaced. Returns the public key in hex.

    passphrase: asked only for a locked key. Raises AppError.
    """
    contents = read_folder(folder)
    unsigned = {name: content for name, content in contents.items() if name != SIGNATURE}
    found = verify_contents(unsigned)
    if not found.ok:
        raise AppError(
            f"This bundle does not verify: {found.findings[0]}",
            "Only a bundle that is untouched and scores the same again is signed; 'packbench verify' tells "
            "everything.",
            code="bundle_broken",
        )
    key = read_key_file(key_file)
    keys = read_private(key, passphrase() if is_locked(key) else None)
    try:
        write_atomically(folder / SIGNATURE, signature_file(keys, contents[HASHES]))
    except OSError as error:
        raise AppError(
            f"The signature cannot be written: {error.strerror}.",
            "Check the folder's permissions.",
            code="disk",
        ) from None
    return keys.public.hex()


def make_key(private: Path, passphrase: str | None) -> Path:
    """A new pair of keys; the public one beside the private one. Returns the public file. Raises AppError."""
    public = private.with_suffix(".pub")
    keys = new_keys()
    write_new(private, private_file(keys, passphrase or None), 0o600)
    write_new(public, public_file(keys), 0o644)
    return public


def write_new(file: Path, content: bytes, mode: int) -> None:
    """With its permission from the first moment on; a key is never overwritten. Raises AppError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
    except FileExistsError:
        raise AppError(
            f"'{file}' is there already.", "A key is never overwritten: name another.", code="exists"
        ) from None
    except OSError as error:
        raise AppError(
            f"The key cannot be written to '{file}': {error.strerror}.", "Choose another place.", code="disk"
        ) from None
