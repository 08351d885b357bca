"""`packbench rescore RUN|BUNDLE`: scores every stored answer again and compares."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.bundles import is_bundle_folder
from desktop.cli.command import Command, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields, verification_fields
from desktop.cli.verify import verify_and_report
from desktop.reports import text
from packs import numbers

_SHOWN = 20


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="?", default="last", metavar="RUN|BUNDLE", help="a run, or a bundle's file"
    )
    parser.add_argument("--store", action="store_true", help="keep the new scores of a run in the journal")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    path = Path(arguments.what).expanduser()
    if is_bundle_folder(path):
        return verify_and_report(path, arguments.json, context)
    if path.is_file():
        return _bundle(path, arguments.json, context)
    if path.suffix.lower() == ".zip":
        from packs.errors import AppError

        raise AppError(f"{path} does not exist.", "Check its name.", code="not_found")
    return _run(arguments, context)


def _bundle(path: Path, as_json: bool, context: Context) -> int:
    from desktop.reports.verify_whole import verify_whole

    found = verify_whole(path)
    if as_json:
        context.terminal.document(
            BUNDLE_DOCUMENT.stamped(
                {
                    "bundle": path.name,
                    "run": found.run_id,
                    "good": found.good,
                    "entries": found.entries,
                    "answers": found.answers,
                    "difference_count": found.count,
                    "differences": [
                        {"place": entry.place, "message": entry.message} for entry in found.differences
                    ],
                }
            )
        )
    else:
        out = context.terminal
        out.line(out.style(found.message, "good" if found.good else "bad"))
        for entry in found.differences[:_SHOWN]:
            out.paragraph(f"{text.one_line(entry.place)}: {text.one_line(entry.message)}", "  ")
        if found.count > _SHOWN:
            out.line(f"  … and {found.count - _SHOWN} more")
    return Exit.DONE if found.good else Exit.PROBLEMS


def _run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.runs.journal.reader import JournalReader
    from desktop.runs.rescore import rescore, rescore_and_store

    with JournalReader(context.paths.journal) as reader:
        run_id = reader.resolve(arguments.what)
        if not arguments.store:
            found = rescore(reader, run_id)
    if arguments.store:
        found = rescore_and_store(context.paths.journal, run_id)
    if arguments.json:
        context.terminal.document(
            RUN_DOCUMENT.stamped(
                {
                    "run": run_id,
                    "checked": found.checked,
                    "changed_count": found.changed_count,
                    "left_alone": found.left_alone,
                    "stored": arguments.store,
                    "changed": [
                        {
                            "candidate": unit.key.candidate,
                            "example": unit.key.example,
                            "repetition": unit.key.repetition,
                            "old": {"score": unit.old_score, "cause": unit.old_cause.value},
                            "new": {"score": unit.new_score, "cause": unit.new_cause.value},
                        }
                        for unit in found.changed
                    ],
                }
            )
        )
    else:
        out = context.terminal
        out.line(out.style(found.message, "warn" if found.changed_count else "good"))
        for unit in found.changed[:_SHOWN]:
            was, now = numbers.quality(unit.old_score), numbers.quality(unit.new_score)
            out.line(
                f"  model {unit.key.candidate + 1}, example {text.one_line(unit.key.example)}: "
                f"{unit.old_cause.message} {was}, now {unit.new_cause.message} {now}"
            )
    return Exit.PROBLEMS if found.changed_count and not arguments.store else Exit.DONE


RUN_DOCUMENT = JsonDocument(
    "packbench-rescore/1",
    fields(
        ("run", "string", "id of the run"),
        ("checked", "integer", "answers scored again"),
        ("changed_count", "integer", "answers that are scored otherwise now"),
        ("left_alone", "integer", "answers that cannot be scored again"),
        ("stored", "boolean", "are the new scores kept?"),
        ("changed", "array", "those that are scored otherwise"),
        ("changed[].candidate", "integer", "the model, counted from 0"),
        ("changed[].example", "string", "its id"),
        ("changed[].repetition", "integer", "counted from 0"),
        ("changed[].old", "object", "as stored"),
        ("changed[].old.score", "number or null", "0 to 1"),
        ("changed[].old.cause", "string", "right, or the kind of the failure"),
        ("changed[].new", "object", "as scored now"),
        ("changed[].new.score", "number or null", "0 to 1"),
        ("changed[].new.cause", "string", "right, or the kind of the failure"),
    ),
    "a run",
)
BUNDLE_DOCUMENT = JsonDocument(
    "packbench-rescore-bundle/1",
    fields(
        ("bundle", "string", "name of the file"),
        ("run", "string", "id of the run in it"),
        ("good", "boolean", "untouched, and scored the same"),
        ("entries", "integer", "files looked at"),
        ("answers", "integer", "answers scored again"),
        ("difference_count", "integer", "how many places differ"),
        ("differences", "array", "the first of them"),
        ("differences[].place", "string", "file or answer"),
        ("differences[].message", "string", "what differs"),
    ),
    "a bundle of a task run",
)
QUALIFICATION_DOCUMENT = JsonDocument(None, verification_fields(""), "a qualification bundle")

COMMAND = Command(
    "rescore",
    "Scores every stored answer again with this version's scorers. Of a run: says what changed (exit code 1),\n"
    "--store keeps it. Of a bundle: proves without a network that it is untouched and scores the same, or\n"
    "names the exact place that differs (exit code 1).",
    describe,
    run,
    ("packbench rescore last", "packbench rescore packbench-bundle-7f3a9c1e.zip"),
    documents=(RUN_DOCUMENT, BUNDLE_DOCUMENT, QUALIFICATION_DOCUMENT),
    exits={0: "the same again", 1: "something differs"},
)
