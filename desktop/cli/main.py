"""From the words of the command line to an exit code. Every message to a person leaves through here."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from desktop import __version__
from desktop.cli.command import UsageError, parser_for
from desktop.cli.commands import COMMANDS, CommandEntry, command_named
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.foundation.error_messages import sentence_for
from desktop.foundation.logs import scrub
from packs.errors import AppError
from packs.registry import nearest

log = logging.getLogger(__name__)

PROGRAM = "packbench"
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
    try:
        return _run(_one_spelling(list(arguments)), context)
    except UsageError as error:
        _notify(error, context)
        return Exit.USAGE
    except AppError as error:
        log.info("ended with: %s", error)
        _notify(error, context)
        return Exit.MACHINE if error.code in _MACHINE_CODES else Exit.PROBLEMS
    except KeyboardInterrupt:
        context.terminal.note("Stopped.")
        return Exit.STOPPED
    except (OSError, MemoryError) as error:
        log.exception("a command was ended by the system")
        said = sentence_for(error)
        _notify(AppError(said.message, said.fix), context)
        return Exit.MACHINE
    except Exception as error:
        log.exception("a command ended with an unexpected error")
        context.terminal.note("Something went wrong inside Packbench; this is a fault of ours.")
        if context.log_file:
            context.terminal.note(f"What happened is in {context.log_file}. Pass it on, to have it mended.")
        else:
            kind = scrub(f"{type(error).__name__}: {error}")[:500]
            context.terminal.note(f"No log can be written here. What happened: {kind}")
        return Exit.MACHINE
    finally:
        context.terminal.close()


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
