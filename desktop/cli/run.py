"""`packbench run PACK`: runs models over a pack and says which one to use."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.cli.command import (
    Command,
    UsageError,
    add_json,
    add_pack,
    add_quiet,
    at_least,
    backend_name,
    pack_of,
    quality,
    seconds,
)
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields, report_fields
from desktop.cli.packs import PackKind, pack_to_run
from desktop.cli.progress import RunProgress, span
from desktop.inference.backends.source import BUILT_IN
from desktop.inference.backends.table import backend_names
from desktop.reports import text
from packs import numbers

if TYPE_CHECKING:
    from desktop.application.run_tasks import Prepared, RunRequest
    from desktop.runs.control import RunControl
    from desktop.runs.engine import RunEnd

OUT_FORMATS = ("html", "md")
"""What `--out` writes: one to read, one to paste."""


def describe(parser: argparse.ArgumentParser) -> None:
    add_pack(parser, "the pack's folder or zip, or a sample (a copy in your documents is run)")
    models = parser.add_argument_group("which models")
    others = [name for name in backend_names() if name != BUILT_IN.kind]
    models.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="M",
        help="by name, 'starter', or a GGUF file; may be repeated; all of the models folder when left out",
    )
    models.add_argument(
        "--backend",
        type=backend_name,
        metavar="B",
        help=f"{BUILT_IN.kind} (the engine that comes along) or another: {', '.join(others)}",
    )
    models.add_argument("--endpoint", metavar="URL", help="the server's address, for other backends")
    models.add_argument("--config", metavar="FILE", help="a run configuration (YAML)")
    models.add_argument("--force", action="store_true", help="also models that do not fit into memory")
    models.add_argument(
        "--allow-remote", action="store_true", help="also models on other people's computers, for this run"
    )
    how = parser.add_argument_group("how")
    how.add_argument("--limit", type=at_least(1), metavar="N", help="N examples, spread over the labels")
    how.add_argument("--repetitions", type=at_least(1), metavar="N", help="instead of the pack's")
    how.add_argument("--adaptive", action="store_true", help="stop repeating once repetitions are identical")
    how.add_argument("--cold", action="store_true", help="read every prompt from nothing")
    how.add_argument("--constrained", action="store_true", help="only answers in the form the scorer reads")
    how.add_argument("--strict", action="store_true", help="score reasoning text as part of the answer")
    how.add_argument("--parallel", type=at_least(1), default=1, metavar="N", help="answers under way at once")
    how.add_argument("--threads", type=at_least(1), metavar="N", help="of the built-in engine")
    waiting = parser.add_argument_group("how long to wait, in seconds")
    waiting.add_argument("--load-timeout", type=seconds, default=600.0, metavar="S", help="(%(default)g)")
    waiting.add_argument(
        "--first-token-timeout", type=seconds, default=120.0, metavar="S", help="(%(default)g)"
    )
    waiting.add_argument("--token-timeout", type=seconds, default=60.0, metavar="S", help="(%(default)g)")
    parser.add_argument("--out", metavar="DIR", help="write report.html and report.md there")
    add_fail_under(parser)
    add_quiet(parser)
    add_json(parser)


def add_fail_under(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fail-under",
        type=quality,
        metavar="QUALITY",
        help="exit code 4 when no model has this quality, 0 to 1",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.run_tasks import PackProblems, execute, prepare
    from desktop.runs.control import RunControl

    found = pack_to_run(pack_of(arguments), context.paths)
    if found.kind is PackKind.QUALIFICATION:
        raise UsageError(
            "This is a qualification pack; it is not run but qualified.",
            "Use 'packbench qualify'.",
            code="usage",
        )
    try:
        prepared = prepare(_request(arguments, found.folder), context.services)
    except PackProblems as error:
        for problem in error.problems:
            place = ":".join(str(part) for part in (problem.file, problem.line, problem.column) if part)
            context.terminal.note(text.one_line(f"{place}: {problem.message} {problem.fix}"))
        raise
    if not arguments.quiet:
        _report_plan(prepared, context)
    control = RunControl()
    command = "packbench run " + shlex.join(_message(arguments))
    progress = RunProgress(context.terminal, quiet=arguments.quiet)
    with progress, stopped_by_user(control, progress):
        end = execute(prepared, context.services, on_event=progress.on_event, control=control, command=command)
    return finish(end, arguments, context)


def _message(arguments: argparse.Namespace) -> list[str]:
    return [pack_of(arguments), *(word for model in arguments.model for word in ("--model", model))]


def _request(arguments: argparse.Namespace, folder: Path) -> RunRequest:
    from desktop.application.run_tasks import RunRequest as NewRunRequest
    from desktop.inference.backends.base import Clocks
    from desktop.runs.settings import RunSettings

    settings = RunSettings(
        models=tuple(arguments.model),
        allow_remote=arguments.allow_remote,
        endpoint=arguments.endpoint,
        config_path=arguments.config,
        limit=arguments.limit,
        repetitions=arguments.repetitions,
        force=arguments.force,
        strict=arguments.strict,
        adaptive=arguments.adaptive,
        cold=arguments.cold,
        constrained=arguments.constrained,
        parallel=arguments.parallel,
        threads=arguments.threads,
    )
    clocks = Clocks(arguments.load_timeout, arguments.first_token_timeout, arguments.token_timeout)
    return NewRunRequest(folder, settings, arguments.backend, clocks)


def _report_plan(prepared: Prepared, context: Context) -> None:
    """Before anything runs: what, in which order, for how long, and what is left out."""
    plan, say = prepared.plan, context.terminal.note
    say(
        f"{text.one_line(prepared.work.name, 60)}: {numbers.count(len(plan.examples), 'example')}"
        + (f" × {plan.repetitions} repetitions" if plan.repetitions > 1 else "")
        + f", {numbers.count(len(plan.candidates), 'model')}, {span(plan.expected.low_s, plan.expected.high_s)}"
    )
    for entry in plan.candidates:
        say(f"  {text.one_line(entry.model.name, 50)}: {text.one_line(entry.assessment.message)}")
    for left_out in plan.left_out:
        say(f"  left out: {text.one_line(left_out.name, 50)}: {text.one_line(left_out.reason)}")
    if plan.over_an_hour:
        say("This may take more than an hour. --limit takes fewer examples, --model fewer models.")
    for hint in prepared.hints[:5]:
        say(f"  hint, {hint.file}: {text.one_line(hint.message)}")


@contextlib.contextmanager
def stopped_by_user(control: RunControl, progress: RunProgress) -> Iterator[None]:
    """While inside, Ctrl-C and a polite kill stop the run and keep what is finished; once more breaks off."""

    def stop(number: int, frame: object) -> None:
        if control.stopped:
            raise KeyboardInterrupt
        progress.say("Stopping … (once more to break off at once)")
        control.stop()

    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before: dict[int, Callable[..., object] | int | None] = {}
    try:
        for name in names:
            number = getattr(signal, name)
            before[number] = signal.signal(number, stop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def finish(end: RunEnd, arguments: argparse.Namespace, context: Context) -> int:
    """After a run: the result, the files and the exit code, as --json, --out, --fail-under and --quiet ask."""
    from desktop.cli.result import print_result
    from desktop.reports.json import document
    from desktop.reports.loading import report_data
    from desktop.reports.renderers import write_report
    from desktop.runs.records import RunStatus

    data = report_data(context.paths.journal, end.run_id, context.now())
    written = []
    if arguments.out is not None:
        renderers = context.renderers()
        for name in OUT_FORMATS:
            renderer = renderers[name]
            written.append(write_report(data, renderer, Path(arguments.out) / f"report{renderer.suffix}"))
    if arguments.json:
        content = {**document(data), "reports": [str(path) for path in written]}
        context.terminal.document(DOCUMENT.stamped(content))
    else:
        print_result(data, context.terminal)
        for path in written:
            context.terminal.line(f"Report: {path}")
    short = end.run_id[:8]
    if end.status is RunStatus.STOPPED:
        context.terminal.note(
            f"Stopped. Everything finished is safe; 'packbench resume {short}' goes on with the rest."
        )
        return Exit.STOPPED
    if not (written or arguments.json or arguments.quiet):
        context.terminal.note(f"'packbench report {short} --format html --out report.html' writes it all down.")
    if not any(view.judged for view in data.candidates):
        return Exit.MACHINE
    wanted = arguments.fail_under
    best = max((view.quality for view in data.candidates if view.quality is not None), default=0.0)
    if wanted is None or best >= wanted:
        return Exit.DONE
    context.terminal.note(
        f"No model has the quality {wanted:g} of --fail-under; the best has {numbers.quality(best)}."
    )
    return Exit.GATE


DOCUMENT = JsonDocument(
    "packbench-report/1",
    report_fields(*fields(("reports", "array", "files that --out has written"))),
)

COMMAND = Command(
    "run",
    "Runs models over a task pack on this computer, one after the other, and says which one to use.\n"
    "Everything finished is kept: Ctrl-C stops, 'packbench resume' goes on. Exit code 0 when something was\n"
    "measured, 1 when the pack has problems, 3 when nothing could be measured, 130 when stopped.\n"
    "A server's key comes from the environment: PACKBENCH_API_KEY, for Anthropic ANTHROPIC_API_KEY.",
    describe,
    run,
    (
        "packbench run invoice-extraction --model starter --out report",
        "packbench run ./my-pack --limit 10 --json",
    ),
    documents=(DOCUMENT,),
    exits={
        0: "something was measured",
        1: "something given has problems",
        3: "nothing could be measured",
        4: "no model has the quality of --fail-under",
    },
)
