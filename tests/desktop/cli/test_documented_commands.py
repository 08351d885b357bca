"""Every command line that a page of ours shows is one that the program understands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from desktop.cli.command import parser_for
from desktop.cli.commands import COMMANDS, command_named

ROOT = Path(__file__).parents[3]
PAGES = sorted(
    page
    for pattern in ("*.md", "resources/help/*.md", "packs/samples/*/*.md", "docs/**/*.md")
    for page in ROOT.glob(pattern)
)
_SHOWN = re.compile(r"(?m)(?:^\s*(?:\$ )?|`)((?:packbench|python3? -m desktop) [^`\n#]+)")
_MANNER = re.compile(r"[\[\]<>…]|\.\.\.")
"""A line that says how something is written in general, and is not meant to be typed."""


def shown_commands(page: Path) -> list[str]:
    """As they are typed: what goes on after a backslash is one line."""
    text = re.sub(r" *\\\n\s*", " ", page.read_text(encoding="utf-8"))
    lines = [match[1].strip() for match in _SHOWN.finditer(text)]
    return [line for line in lines if not _MANNER.search(line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_that_every_command_line_on_a_page_is_understood(page: Path) -> None:
    for line in shown_commands(page):
        message = shlex.split(re.sub(r"^python3? -m desktop", "packbench", line))[1:]
        if message[0] == "pack":
            message = message[1:]
        if message[0].startswith("-"):
            continue
        assert message[0] in COMMANDS, f"{page.name}: {line}"
        if len(message) > 1 and "--help" not in message:
            parser_for(command_named(message[0]), "packbench").parse_args(message[1:])


def test_that_a_command_line_is_found_in_text_and_in_blocks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Run `packbench runs` or\n\n    packbench show last   # newest\n\npackbench run [PACK]\n"
        "    packbench sign b \\\n        --key k\n"
    )
    assert shown_commands(page) == ["packbench runs", "packbench show last", "packbench sign b --key k"]
