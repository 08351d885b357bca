"""`packbench self-check`: proves that this program is whole, also as one file without a network."""

from __future__ import annotations

import argparse
import asyncio
import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.cli.command import Command, add_json, add_quiet
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from desktop.cli.packs import PackKind, find_pack, sample_names
from desktop.reports import text
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.reports.data import ReportData

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """found: None when the check could not be made here, with the reason in `words`."""

    name: str
    found: bool | None
    message: str
    seconds: float


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-window", action="store_true", help="leave out the window")
    parser.add_argument("--no-engine", action="store_true", help="leave out the built-in engine")
    add_quiet(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    findings = []
    for name, check in _checks(arguments, context):
        findings.append(_made(name, check))
        if not arguments.json and (findings[-1].found is False or not arguments.quiet):
            _print(findings[-1], context)
    whole = all(finding.found is not False for finding in findings)
    if arguments.json:
        context.terminal.document(
            DOCUMENT.stamped(
                {
                    "whole": whole,
                    "checks": [
                        {
                            "name": entry.name,
                            "ok": entry.found,
                            "words": entry.message,
                            "seconds": round(entry.seconds, 3),
                        }
                        for entry in findings
                    ],
                }
            )
        )
    elif whole:
        context.terminal.line(context.terminal.style("Packbench is whole.", "good"))
    else:
        context.terminal.line(context.terminal.style("Something is missing; see above.", "bad"))
    return Exit.DONE if whole else Exit.MACHINE


Check = Callable[[], str | None]
"""Says what was seen; None when it cannot be made here. Raises for anything that is wrong."""


def _checks(arguments: argparse.Namespace, context: Context) -> Iterator[tuple[str, Check]]:
    names = sample_names()
    yield "samples", lambda: f"{len(names)} samples" if names else _missing("There are no samples.")
    for name in names:
        yield f"sample {name}", lambda name=name: _sample(name)  # type: ignore[misc]
    if not arguments.no_window:
        # Before the PDF, which makes a Qt application of a smaller kind that no window can join.
        yield "window", context.check_window
    for renderer in context.renderers().names:
        yield f"report {renderer}", lambda renderer=renderer: _report(renderer, context)  # type: ignore[misc]
    yield "bundle", lambda: _bundle(context)
    yield "signature", check_signature
    if not arguments.no_engine:
        yield "engine", lambda: _engine(context)


def _missing(message: str) -> str:
    raise AppError(message, "Install the program again.", code="incomplete")


def _made(name: str, check: Check) -> CheckResult:
    start = time.perf_counter()
    try:
        message = check()
    except AppError as error:
        return CheckResult(name, False, str(error), time.perf_counter() - start)
    except Exception as error:
        log.exception("self-check of %s failed", name)
        return CheckResult(name, False, f"{type(error).__name__}: {error}", time.perf_counter() - start)
    if message is None:
        return CheckResult(name, None, "not there, so it was left out", time.perf_counter() - start)
    return CheckResult(name, True, message, time.perf_counter() - start)


def _print(finding: CheckResult, context: Context) -> None:
    out = context.terminal
    word, tone = {True: ("ok", "good"), False: ("bad", "bad"), None: ("--", "muted")}[finding.found]
    out.line(f"{out.style(f'{word:3}', tone)} {finding.name}: {text.one_line(finding.message)}")


def _sample(name: str) -> str:
    """A task pack must score 1 on every example when it is fed its own expected answers."""
    found = find_pack(name)
    if found.kind is PackKind.QUALIFICATION:
        from packs.qualification.loader import require_pack

        require_pack(found.folder)
        return "loads without a problem"
    from desktop.application.run_tasks import load_work
    from desktop.reports.failures import as_text
    from packs.task.judge import judge

    work, _ = load_work(found.folder)
    pack = work.pack
    for example in pack.examples:
        outcome = judge(pack.scoring, example.expected, as_text(example.expected))
        if not outcome.passed:
            _missing(f"Example {example.id} does not score 1 with its own answer: {outcome.reason}")
    return f"all {len(pack.examples)} examples score 1 with their own answers"


def _report(name: str, context: Context) -> str:
    with tempfile.TemporaryDirectory() as folder:
        data = _own_answers(Path(folder), context)
        content = context.renderers()[name].render(data)
    if len(content) < 500:
        _missing(f"The report has only {len(content)} bytes.")
    return f"{len(content):,} bytes"


def _bundle(context: Context) -> str:
    from desktop.reports.verify_whole import verify_whole

    with tempfile.TemporaryDirectory() as folder:
        data = _own_answers(Path(folder), context)
        target = Path(folder) / "bundle.zip"
        target.write_bytes(context.renderers()["bundle"].render(data))
        found = verify_whole(target)
    if not found.good:
        _missing(found.message)
    return found.message


def check_signature() -> str:
    from packs.qualification.signing import new_keys, sign, signature_holds

    keys = new_keys()
    message = b"self-check"
    signature = sign(keys.seed, message)
    if not signature_holds(keys.public, signature, message) or signature_holds(
        keys.public, signature, b"other"
    ):
        _missing("A signature was not told right from wrong.")
    return "a key signs, and a changed message is found out"


def _engine(context: Context) -> str | None:
    """Starts the engine child with the starter model and has it write a few tokens."""
    from desktop.inference.backends.base import GenerationRequest
    from desktop.inference.model_files.starter_model import starter_file

    found = (starter_file(folder) for folder in context.paths.model_folders)
    file = next((entry for entry in found if entry is not None), None)
    if file is None:
        return None

    async def once() -> str:
        backend = context.services.embedded([file])
        model = await backend.find("starter")
        try:
            await backend.load(model, backend.default_settings(512))
            answer = await backend.generate(
                GenerationRequest("Say hello.", 512, 8, 0.0, 42), lambda progress: None
            )
        finally:
            await backend.unload()
        return f"{await backend.version()} wrote {answer.timing.output_tokens} tokens"

    return asyncio.run(once())


def _own_answers(folder: Path, context: Context) -> ReportData:
    """A run of the first sample in a journal of its own, answered by a made-up model."""
    from desktop.cli.self_check_run import run_with_own_answers

    return run_with_own_answers(folder / "runs.db", context.now())


DOCUMENT = JsonDocument(
    "packbench-self-check/1",
    fields(
        ("whole", "boolean", "is nothing missing?"),
        ("checks", "array", "in order"),
        ("checks[].name", "string", "what was tried"),
        ("checks[].ok", "boolean or null", "null: cannot be tried here"),
        ("checks[].words", "string", "what was seen"),
        ("checks[].seconds", "number", "how long it took"),
    ),
)

COMMAND = Command(
    "self-check",
    "Proves that this program is whole: loads and scores every sample, writes every kind of report, checks a\n"
    "bundle and a signature, starts the engine, and opens a window that nobody sees. Needs no network.\n"
    "Exit code 3 when anything is missing.",
    describe,
    run,
    ("packbench self-check",),
    documents=(DOCUMENT,),
    exits={0: "whole", 3: "something is missing"},
)
