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
`packbench run --help` tells all about one. Exit codes: 0 done, 1 what was given has problems, 2 wrong usage, \
3 a backend or the computer failed, 130 stopped by you.
"""


def commands_page() -> str:
    from desktop.cli.commands import COMMANDS, command_named

    groups: dict[str, list[str]] = {}
    for name, entry in COMMANDS.items():
        command = command_named(name)
        message = f"### {entry.usage}\n\n{command.description}\n"
        examples = "".join(f"    {line}\n" for line in command.examples)
        groups.setdefault(entry.group, []).append(message + (f"\n{examples}" if examples else ""))
    body = "\n".join(f"## {group}\n\n" + "\n".join(entries) for group, entries in groups.items())
    return f"{HEAD}\n{body}\n[Back to the first page](index.md)\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(commands_page(), encoding="utf-8", newline="\n")
