"""`packbench qualify PACK`: runs a qualification pack against a served model and writes the bundle."""

from __future__ import annotations

import argparse
import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from desktop.cli.command import Command, UsageError, add_json, add_pack, add_quiet, at_least, pack_of
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from desktop.cli.packs import PackKind, find_pack
from desktop.cli.qualify_case import CASE_DOCUMENT, run_case
from desktop.cli.qualify_progress import QualifyProgress
from desktop.foundation.cancel import CancelToken
from desktop.inference.backends.api_keys import JUDGE_VARIABLE, TYPESAFE_VARIABLE, model_key
from desktop.inference.backends.table import USUAL_CHAT_API, chat_apis
from desktop.reports import text
from packs import numbers

if TYPE_CHECKING:
    from desktop.runs.qualification.run import QualifyResult
    from desktop.runs.qualification.settings import QualifySettings

STATUSES = {"not-qualified": "NOT_QUALIFIED", "indeterminate": "INDETERMINATE"}


def describe(parser: argparse.ArgumentParser) -> None:
    add_pack(parser)
    parser.add_argument("--endpoint", metavar="URL", help="the model server, for example http://localhost:8080")
    parser.add_argument("--operator", metavar="NAME", help="who is responsible for this run")
    parser.add_argument(
        "--out", "--output", dest="output", metavar="DIR", help="where the bundle's folder goes"
    )
    what = parser.add_argument_group("what is qualified")
    what.add_argument(
        "--model",
        metavar="M",
        help="the model's id on the server; without --endpoint a GGUF file or 'starter', served by the program",
    )
    for name, help_text in (
        ("serving-config", "YAML file that says what serves the model"),
        ("system-prompt", "text file, sent before every case"),
        ("chat-template", "text file, only recorded"),
        ("model-index", "YAML or JSON file with the hashes of the weight files"),
    ):
        what.add_argument(f"--{name}", type=Path, metavar="FILE", help=help_text)
    what.add_argument(
        "--api",
        choices=tuple(chat_apis()),
        default=USUAL_CHAT_API,
        help="how the server is spoken to; 'ollama' for its native API, which obeys the context (%(default)s)",
    )
    what.add_argument(
        "--context",
        type=at_least(1),
        metavar="N",
        help="tokens, for a model file and for --api ollama; what the longest case needs when left out",
    )
    how = parser.add_argument_group("how it is asked (the pack says, if left out)")
    how.add_argument("--temperature", type=float, metavar="T")
    how.add_argument("--top-p", type=float, metavar="P")
    how.add_argument("--seed", type=int, metavar="N")
    how.add_argument("--max-tokens", type=int, metavar="N")
    how.add_argument("--extra-body", metavar="JSON", help="further fields of every request, as one JSON object")
    how.add_argument("--concurrency", type=int, default=4, metavar="N", help="requests at once (%(default)s)")
    how.add_argument("--max-retries", type=int, default=2, metavar="N", help="after a failure (%(default)s)")
    how.add_argument("--timeout", type=float, default=60.0, metavar="S", help="seconds (%(default)g)")
    again = parser.add_argument_group("going on")
    again.add_argument("--run-id", metavar="ID", help="name of the run and of its folder")
    again.add_argument("--resume", action="store_true", help="go on with the run --run-id")
    again.add_argument("--retry-errors", action="store_true", help="with --resume: ask failed requests again")
    shown = parser.add_argument_group("what is shown and kept")
    shown.add_argument("--redaction-policy", type=Path, metavar="FILE", help="YAML file")
    shown.add_argument("--show-sensitive", action="store_true", help="show sensitive cases in the report")
    shown.add_argument("--strip-reasoning", action="store_true", help="leave reasoning out of the bundle")
    shown.add_argument(
        "--strict-scrubbing",
        action="store_true",
        help="take secrets out before scoring, as the public tool does",
    )
    judge = parser.add_argument_group("the judge, if the pack has one")
    judge.add_argument("--judge-endpoint", metavar="URL", help="the model's own, if left out")
    judge.add_argument("--judge-model", metavar="M")
    judge.add_argument("--judge-max-tokens", type=at_least(1), metavar="N")
    parser.add_argument(
        "--fail-on",
        metavar="WORDS",
        help="not-qualified, indeterminate, or both with a comma: exit with 4 for these decisions",
    )
    trial = parser.add_argument_group("trying")
    trial.add_argument("--only", metavar="CASE", help="ask this case alone, show how it scores, write nothing")
    trial.add_argument(
        "--dry-run", action="store_true", help="with --only: show what would be sent, send nothing"
    )
    add_quiet(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.reports.qualification.html import render_qualification
    from desktop.runs.qualification.run import RunEnvironment, RunStopped, qualify

    fail_on = _fail_on(arguments.fail_on)
    found = find_pack(pack_of(arguments))
    if found.kind is not PackKind.QUALIFICATION:
        raise UsageError(
            "This is a task pack; it is run, not qualified.",
            "Use 'packbench run', or make a qualification pack from it: 'packbench init --kind qualification "
            "--from'.",
            code="usage",
        )
    settings = _settings(arguments, context)
    _report_destination(settings, context)
    if arguments.only:
        around = RunEnvironment(render_qualification, context.now)
        given = (arguments.model, arguments.endpoint, found.folder)
        with _served(*given, settings, context) as served:
            return run_case(arguments, found.folder, served, around, context)
    cancel = CancelToken()
    with QualifyProgress(context.terminal, quiet=arguments.quiet) as progress, _stopping(cancel, progress):
        around = RunEnvironment(render_qualification, context.now, progress.on_event)
        try:
            given = (arguments.model, arguments.endpoint, found.folder)
            with _served(*given, settings, context) as served:
                result = qualify(found.folder, served, around, cancel)
        except RunStopped as stop:
            progress.say(
                f"Stopped. {stop.done} of {numbers.count(stop.total, 'reply', 'replies')} are safe; the same "
                f"command with --resume --run-id {stop.run_id} goes on with the rest."
            )
            return Exit.STOPPED
    _notify(result, arguments.json, context)
    if result.failed_requests:
        context.terminal.note(
            f"{numbers.count(result.failed_requests, 'request')} got no usable reply; the same command with "
            f"--resume --retry-errors --run-id {result.run_id} asks them again."
        )
        return Exit.MACHINE
    return Exit.GATE if result.status in fail_on else Exit.DONE


def _report_destination(settings: QualifySettings, context: Context) -> None:
    """Before anything is sent: does it leave this computer? Naming the address is the person's leave for it."""
    from desktop.inference.backends.http_client import is_loopback

    for what, address in (("Every case", settings.endpoint), ("Every reply", settings.judge_endpoint)):
        host = urlsplit(address or "").hostname
        if address and host and not is_loopback(address):
            context.terminal.note(f"{what} will be sent to {host}, which is not this computer.")


def _fail_on(given: str | None) -> set[str]:
    message = [word.strip() for word in (given or "").split(",") if word.strip()]
    unknown = [word for word in message if word not in STATUSES]
    if unknown:
        raise UsageError(
            f"--fail-on does not know '{unknown[0]}'.", f"Known: {', '.join(STATUSES)}.", code="usage"
        )
    return {STATUSES[word] for word in message}


def _settings(arguments: argparse.Namespace, context: Context) -> QualifySettings:
    from desktop.runs.qualification.settings import QualifySettings as NewSettings
    from desktop.runs.qualification.side_files import read_extra_body

    for name in () if arguments.only else ("operator", "output"):
        if not getattr(arguments, name):
            raise UsageError(
                f"--{name} is missing.", "It is written into the evidence." if name == "operator" else
                "Name the folder for the bundle.", code="usage",
            )  # fmt: skip
    if not arguments.endpoint and not arguments.model:
        raise UsageError(
            "--endpoint is missing.", "Name the model server, or a GGUF file by --model.", code="usage"
        )
    environment = context.services.environment
    return NewSettings(
        endpoint=arguments.endpoint or "http://127.0.0.1",
        output=Path(arguments.output or ".").expanduser(),
        operator=arguments.operator or "nobody",
        serving_config=arguments.serving_config,
        system_prompt=arguments.system_prompt,
        chat_template=arguments.chat_template,
        model_index=arguments.model_index,
        model=arguments.model,
        concurrency=arguments.concurrency,
        max_retries=arguments.max_retries,
        timeout_s=arguments.timeout,
        temperature=arguments.temperature,
        top_p=arguments.top_p,
        seed=arguments.seed,
        max_tokens=arguments.max_tokens,
        extra_body=read_extra_body(arguments.extra_body) if arguments.extra_body is not None else None,
        api=arguments.api,
        context_tokens=arguments.context,
        run_id=arguments.run_id,
        resume=arguments.resume,
        retry_errors=arguments.retry_errors,
        redaction_policy=arguments.redaction_policy,
        show_sensitive=arguments.show_sensitive,
        strip_reasoning=arguments.strip_reasoning,
        strict_scrubbing=arguments.strict_scrubbing,
        judge_endpoint=arguments.judge_endpoint,
        judge_model=arguments.judge_model,
        judge_max_tokens=arguments.judge_max_tokens,
        key=model_key(environment),
        judge_key=environment.get(JUDGE_VARIABLE),
        typesafe_key=environment.get(TYPESAFE_VARIABLE),
    )


@contextlib.contextmanager
def _served(
    model: str | None, endpoint: str | None, folder: Path, settings: QualifySettings, context: Context
) -> Iterator[QualifySettings]:
    """The settings as they are, or with the engine that comes along as the endpoint."""
    if model is None or endpoint is not None:
        yield settings
        return
    import asyncio

    from desktop.runs.qualification.context import context_for
    from desktop.runs.qualification.embedded_endpoint import embedded_endpoint
    from desktop.runs.qualification.preparation import runnable_pack
    from desktop.runs.qualification.settings import check_settings, with_served
    from desktop.runs.qualification.side_files import read_text

    check_settings(settings)
    pack = runnable_pack(folder)
    prompt = read_text(settings.system_prompt, "system prompt") if settings.system_prompt else ""
    limit = settings.max_tokens or pack.sampling["max_tokens"]
    assert isinstance(limit, int | float)
    found = asyncio.run(context.services.embedded().find(model))
    assert found.path is not None
    context.terminal.note(f"Loading {found.name} …")
    context_tokens = settings.context_tokens or context_for(pack, prompt, int(limit))
    with embedded_endpoint(found.path, context_tokens) as served:
        yield with_served(settings, served)


@contextlib.contextmanager
def _stopping(cancel: CancelToken, progress: QualifyProgress) -> Iterator[None]:
    """While inside, Ctrl-C and a polite kill stop the run and keep what came; once more breaks off."""

    def stop(number: int, frame: object) -> None:
        if cancel.cancelled:
            raise KeyboardInterrupt
        progress.say("Stopping … (once more to break off at once)")
        cancel.cancel()

    before: dict[int, Callable[..., object] | int | None] = {}
    try:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                number = getattr(signal, name)
                before[number] = signal.signal(number, stop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _notify(result: QualifyResult, as_json: bool, context: Context) -> None:
    out = context.terminal
    report = result.folder / "report.html"
    if as_json:
        out.document(
            DOCUMENT.stamped(
                {
                    "run_id": result.run_id,
                    "folder": str(result.folder),
                    "status": result.status,
                    "summary": result.summary,
                    "realised_coverage": result.realised_coverage,
                    "failed_requests": result.failed_requests,
                    "notes": list(result.notes),
                    "report": str(report),
                }
            )
        )
        return
    tones = {"QUALIFIED": "good", "NOT_QUALIFIED": "bad"}
    out.line(f"Bundle:   {result.folder}")
    out.line(f"Decision: {out.style(result.status, tones.get(result.status, 'warn'))}")
    out.paragraph(text.one_line(result.summary), "          ")
    out.line(f"Coverage: {numbers.percent(result.realised_coverage)}")
    out.line(f"Report:   {report}")
    for note in result.notes:
        out.note(text.one_line(note))


DOCUMENT = JsonDocument(
    "packbench-qualify/1",
    fields(
        ("run_id", "string", "name of the run"),
        ("folder", "string", "the bundle"),
        ("status", "string", "QUALIFIED, NOT_QUALIFIED or INDETERMINATE"),
        ("summary", "string", "the reason as a sentence"),
        ("realised_coverage", "number or null", "share of what the pack declares that was covered, 0 to 1"),
        ("failed_requests", "integer", "requests without a usable reply"),
        ("notes", "array", "what to know of the run, one sentence each"),
        ("report", "string", "the report for people"),
    ),
)

COMMAND = Command(
    "qualify",
    "Runs a qualification pack against a served model and decides: QUALIFIED, NOT_QUALIFIED or INDETERMINATE,\n"
    "with a bundle that others can check. Every reply is kept: Ctrl-C stops, --resume goes on.\n"
    "Keys come from the environment: ETALON_API_KEY or OPENAI_API_KEY, for the judge PACKBENCH_JUDGE_API_KEY.\n"
    "Exit code 0 when the bundle was written, whatever the decision; 3 when a request got no usable reply; 4 "
    "by\n"
    "--fail-on; 1 when something given has problems; 130 when stopped.",
    describe,
    run,
    (
        "packbench qualify housing-routing --endpoint http://localhost:8080 --operator ann --out evidence",
        "packbench qualify ./my-pack --endpoint http://localhost:11434 --model llama3.2:3b --operator ann "
        "--out evidence --fail-on not-qualified,indeterminate",
        "packbench qualify housing-routing --model starter --operator ann --out evidence",
    ),
    documents=(DOCUMENT, CASE_DOCUMENT),
    exits={
        0: "the bundle is written, whatever the decision",
        1: "something given has problems",
        3: "a request got no usable reply",
        4: "the decision is one of those of --fail-on",
    },
)
