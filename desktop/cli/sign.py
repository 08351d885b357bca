"""`packbench sign BUNDLE`: signs the hashes of an untouched bundle."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, UsageError, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from packs.errors import AppError


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder of a run")
    parser.add_argument("--key", type=Path, metavar="FILE", help="the private key")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.cli.bundles import read_key_file
    from desktop.cli.keygen import ask_passphrase
    from desktop.runs.qualification.store import read_folder
    from packs.atomic import write_atomically
    from packs.qualification.bundle import HASHES, SIGNATURE
    from packs.qualification.integrity import check_integrity
    from packs.qualification.signing import is_locked, read_private, signature_file

    if arguments.key is None:
        raise UsageError("--key is missing.", "Name the private key file.", code="usage")
    contents = read_folder(arguments.bundle)
    unsigned = {name: content for name, content in contents.items() if name != SIGNATURE}
    integrity = check_integrity(unsigned)
    if not integrity.ok:
        raise AppError(
            f"This bundle is not untouched: {integrity.findings[0]}",
            "Only an untouched bundle is signed; 'packbench verify' tells everything.",
            code="bundle_broken",
        )
    key = read_key_file(arguments.key)
    passphrase = ask_passphrase(context, "Passphrase of the key: ") if is_locked(key) else None
    keys = read_private(key, passphrase)
    try:
        write_atomically(arguments.bundle / SIGNATURE, signature_file(keys, contents[HASHES]))
    except OSError as error:
        raise AppError(
            f"The signature cannot be written: {error.strerror}.",
            "Check the folder's permissions.",
            code="disk",
        ) from None
    if arguments.json:
        context.terminal.document({"bundle": str(arguments.bundle), "public_key": keys.public.hex()})
    else:
        context.terminal.line(f"Signed: {arguments.bundle / SIGNATURE}")
    return Exit.DONE


COMMAND = Command(
    "sign",
    "Signs a bundle after checking that it is untouched. An earlier signature is replaced.",
    describe,
    run,
    ("packbench sign evidence/run-1 --key ann.key",),
)
