"""Writes the help pages of the command line from the table of commands; a test holds the pages up to date.

python build_scripts/help_commands.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HELP = ROOT / "resources" / "help"
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


JSON_HEAD = """# Commands in scripts

What each command prints with `--json`, field by field, and what its exit codes mean. A document goes to the \
standard output, messages and progress to the standard error.
"""


def json_page() -> str:
    from desktop.cli.commands import COMMANDS, command_named
    from desktop.cli.exits import MEANINGS, Exit
    from desktop.cli.json_documents import FORMAT_KEY
    from desktop.cli.main import ERROR_FORMAT
    from desktop.cli.variables import VARIABLES
    from desktop.inference.backends.table import backend_names
    from packs.task.run_config import KEYS

    always = ", ".join(f"`{code.value}` {MEANINGS[code]}" for code in (Exit.USAGE, Exit.MACHINE, Exit.STOPPED))
    rules = (
        f"`{FORMAT_KEY}` holds name and version of a document. Within a version fields may be added; none is "
        "removed or changes its meaning. Documents that a public format fixes have no such field. "
        f"A failure prints `{ERROR_FORMAT}`, see [the command line](commands.md). "
        "`a.b` is field `b` of `a`; `a[].b` that of each entry of the list `a`; `a{}.b` that of each value of "
        f"`a`. `?` marks what is not always there. Unknown is null.\n\nWith every command: {always}.\n"
    )
    variables = "".join(f"| `{name}` | {meaning} |\n" for name, meaning in VARIABLES.items())
    read = f"## Variables of the environment\n\n| variable | meaning |\n|---|---|\n{variables}"
    keys = "".join(f"| `{key}` | {meaning} |\n" for key, meaning in KEYS.items())
    config = (
        "## The run configuration\n\n`run --config FILE` reads a YAML file with these fields, all optional; "
        f"any other is refused.\n\n| field | meaning |\n|---|---|\n{keys}\n"
        f"Backends: {', '.join(f'`{name}`' for name in backend_names())}. For example:\n\n"
        "    backend: ollama\n    candidates:\n      - llama3.2:3b\n      - qwen3:4b\n"
        "    use_local_models: false\n"
    )
    parts = [JSON_HEAD, rules, read, config]
    for name, entry in COMMANDS.items():
        command = command_named(name)
        codes = "".join(f"- exit code `{code}`: {meaning}\n" for code, meaning in command.exits.items())
        parts.append(f"## {entry.usage}\n\n{codes}")
        for document in command.documents:
            named = f"`{document.format}`" if document.format else "as its format fixes it"
            when = f" ({document.when})" if document.when else ""
            rows = "".join(f"| `{row.path}` | {row.kind} | {row.meaning} |\n" for row in document.fields)
            parts.append(f"`--json`{when}: {named}\n\n| field | type | meaning |\n|---|---|---|\n{rows}")
    return "\n".join(parts) + "\n[Back to the first page](index.md)\n"


PAGES = {"commands.md": commands_page, "json.md": json_page}

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for name, made in PAGES.items():
        (HELP / name).write_text(made(), encoding="utf-8", newline="\n")
