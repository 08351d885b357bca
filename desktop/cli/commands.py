"""Every command in one table. A command is imported only when it was named, so start-up stays fast."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.cli import qualification_commands
from desktop.cli.command import Command


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """usage: name and main argument, as the overview shows it."""

    usage: str
    summary: str
    group: str

    @property
    def name(self) -> str:
        return self.usage.split()[0]


_PACKS = "Packs"
_RUNS = "Runs and their reports"
_MODELS = "Models and this machine"

COMMANDS: dict[str, CommandEntry] = {
    entry.name: entry
    for entry in (
        CommandEntry("open PATH", "opens the window with a pack, a model or a bundle", _PACKS),
        CommandEntry("validate PACK", "tells everything that is wrong with a pack", _PACKS),
        CommandEntry("init DIR", "makes a new pack to fill in", _PACKS),
        CommandEntry("import TABLE DIR", "makes a pack from a table of real examples", _PACKS),
        CommandEntry("ingest DOCUMENT DIR", "lets a local model draft a pack from notes", _PACKS),
        CommandEntry("models", "shows this computer, its models and whether they fit", _MODELS),
        CommandEntry("fit MODEL.gguf", "tells whether a model fits here, part by part", _MODELS),
        CommandEntry("self-check", "proves that this program is whole", _MODELS),
        CommandEntry("completion SHELL", "lets your shell complete these commands", _MODELS),
        CommandEntry("run PACK", "runs models over a pack and says which one to use", _RUNS),
        CommandEntry("resume [RUN]", "goes on with a run that was stopped", _RUNS),
        CommandEntry("runs", "lists the runs, newest first", _RUNS),
        CommandEntry("show [RUN|BUNDLE]", "tells what a run found", _RUNS),
        CommandEntry("report [RUN|BUNDLE]", "writes a report or a bundle of a run", _RUNS),
        CommandEntry("rescore [RUN|BUNDLE]", "scores every stored answer again and compares", _RUNS),
        *(
            CommandEntry(usage, summary, qualification_commands.GROUP)
            for usage, summary in qualification_commands.ENTRIES
        ),
    )
}


def command_named(name: str) -> Command:
    """The command behind a name of the table. An explicit list, so that a frozen program finds the modules."""
    found = qualification_commands.qualification_command(name)
    if found is not None:
        return found
    match name:
        case "open":
            from desktop.cli import open_window

            return open_window.COMMAND
        case "validate":
            from desktop.cli import validate

            return validate.COMMAND
        case "import":
            from desktop.cli import import_table

            return import_table.COMMAND
        case "ingest":
            from desktop.cli import ingest

            return ingest.COMMAND
        case "models":
            from desktop.cli import models

            return models.COMMAND
        case "fit":
            from desktop.cli import fit

            return fit.COMMAND
        case "run":
            from desktop.cli import run

            return run.COMMAND
        case "resume":
            from desktop.cli import resume

            return resume.COMMAND
        case "show":
            from desktop.cli import show

            return show.COMMAND
        case "report":
            from desktop.cli import report

            return report.COMMAND
        case "rescore":
            from desktop.cli import rescore

            return rescore.COMMAND
        case "init":
            from desktop.cli import init

            return init.COMMAND
        case "self-check":
            from desktop.cli import self_check

            return self_check.COMMAND
        case "completion":
            from desktop.cli import completion

            return completion.completion_of(
                lambda: ((command_named(one), entry.summary) for one, entry in COMMANDS.items())
            )
        case "runs":
            from desktop.cli import runs

            return runs.COMMAND
    raise KeyError(name)
