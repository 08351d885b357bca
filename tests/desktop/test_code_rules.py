"""Rules of the code that no tool in use checks."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOTS = ROOT / "desktop" / "gui"


def lambdas_connected(source: str) -> list[int]:
    """Lines where a signal is connected to a lambda."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "connect"
        and any(isinstance(argument, ast.Lambda) for argument in node.args)
    ]


def test_that_no_signal_of_the_window_is_connected_to_a_lambda() -> None:
    """The process dies when the sender goes away while such a call is queued from another thread."""
    assert lambdas_connected("a.b.connect(\n lambda: 1)") == [1]
    found = {
        str(file.relative_to(ROOT)): lines
        for file in SLOTS.rglob("*.py")
        if (lines := lambdas_connected(file.read_text(encoding="utf-8")))
    }
    assert found == {}
