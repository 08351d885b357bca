"""From the words of the command line to an exit code. Every message to a person leaves through here."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from desktop import __version__
from desktop.cli.command import UsageError, parser_for
from desktop.cli.commands import COMMANDS, CommandEntry, command_named
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import FORMAT_KEY
from desktop.foundation.error_messages import sentence_for
from desktop.foundation.logs import scrub
from packs.errors import AppError
from packs.registry import nearest

log = logging.getLogger(__name__)

PROGRAM = "packbench"
ERROR_FORMAT = "packbench-error/1"
"""What a command with `--json` prints when it could not do what it was asked."""
_MACHINE_CODES = frozenset(
    (
        *("not_reachable", "server_error", "timed_out", "out_of_memory", "crashed", "busy", "port_taken"),
        *("no_such_model", "no_model", "no_candidates", "nothing_to_run", "bad_model_file", "not_supported"),
        *("no_display", "disk", "disk_full", "not_written", "not_writable", "run_in_progress"),
        *("journal_locked", "journal_damaged", "journal_unusable", "journal_broken"),
    )
)
"""Codes of errors for which a backend or the machine is the cause; every other AppError speaks of what was
given.
"""


def run_command_line(arguments: Sequence[str], context: Context) -> int:
    """Do what the arguments say (at least one). Returns the exit code; no exception leaves."""
    given = _one_spelling(list(arguments))
    code = _guarded(given, context)
    context.terminal.close()
    if context.terminal.lost is None:
        return code
    _notify(
        AppError(
            f"The result could not be written: {context.terminal.lost}.",
            "Write it to another place, or make room there.",
        ),
        context,
    )
    return code if code == Exit.STOPPED else Exit.MACHINE


def _guarded(given: list[str], context: Context) -> int:
    try:
        return _run(given, context)
    except UsageError as error:
        return _failed(error, Exit.USAGE, given, context)
    except AppError as error:
        log.info("ended with: %s", error)
        return _failed(error, Exit.MACHINE if error.code in _MACHINE_CODES else Exit.PROBLEMS, given, context)
    except KeyboardInterrupt:
        return _failed(AppError("Stopped.", code="stopped"), Exit.STOPPED, given, context)
    except (OSError, MemoryError) as error:
        log.exception("a command was ended by the system")
        said = sentence_for(error)
        return _failed(AppError(said.message, said.fix, code="system"), Exit.MACHINE, given, context)
    except Exception as error:
        log.exception("a command ended with an unexpected error")
        if context.log_file:
            fix = f"What happened is in {context.log_file}. Pass it on, to have it mended."
        else:
            kind = scrub(f"{type(error).__name__}: {error}")[:500]
            fix = f"No log can be written here. What happened: {kind}"
        fault = "Something went wrong inside Packbench; this is a fault of ours."
        return _failed(AppError(fault, fix, code="fault"), Exit.MACHINE, given, context)


def _failed(error: AppError, code: Exit, given: Sequence[str], context: Context) -> int:
    """Say it to the person, and to a script that asked for JSON and has got none."""
    _notify(error, context)
    if "--json" in given and not context.terminal.has_result:
        context.terminal.document(
            {
                FORMAT_KEY: ERROR_FORMAT,
                "format": ERROR_FORMAT,
                "error": {"code": error.code, "message": error.message, "fix": error.fix},
                "exit_code": int(code),
            }
        )
    return code


def _run(arguments: list[str], context: Context) -> int:
    name = arguments[0]
    if name in ("-h", "--help", "help"):
        if len(arguments) > 1 and arguments[1] in COMMANDS:
            return _run([arguments[1], "--help"], context)
        _overview(context)
        return Exit.DONE
    if name in ("-V", "--version", "version"):
        context.terminal.line(f"Packbench {__version__}")
        return Exit.DONE
    if name not in COMMANDS:
        near = nearest(name, COMMANDS)
        hint = f"Did you mean '{near}'? " if near else ""
        raise UsageError(
            f"There is no command '{name}'.", f"{hint}'{PROGRAM} --help' lists the commands.", code="usage"
        )
    command = command_named(name)
    parser = parser_for(command, PROGRAM)
    if any(text in ("-h", "--help") for text in arguments[1:]):
        context.terminal.line(parser.format_help().rstrip())
        return Exit.DONE
    return command.run(parser.parse_args(arguments[1:]), context)


def _one_spelling(arguments: list[str]) -> list[str]:
    """`pack validate X` and `pack init X` are `validate X` and `init X`."""
    if len(arguments) > 1 and arguments[0] == "pack" and arguments[1] in ("validate", "init"):
        return arguments[1:]
    return arguments


def _overview(context: Context) -> None:
    out = context.terminal
    out.line(f"{PROGRAM}: find out on your own computer, offline, which local model can do your job.")
    out.line()
    out.line(f"  {PROGRAM}                      opens the window")
    for group, entries in _grouped():
        out.line()
        out.line(group)
        for entry in entries:
            out.line(f"  {PROGRAM} {entry.usage:<30} {entry.summary}")
    out.line()
    out.line(f"'{PROGRAM} COMMAND --help' tells everything about one of them.")


def _grouped() -> list[tuple[str, list[CommandEntry]]]:
    groups: dict[str, list[CommandEntry]] = {}
    for entry in COMMANDS.values():
        groups.setdefault(entry.group, []).append(entry)
    return list(groups.items())


def _notify(error: AppError, context: Context) -> None:
    context.terminal.note(context.terminal.style(error.message, "bad", err=True))
    if error.fix:
        context.terminal.note(error.fix)
