"""`packbench init DIR`: a new pack to fill in."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields


def describe(parser: argparse.ArgumentParser) -> None:
    from packs.task.scorers import DEFAULT_SCORER, SCORERS

    parser.add_argument("folder", nargs="?", metavar="DIR", help="the new pack's folder; ./NAME when left out")
    parser.add_argument("--name", help="the pack's name; the folder's name when left out")
    parser.add_argument(
        "--type", default=DEFAULT_SCORER.scaffold.type, metavar="WORD", help="what kind of task (%(default)s)"
    )
    parser.add_argument(
        "--scorer",
        default=DEFAULT_SCORER.name,
        metavar="NAME",
        help=f"{', '.join(SCORERS.names)} (%(default)s)",
    )
    parser.add_argument(
        "--template",
        metavar="NAME",
        help="the same as --scorer; of a qualification pack: the sample to start from",
    )
    parser.add_argument(
        "--kind", choices=("task", "qualification"), default="task", help="which kind of pack (%(default)s)"
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="PACK",
        help="make a qualification pack from this task pack ('demo': sample)",
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing; init never asks, this is for scripts")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.kind == "qualification" or arguments.source:
        from desktop.cli.init_qualification import init_qualification

        return init_qualification(arguments, context, DOCUMENT)
    from packs.task.scaffold import DEFAULT_NAME, write_scaffold

    name = arguments.name or (Path(arguments.folder).absolute().name if arguments.folder else DEFAULT_NAME)
    folder = Path(arguments.folder or name).expanduser().absolute()
    made = write_scaffold(folder, name, arguments.type, arguments.template or arguments.scorer)
    if arguments.json:
        context.terminal.document(
            DOCUMENT.stamped(
                {"folder": str(folder), "name": name, "written": list(made.written), "kept": list(made.kept)}
            )
        )
        return Exit.DONE
    out = context.terminal
    out.line(f"Made a new pack in {folder}:")
    for file in made.written:
        out.line(f"  {file}")
    for file in made.kept:
        out.line(f"  {file} was there already and stays as it is")
    out.paragraph(
        "Edit the texts, and put your own examples in place of the two stand-ins; "
        f"'packbench validate {folder.name}' tells what is left to do."
    )
    return Exit.DONE


DOCUMENT = JsonDocument(
    "packbench-init/1",
    fields(
        ("folder", "string", "the new pack"),
        ("name", "string", "its name"),
        ("written", "array", "files that were made"),
        ("kept", "array", "files that were there and stay"),
    ),
)

COMMAND = Command(
    "init",
    "Makes a new task pack to fill in. Nothing that is there already is overwritten. The two examples are\n"
    "stand-ins that do not pass validation until real ones exist. A qualification pack starts from a sample, "
    "or\n"
    "from a task pack of yours, with everything to be reviewed marked.",
    describe,
    run,
    (
        "packbench init ./my-pack --scorer exact-label",
        "packbench init ./my-proof --kind qualification --from ./my-pack",
    ),
    documents=(DOCUMENT,),
)
