"""`packbench export BUNDLE`: an auditor's report without inputs and answers."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, UsageError, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from desktop.reports import text
from packs.errors import AppError


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder of a run")
    parser.add_argument("--out", "--output", dest="output", type=Path, metavar="DIR", help="a new folder")
    parser.add_argument("--public-key", type=Path, metavar="FILE", help="the key it must be signed by")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.cli.bundles import public_key_of
    from desktop.reports.qualification.bundle_folder import export_files, open_bundle, verify_folder
    from desktop.runs.qualification.store import write_bundle

    if arguments.output is None:
        raise UsageError("--out is missing.", "Name a new folder.", code="usage")
    target = arguments.output.absolute()
    if target.exists():
        raise AppError(f"'{arguments.output}' is there already.", "Name a new folder.", code="exists")
    found = verify_folder(arguments.bundle, public_key=public_key_of(arguments.public_key))
    write_bundle(target, export_files(open_bundle(arguments.bundle), found))
    if arguments.json:
        context.terminal.document(
            DOCUMENT.stamped(
                {
                    "folder": str(target),
                    "bundle_integrity_ok": found.integrity.ok,
                    "integrity_errors": found.integrity.findings,
                }
            )
        )
    else:
        context.terminal.line(f"Written: {target}")
        for finding in found.integrity.findings:
            context.terminal.note(text.one_line(finding))
    return Exit.DONE if found.ok else Exit.PROBLEMS


DOCUMENT = JsonDocument(
    "packbench-export/1",
    fields(
        ("folder", "string", "what was written"),
        ("bundle_integrity_ok", "boolean", "is the bundle intact?"),
        ("integrity_errors", "array", "what is wrong with it, one text each"),
    ),
)

COMMAND = Command(
    "export",
    "Writes a folder with auditor-report.html and manifest.json: decision, figures and identity, but no input\n"
    "and no answer of any case. Written even when the bundle is not intact; the exit code is then 1.",
    describe,
    run,
    ("packbench export evidence/run-1 --out for-the-auditor",),
    documents=(DOCUMENT,),
    exits={0: "written", 1: "written, but the bundle is not intact"},
)
