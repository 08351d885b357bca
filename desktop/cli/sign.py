"""`packbench sign BUNDLE`: signs the hashes of an untouched bundle."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, UsageError, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder of a run")
    parser.add_argument("--key", type=Path, metavar="FILE", help="the private key")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.evidence.keys import sign_bundle
    from desktop.cli.keygen import ask_passphrase
    from packs.qualification.bundle import SIGNATURE

    if arguments.key is None:
        raise UsageError("--key is missing.", "Name the private key file.", code="usage")
    public_key = sign_bundle(
        arguments.bundle, arguments.key, lambda: ask_passphrase(context, "Passphrase of the key: ")
    )
    if arguments.json:
        content = {"bundle": str(arguments.bundle), "public_key": public_key}
        context.terminal.document(DOCUMENT.stamped(content))
    else:
        context.terminal.line(f"Signed: {arguments.bundle / SIGNATURE}")
    return Exit.DONE


DOCUMENT = JsonDocument(
    "packbench-sign/1",
    fields(
        ("bundle", "string", "what was signed"),
        ("public_key", "string", "the key to check it with, hexadecimal"),
    ),
)

COMMAND = Command(
    "sign",
    "Signs a bundle after checking that it is untouched. An earlier signature is replaced.",
    describe,
    run,
    ("packbench sign evidence/run-1 --key ann.key",),
    documents=(DOCUMENT,),
    exits={0: "signed", 1: "not signed: the bundle is not intact, or the key cannot be used"},
)
