"""`packbench resume [RUN]`: goes on with a run that was stopped or killed."""

from __future__ import annotations

import argparse
import shlex

from desktop.cli.command import Command, add_json, add_quiet
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from desktop.cli.progress import RunProgress
from desktop.cli.run import DOCUMENT, add_fail_under, finish, stopped_by_user
from desktop.reports import text
from packs import numbers


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", nargs="?", metavar="RUN", help="an id or its beginning; the newest unfinished run when left out"
    )
    parser.add_argument(
        "--retry-failed", "--retry", action="store_true", help="ask for answers that failed once more"
    )
    parser.add_argument("--out", metavar="DIR", help="write report.html and report.md there")
    add_fail_under(parser)
    add_quiet(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.run_tasks import resume
    from desktop.runs.control import RunControl
    from desktop.runs.journal.reader import JournalReader
    from desktop.runs.resume import look_at, newest_resumable

    with JournalReader(context.paths.journal) as reader:
        run_id = reader.resolve(arguments.run) if arguments.run else newest_resumable(reader)
        if run_id is None:
            if arguments.json:
                context.terminal.document(NOTHING_LEFT.stamped({"run": None}))
            else:
                context.terminal.line("No run is waiting to go on.")
            return Exit.DONE
        found = look_at(reader, run_id, retry_failed=arguments.retry_failed)
    if not arguments.quiet:
        context.terminal.note(
            f"Going on with run {run_id[:8]} of {text.one_line(found.run.pack_name, 60)}: "
            f"{numbers.count(found.units, 'answer')} {'is' if found.units == 1 else 'are'} left."
        )
    control = RunControl()
    message = [run_id[:8], *(["--retry-failed"] if arguments.retry_failed else [])]
    progress = RunProgress(context.terminal, quiet=arguments.quiet)
    with progress, stopped_by_user(control, progress):
        end = resume(
            run_id,
            context.services,
            on_event=progress.on_event,
            control=control,
            command="packbench resume " + shlex.join(message),
            retry_failed=arguments.retry_failed,
        )
    return finish(end, arguments, context)


NOTHING_LEFT = JsonDocument(
    "packbench-resume/1",
    fields(("run", "null", "no run is waiting to go on")),
    "no run is left",
)

COMMAND = Command(
    "resume",
    "Goes on with a run that was stopped, killed or partly failed: only what is missing is run. Refuses when\n"
    "pack, configuration, models or engine have changed since, and says what.",
    describe,
    run,
    ("packbench resume", "packbench resume 7f3a9c1e --retry-failed"),
    documents=(DOCUMENT, NOTHING_LEFT),
    exits={
        0: "something was measured",
        1: "something given has problems, or has changed",
        3: "nothing could be measured",
        4: "no model has the quality of --fail-under",
    },
)
