"""`packbench runs`: the history."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from desktop.cli.command import Command, add_json, at_least
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from desktop.reports import text
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunSummary
from packs import numbers


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=at_least(1), metavar="N", help="only the newest N")
    parser.add_argument("--deleted", action="store_true", help="instead those that were deleted lately")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    with JournalReader(context.paths.journal) as journal:
        found = journal.runs(deleted=arguments.deleted, limit=arguments.limit)
    if arguments.json:
        context.terminal.document(DOCUMENT.stamped({"runs": [_document(entry) for entry in found]}))
        return Exit.DONE
    if not found:
        context.terminal.line("There are no runs yet. 'packbench run PACK' makes the first.")
        return Exit.DONE
    for entry in found:
        _print(entry, context)
    return Exit.DONE


def _print(entry: RunSummary, context: Context) -> None:
    out = context.terminal
    models = numbers.count(len(entry.candidates), "model")
    state = out.style(entry.status.value, "good" if entry.status.value == "finished" else "warn")
    pin = " (pinned)" if entry.pinned else ""
    name = out.style(text.one_line(entry.pack_name, 60), "bold")
    out.line(f"{entry.id[:8]}  {numbers.moment(entry.started_at)}  {name}  {state}{pin}")
    done = f"{entry.completed} of {numbers.count(entry.units, 'answer')}"
    named = text.one_line(", ".join(entry.candidates), 60)
    out.line(f"          {models}: {named}; {numbers.count(entry.examples, 'example')}, {done}")
    if entry.damaged:
        out.line(f"          {entry.message}")
    if entry.resumable:
        out.line(f"          packbench resume {entry.id[:8]} goes on with the {entry.pending} left")
    if entry.note:
        out.line(f"          note: {text.one_line(entry.note, 80)}")


def _document(entry: RunSummary) -> dict[str, object]:
    return {**asdict(entry), "status": entry.status.value, "units": entry.units, "resumable": entry.resumable}


DOCUMENT = JsonDocument(
    "packbench-runs/1",
    fields(
        ("runs", "array", "newest first"),
        ("runs[].id", "string", "as other commands take it"),
        ("runs[].started_at", "string", "UTC"),
        ("runs[].finished_at", "string or null", "UTC"),
        ("runs[].status", "string", "running, interrupted, finished, stopped or failed"),
        ("runs[].message", "string", "how it ended, if there is something to say"),
        ("runs[].pack_name", "string", "the pack"),
        ("runs[].pack_folder", "string", "where it lay"),
        ("runs[].scorer", "string", "how answers were judged"),
        ("runs[].backend", "string", "what ran the models"),
        ("runs[].candidates", "array", "names of the models, in order"),
        ("runs[].examples", "integer", "how many"),
        ("runs[].repetitions", "integer", "of each example"),
        ("runs[].completed", "integer", "answers that came"),
        ("runs[].failed", "integer", "answers that failed"),
        ("runs[].skipped", "integer", "answers that were not asked for"),
        ("runs[].pending", "integer", "answers still to come"),
        ("runs[].note", "string", "yours"),
        ("runs[].pinned", "boolean", "is it kept whatever happens?"),
        ("runs[].deleted_at", "string or null", "when it was put into the bin"),
        ("runs[].damaged", "boolean", "is it set aside because it cannot be read?"),
        ("runs[].units", "integer", "answers in all"),
        ("runs[].resumable", "boolean", "can `resume` go on with it?"),
    ),
)

COMMAND = Command(
    "runs",
    "Lists the runs kept in the journal, newest first.",
    describe,
    run,
    ("packbench runs",),
    documents=(DOCUMENT,),
)
