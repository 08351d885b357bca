"""A start brings along only what the first picture needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "pydantic",
    "yaml",
    "jsonschema",
    "regex",
    "httpx",
    "openpyxl",
    "docx",
    "pypdf",
    "cryptography",
    "xllamacpp",
    "jinja2",
    "markdown_it",
    "shtab",
)


@pytest.mark.parametrize("module", ["desktop.app", "desktop.gui.shell.start_window"])
def test_that_nothing_heavy_is_imported_before_the_first_picture(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
