"""`packbench keygen`: a pair of keys for signing bundles."""

from __future__ import annotations

import argparse
import getpass
from pathlib import Path

from desktop.cli.command import Command, UsageError, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from packs.errors import AppError

PASSPHRASE_VARIABLE = "PACKBENCH_KEY_PASSPHRASE"


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--private", type=Path, metavar="FILE", help="where the private key goes; keep it to yourself"
    )
    parser.add_argument(
        "--public", type=Path, metavar="FILE", help="where the public key goes; give it to others"
    )
    parser.add_argument(
        "--lock",
        action="store_true",
        help=f"lock the private key by a passphrase (asked for, or from {PASSPHRASE_VARIABLE})",
    )
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.evidence.keys import write_new
    from packs.qualification.signing import new_keys, private_file, public_file

    if arguments.private is None or arguments.public is None:
        raise UsageError("Both --private and --public are needed.", "Name two files.", code="usage")
    if arguments.private.absolute() == arguments.public.absolute():
        raise UsageError("--private and --public name the same file.", "Name two files.", code="usage")
    for file in (arguments.private, arguments.public):
        if file.exists():
            raise AppError(
                f"'{file}' is there already.", "A key is never overwritten: name another.", code="exists"
            )
    passphrase = ask_passphrase(context, "Passphrase for the new key: ", twice=True) if arguments.lock else None
    keys = new_keys()
    write_new(arguments.private, private_file(keys, passphrase), 0o600)
    write_new(arguments.public, public_file(keys), 0o644)
    if arguments.json:
        context.terminal.document(
            DOCUMENT.stamped(
                {
                    "private": str(arguments.private),
                    "public": str(arguments.public),
                    "public_key": keys.public.hex(),
                }
            )
        )
    else:
        context.terminal.line(f"Private key: {arguments.private}" + ("" if passphrase else " (not locked)"))
        context.terminal.line(f"Public key:  {arguments.public}")
    return Exit.DONE


def ask_passphrase(context: Context, prompt: str, *, twice: bool = False) -> str:
    """From the environment, else asked for without an echo. Raises AppError when there is neither."""
    given = context.services.environment.get(PASSPHRASE_VARIABLE)
    if given:
        return given
    if not context.terminal.err_is_terminal:
        raise AppError(
            "A passphrase is needed and nobody can be asked for it.",
            f"Set {PASSPHRASE_VARIABLE}.",
            code="key_locked",
        )
    first = getpass.getpass(prompt)
    if not first or (twice and getpass.getpass("Once more: ") != first):
        raise AppError("The passphrase is empty or differs.", "Try again.", code="key_passphrase")
    return first


DOCUMENT = JsonDocument(
    "packbench-keygen/1",
    fields(
        ("private", "string", "file with the private key"),
        ("public", "string", "file with the public key"),
        ("public_key", "string", "the public key, hexadecimal"),
    ),
)

COMMAND = Command(
    "keygen",
    "Makes a pair of Ed25519 keys. The private file is readable by you alone; with --lock it is encrypted too.",
    describe,
    run,
    ("packbench keygen --private ann.key --public ann.pub --lock",),
    documents=(DOCUMENT,),
)
