"""Writes the help page of the command line from the table of commands; a test holds the page up to date.

python build_scripts/help_commands.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "resources" / "help" / "commands.md"
HEAD = """# The command line

Everything that the window does can be done with commands, by the same program. `packbench --help` lists them, \
`packbench run --help` tells all about one.
"""


def commands_page() -> str:
    from desktop.cli.commands import COMMANDS, command_named
    from desktop.cli.exits import MEANINGS
    from desktop.cli.main import ERROR_FORMAT

    groups: dict[str, list[str]] = {}
    for name, entry in COMMANDS.items():
        command = command_named(name)
        message = f"### {entry.usage}\n\n{command.description}\n"
        examples = "".join(f"    {line}\n" for line in command.examples)
        groups.setdefault(entry.group, []).append(message + (f"\n{examples}" if examples else ""))
    body = "\n".join(f"## {group}\n\n" + "\n".join(entries) for group, entries in groups.items())
    codes = "".join(f"- `{code.value}`: {meaning}\n" for code, meaning in MEANINGS.items())
    exits = (
        f"## Exit codes\n\n{codes}\n`check` has numbers of its own, said there.\n\n"
        "A command with `--json` that fails before it has printed anything prints a document of the format "
        f"`{ERROR_FORMAT}`: `error` holds `code`, `message` and `fix`, `exit_code` the number.\n"
    )
    return f"{HEAD}\n{exits}\n{body}\n[Back to the first page](index.md)\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(commands_page(), encoding="utf-8", newline="\n")
