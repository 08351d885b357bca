"""`packbench inspect BUNDLE`: what a bundle says, and whether it is intact."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields, verification_fields
from desktop.reports import text
from packs import numbers


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder of a run")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.reports.qualification.bundle_folder import open_bundle, verify_folder
    from desktop.reports.qualification.parts import VERDICTS, bounds, share, wanted

    found = verify_folder(arguments.bundle)
    bundle = open_bundle(arguments.bundle)
    manifest, decision = bundle.parts.manifest, bundle.parts.decision
    intact = found.ok
    out = context.terminal
    if arguments.json:
        out.document(
            {
                "manifest": manifest,
                "decision": decision,
                "integrity": found.as_json(),
                "coverage_model": bundle.parts.coverage.get("model"),
            }
        )
        return Exit.DONE if intact else Exit.PROBLEMS
    out.line(
        f"{manifest.get('run_id')}: {manifest.get('pack')}, {numbers.moment(str(manifest.get('completed_at')))}"
    )
    out.line(out.style(str(decision.get("status")), "bold"))
    out.paragraph(text.one_line(str(decision.get("summary", ""))))
    requirements = decision.get("requirements")
    for row in requirements if isinstance(requirements, list) else ():
        message = VERDICTS.get(row["verdict"], ("", "", row["verdict"]))[2]
        out.line(
            f"  {text.one_line(str(row['metric']), 40):<28} {message:<14} {share(row['point_estimate']):>8} "
            f"({bounds(row['confidence_interval'])}), wanted {wanted(row)}"
        )
    critical = decision.get("critical_failures")
    if isinstance(critical, dict):
        count, n = critical.get("observed_count"), critical.get("n")
        out.line(f"  {critical.get('metric')!s:<28} critical: {count} of {n} cases")
    for finding in found.findings:
        out.line(out.style(f"✗ {text.one_line(finding)}", "bad"))
    out.line("Intact." if intact else "Not intact.")
    return Exit.DONE if intact else Exit.PROBLEMS


DOCUMENT = JsonDocument(
    None,
    (
        *fields(
            ("manifest", "object", "manifest.json of the bundle"),
            ("decision", "object", "decision.json of the bundle"),
            ("integrity", "object", "whether it is intact; as `verify` prints it"),
            ("coverage_model", "string or null", "how coverage was counted"),
        ),
        *verification_fields("integrity."),
    ),
)

COMMAND = Command(
    "inspect",
    "Tells what a bundle says: decision, requirements, critical failures; and whether it is intact: its files\n"
    "as listed, and its numbers those of its own evidence.\n"
    "Exit code 0 when intact, else 1.",
    describe,
    run,
    ("packbench inspect evidence/run-1",),
    documents=(DOCUMENT,),
    exits={0: "the bundle is intact", 1: "it is not"},
)
