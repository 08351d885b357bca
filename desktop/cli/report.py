"""`packbench report RUN`: a report or a bundle as a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.bundles import is_bundle_folder
from desktop.cli.command import Command, UsageError
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.report_bundle import add_bundle_options, report_bundle
from desktop.cli.report_names import TO_OUTPUT, check_name
from desktop.cli.show import add_choice, add_run, choice_of


def describe(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    parser.add_argument(
        "--format",
        default=None,
        metavar="F[,F…]",
        help="html, md, json, csv, xlsx, junit, bundle, pdf; several with commas (html when left out)",
    )
    parser.add_argument(
        "--out",
        "--output",
        dest="out",
        metavar="FILE",
        help="where to; with several formats a folder; '-' is the standard output",
    )
    parser.add_argument("--markdown", action="store_true", help="the same as --format md")
    parser.add_argument("--bundle", action="store_true", help="the same as --format bundle")
    parser.add_argument("--no-inputs", action="store_true", help="leave inputs and prompt out of a bundle")
    parser.add_argument("--no-texts", action="store_true", help="leave out inputs, expected values and answers")
    parser.add_argument(
        "--hide",
        action="append",
        default=[],
        metavar="FIELD",
        help="leave out this field of objects; repeatable",
    )
    add_choice(parser)
    add_bundle_options(parser)
    parser.add_argument("--db", metavar="FILE", help="another journal than your own")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.reports.loading import report_data
    from desktop.reports.redaction import redacted
    from desktop.reports.renderers import default_name, write_bytes

    renderers = context.renderers()
    wanted = _formats(arguments)
    if is_bundle_folder(Path(arguments.run).expanduser()):
        return report_bundle(arguments, wanted, context)
    for name in wanted:
        if name not in renderers:
            raise UsageError(f"There is no report format '{name}'.", f"Known: {', '.join(renderers.names)}.")
    if arguments.out == TO_OUTPUT and len(wanted) > 1:
        raise UsageError("Only one report fits on the standard output.", "Name one format.")
    check_name(arguments.out, [renderers[name].suffix for name in wanted])
    journal = Path(arguments.db).expanduser() if arguments.db else context.paths.journal
    data = report_data(journal, arguments.run, context.now(), choice_of(arguments))
    if arguments.no_texts or arguments.hide:
        data = redacted(data, with_texts=not arguments.no_texts, hidden_fields=tuple(arguments.hide))
    without_inputs = bool(arguments.no_inputs or arguments.no_texts or arguments.hide)
    for name in wanted:
        renderer = renderers[name]
        content = renderer.rendered(data, with_texts=not without_inputs)
        if arguments.out == TO_OUTPUT:
            context.terminal.raw(content)
            continue
        target = _target(arguments.out, len(wanted), default_name(data, renderer))
        context.terminal.line(str(write_bytes(content, target)))
    return Exit.DONE


def _target(out: str | None, formats: int, name: str) -> Path:
    """A file for one format, a folder for several; a file's name among several is for the format it fits."""
    given = Path(out or ".").expanduser()
    if out is None or given.is_dir():
        return given / name
    if formats == 1 or given.suffix == Path(name).suffix:
        return given
    return (given.parent if given.suffix else given) / name


def _formats(arguments: argparse.Namespace) -> list[str]:
    given = (arguments.format or "").replace("markdown", "md").split(",")
    wanted = [name.strip() for name in given if name.strip()]
    wanted += ["md"] if arguments.markdown else []
    wanted += ["bundle"] if arguments.bundle else []
    return list(dict.fromkeys(wanted)) or ["html"]


COMMAND = Command(
    "report",
    "Writes a report of a run: for reading (html), notes (md), spreadsheets (csv, xlsx), scripts (json),\n"
    "build servers (junit), or a bundle with everything, so that others can check it ('packbench rescore\n"
    "BUNDLE').",
    describe,
    run,
    ("packbench report last --format html --out report.html", "packbench report last --format md,bundle"),
)
