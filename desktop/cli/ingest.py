"""`packbench ingest DOCUMENT DIR`: a local model drafts a pack from notes, for a person to review."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.cli.command import Command, add_json, add_quiet, at_least, backend_name
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields, problem_fields
from desktop.inference.backends.source import BUILT_IN
from desktop.reports import text
from packs import numbers

if TYPE_CHECKING:
    from desktop.ingest.documents.model import DocumentText
    from desktop.ingest.drafting.choice import DraftingChoice
    from desktop.ingest.drafting.model import DraftEvent
    from desktop.ingest.drafting.service import DraftedFolder, DraftingModel


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "document", metavar="DOCUMENT", help="text, Markdown, HTML, DOCX, PDF, e-mail or a table"
    )
    parser.add_argument("folder", metavar="DIR", help="the new pack's folder")
    parser.add_argument("--model", metavar="M", help="which model drafts; the largest that fits when left out")
    parser.add_argument(
        "--backend",
        type=backend_name,
        metavar="B",
        default=BUILT_IN.kind,
        help="instead of %(default)s",
    )
    parser.add_argument(
        "--endpoint", "--base-url", metavar="URL", help="the server's address, for other backends"
    )
    parser.add_argument(
        "--scorer", metavar="NAME", help="the kind of task; found from the document when left out"
    )
    parser.add_argument("--examples", type=at_least(10), default=24, metavar="N", help="how many (%(default)s)")
    add_quiet(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.draft_pack import drafting_model, find_drafters
    from desktop.ingest.documents import read_document
    from desktop.ingest.drafting.kinds import drafting_jobs
    from desktop.ingest.pack_folder import check_target
    from packs.errors import AppError

    if arguments.scorer is not None and arguments.scorer not in drafting_jobs():
        known = ", ".join(drafting_jobs())
        raise AppError(
            f"There is no scorer '{arguments.scorer}'.", f"Choose one of: {known}.", code="unknown_scorer"
        )
    check_target(Path(arguments.folder))
    document = read_document(Path(arguments.document))
    say = _teller_of(arguments, context)
    say(_what_was_read(document))
    for sentence in document.left_out[:10]:
        say(f"  {text.one_line(sentence)}")
    drafters = find_drafters(context.services, arguments.backend, arguments.endpoint, named=arguments.model)
    choice = drafters.choose(arguments.model)
    say(text.one_line(choice.reason))
    made = _draft(document, drafting_model(drafters, choice.model), arguments, context)
    return _finish(made, document, choice, arguments, context)


def _what_was_read(document: DocumentText) -> str:
    pages = f", {numbers.count(document.pages, 'page')}" if document.pages else ""
    return f"{text.one_line(document.name, 60)}: {document.kind}{pages}, {len(document.text):,} characters."


def _draft(
    document: DocumentText, drafting: DraftingModel, arguments: argparse.Namespace, context: Context
) -> DraftedFolder:
    from desktop.application.draft_pack import draft
    from desktop.foundation.cancel import CancelToken

    stopped = False
    cancel = CancelToken()

    def stop(number: int, frame: object) -> None:
        nonlocal stopped
        if stopped:
            raise KeyboardInterrupt
        stopped = True
        cancel.cancel()

    _teller_of(arguments, context)(f"Loading {text.one_line(drafting.model.name, 60)} …")
    before = signal.signal(signal.SIGINT, stop)
    try:
        return draft(
            document,
            drafting,
            Path(arguments.folder),
            _teller(_teller_of(arguments, context), time.monotonic),
            cancel=cancel,
            stop_asked=lambda: stopped,
            scorer=arguments.scorer,
            wanted=arguments.examples,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def _teller_of(arguments: argparse.Namespace, context: Context) -> Callable[[str], None]:
    """Says what goes on, unless --quiet asks for silence."""
    return (lambda message: None) if arguments.quiet else context.terminal.note


def _teller(say: Callable[[str], None], now: Callable[[], float]) -> Callable[[DraftEvent], None]:
    from desktop.ingest.drafting.model import ExampleAdded, StageDone, StageStarted

    began = now()

    def notify(event: DraftEvent) -> None:
        match event:
            case StageStarted():
                say(f"{event.stage} of {event.of}: {event.message} …")
            case StageDone():
                say(f"    {text.one_line(event.message, 90)} ({numbers.duration(now() - began)})")
            case ExampleAdded():
                shown = text.one_line(event.example.input, 70)
                say(f"    {event.number} of {event.wanted}: {shown}")

    return notify


def _finish(
    made: DraftedFolder,
    document: DocumentText,
    choice: DraftingChoice,
    arguments: argparse.Namespace,
    context: Context,
) -> int:
    from packs.documents.problems import Severity

    out = context.terminal
    errors = [problem for problem in made.problems if problem.severity is Severity.ERROR]
    if arguments.json:
        out.document(
            DOCUMENT.stamped(
                {
                    "document": document.name,
                    "left_out": list(document.left_out),
                    "model": choice.model.name,
                    "reason": choice.reason,
                    "folder": str(made.folder) if made.folder else None,
                    "saved_answers": str(made.saved_answers) if made.saved_answers else None,
                    "stopped": made.draft.stopped,
                    "fault": str(made.fault) if made.fault else None,
                    "examples": len(made.draft.examples),
                    "notes": list(made.draft.notes),
                    "draft_faults": [{"code": fault.code, "message": fault.message} for fault in made.faults],
                    "problems": [problem.as_json() for problem in made.problems],
                }
            )
        )
    else:
        _print(made, len(errors), context)
    if made.fault is not None and made.folder is None:
        return Exit.MACHINE
    if made.draft.stopped and made.fault is None:
        return Exit.STOPPED
    return Exit.PROBLEMS if errors or made.faults or made.folder is None else Exit.DONE


def _print(made: DraftedFolder, errors: int, context: Context) -> None:
    out = context.terminal
    for sentence in made.draft.notes:
        out.line(text.one_line(sentence))
    for fault in made.faults:
        out.line(out.style("To mend: ", "warn") + text.one_line(fault.message))
    if made.fault is not None:
        out.paragraph(text.one_line(f"Drafting ended early. {made.fault}"), "")
    if made.folder is None:
        place = (
            f" What it answered is kept in {text.one_line(str(made.saved_answers))}."
            if made.saved_answers
            else ""
        )
        out.line(f"No pack could be made of what the model answered.{place}")
        return
    state = f"{numbers.count(errors, 'problem')} to mend" if errors else "it can be used"
    count = numbers.count(len(made.draft.examples), "drafted example")
    out.line(f"The pack is in {text.one_line(str(made.folder))}: {count}, {state}.")
    out.line("Review every example before you trust a result: the expected values are the model's.")


DOCUMENT = JsonDocument(
    "packbench-ingest/1",
    (
        *fields(
            ("document", "string", "name of what was read"),
            ("left_out", "array", "what of it was not read, one sentence each"),
            ("model", "string", "the model that drafted"),
            ("reason", "string", "why this one"),
            ("folder", "string or null", "the draft; null when none was written"),
            ("saved_answers", "string or null", "file with answers that became no draft"),
            ("stopped", "boolean", "was it stopped before the end?"),
            ("fault", "string or null", "what broke it off"),
            ("examples", "integer", "drafted, all unreviewed"),
            ("notes", "array", "what to know of the draft, one sentence each"),
            ("draft_faults", "array", "answers of the model that could not be used"),
            ("draft_faults[].code", "string", "kind of the fault"),
            ("draft_faults[].message", "string", "the same in words"),
        ),
        *problem_fields("problems"),
    ),
)

COMMAND = Command(
    "ingest",
    "Lets a local model draft a pack from a document, in stages, each example with the passage it\n"
    "came from. Nothing of the document is sent anywhere. The draft is yours to review: it counts\n"
    "as unreviewed until a person has decided every example. Ctrl-C keeps what is there.",
    describe,
    run,
    ("packbench ingest runbook.md ./desk", "packbench ingest rules.pdf ./rules --model starter --examples 10"),
    documents=(DOCUMENT,),
    exits={0: "the draft is written", 1: "something given has problems, or nothing could be drafted"},
)
