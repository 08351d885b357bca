"""`packbench report BUNDLE`: the report of a qualification again, in any form."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import UsageError
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.report_names import TO_OUTPUT, check_name


def add_bundle_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("for the bundle of a qualification")
    group.add_argument("--redaction-policy", type=Path, metavar="FILE", help="another one than was recorded")
    group.add_argument("--show-sensitive", action="store_true", help="show the texts of sensitive cases")


def report_bundle(arguments: argparse.Namespace, names: list[str], context: Context) -> int:
    """Writes the formats named. The bundle itself is not touched."""
    from desktop.reports.qualification.bundle_folder import open_bundle, view_of
    from desktop.reports.renderers import of_qualifications, write_bytes
    from desktop.runs.qualification.side_files import read_redaction_policy

    renderers = context.renderers()
    known = of_qualifications(renderers)
    for name in names:
        if name not in known:
            raise UsageError(
                f"A bundle of a qualification has no report '{name}'.", f"Known: {', '.join(known)}."
            )
    check_name(arguments.out, [renderers[name].suffix for name in names])
    policy = read_redaction_policy(arguments.redaction_policy)[0] if arguments.redaction_policy else None
    bundle = open_bundle(Path(arguments.run).expanduser())
    view = view_of(bundle, policy, show_sensitive=arguments.show_sensitive)
    for name in names:
        renderer = renderers[name]
        assert renderer.render_qualification is not None
        content = renderer.render_qualification(view)
        if arguments.out == TO_OUTPUT:
            context.terminal.raw(content)
            continue
        target = Path(arguments.out or ".")
        if not arguments.out or len(names) > 1 or target.is_dir():
            target = target / f"packbench-qualification-{view['run_id']}{renderer.suffix}"
        context.terminal.line(str(write_bytes(content, target)))
    return Exit.DONE
