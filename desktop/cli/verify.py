"""`packbench verify BUNDLE`: is it whole, untouched, signed, and does it score to the same numbers?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.cli.command import Command, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, verification_fields
from desktop.reports import text
from packs import numbers

if TYPE_CHECKING:
    from desktop.reports.qualification.bundle_folder import Verification

SIGNATURE_TEXT = {
    "unsigned": "It is not signed.",
    "matches_embedded_key": "It is signed; whose key that is, only --public-key can show.",
    "matches_supplied_key": "It is signed by the key given.",
    "failed": "Its signature does not hold.",
}


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder of a run")
    parser.add_argument("--public-key", type=Path, metavar="FILE", help="the key it must be signed by")
    parser.add_argument("--require-signature", action="store_true", help="an unsigned bundle does not pass")
    parser.add_argument("--pack", metavar="DIR", help="the pack, for a bundle that does not carry it")
    parser.add_argument("--no-rescore", action="store_true", help="only the files and the signature")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.cli.bundles import public_key_of
    from desktop.cli.packs import find_pack
    from desktop.reports.qualification.bundle_folder import verify_folder
    from packs.errors import AppError
    from packs.qualification.loader import require_pack

    if arguments.bundle.is_file():
        raise AppError(
            f"'{arguments.bundle}' is a file; a bundle of evidence is a folder.",
            f"A bundle that a report wrote as a zip is checked by: packbench rescore {arguments.bundle}",
            code="no_bundle",
        )
    found = verify_folder(
        arguments.bundle,
        public_key=public_key_of(arguments.public_key),
        require_signature=arguments.require_signature,
        pack=require_pack(find_pack(arguments.pack).folder) if arguments.pack else None,
        score_again=not arguments.no_rescore,
    )
    return _notify(found, arguments.json, context)


def verify_and_report(folder: Path, as_json: bool, context: Context) -> int:
    """The whole check with its findings, for a bundle folder given to another command."""
    from desktop.reports.qualification.bundle_folder import verify_folder

    return _notify(verify_folder(folder), as_json, context)


def _notify(found: Verification, as_json: bool, context: Context) -> int:
    out = context.terminal
    if as_json:
        out.document(found.as_json())
        return Exit.DONE if found.ok else Exit.PROBLEMS
    for finding in found.findings:
        out.line(f"{out.style('✗', 'bad')} {text.one_line(finding)}")
    again = found.rescore
    if again is not None and not again.same:
        out.paragraph("The bundle says something else than its own evidence, as listed above.")
    if found.ok:
        scored = f" {again.note} The numbers are the same." if again is not None else ""
        out.paragraph(out.style(f"Untouched.{scored}", "good"))
    else:
        count = len(found.findings)
        out.line(out.style(f"{numbers.count(count, 'finding')}: this bundle proves nothing as it is.", "bad"))
    out.line(SIGNATURE_TEXT[found.integrity.signature.status])
    return Exit.DONE if found.ok else Exit.PROBLEMS


DOCUMENT = JsonDocument(None, verification_fields(""))

COMMAND = Command(
    "verify",
    "Checks that a bundle is whole and untouched, checks its signature, and scores it again from its own\n"
    "evidence, without a network. Exit code 0 when all of it holds, else 1.",
    describe,
    run,
    (
        "packbench verify evidence/run-1",
        "packbench verify evidence/run-1 --public-key ann.pub --require-signature",
    ),
    documents=(DOCUMENT,),
    exits={0: "all of it holds", 1: "something does not"},
)
