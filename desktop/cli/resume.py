"""`packbench resume [RUN]`: goes on with a run that was stopped or killed."""

from __future__ import annotations

import argparse
import shlex

from desktop.cli.command import Command, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.progress import RunProgress
from desktop.cli.run import DOCUMENT, finish, stopped_by_user


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", nargs="?", metavar="RUN", help="an id or its beginning; the newest unfinished run when left out"
    )
    parser.add_argument(
        "--retry-failed", "--retry", action="store_true", help="ask for answers that failed once more"
    )
    parser.add_argument("--out", metavar="DIR", help="write report.html and report.md there")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.run_tasks import resume
    from desktop.runs.control import RunControl
    from desktop.runs.journal.reader import JournalReader
    from desktop.runs.resume import look_at, newest_resumable

    with JournalReader(context.paths.journal) as reader:
        run_id = reader.resolve(arguments.run) if arguments.run else newest_resumable(reader)
        if run_id is None:
            context.terminal.line("No run is waiting to go on.")
            return Exit.DONE
        found = look_at(reader, run_id, retry_failed=arguments.retry_failed)
    context.terminal.note(
        f"Going on with run {run_id[:8]} of {found.run.pack_name}: {found.units} answers are left."
    )
    control = RunControl()
    message = [run_id[:8], *(["--retry-failed"] if arguments.retry_failed else [])]
    with RunProgress(context.terminal) as progress, stopped_by_user(control, progress):
        end = resume(
            run_id,
            context.services,
            on_event=progress.on_event,
            control=control,
            command="packbench resume " + shlex.join(message),
            retry_failed=arguments.retry_failed,
        )
    return finish(end, arguments.json, arguments.out, context)


COMMAND = Command(
    "resume",
    "Goes on with a run that was stopped, killed or partly failed: only what is missing is run. Refuses when\n"
    "pack, configuration, models or engine have changed since, and says what.",
    describe,
    run,
    ("packbench resume", "packbench resume 7f3a9c1e --retry-failed"),
    documents=(DOCUMENT,),
    exits={
        0: "something was measured",
        1: "something given has problems, or has changed",
        3: "nothing could be measured",
    },
)
