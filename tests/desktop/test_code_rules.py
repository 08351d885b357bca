"""Rules of the code that no tool in use checks."""

from __future__ import annotations

import ast
from pathlib import Path

from desktop.inference.backends.table import backend_names

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


def backend_names_in(source: str) -> list[int]:
    """Lines with a text that is exactly a backend's name."""
    names = backend_names()
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and node.value in names
    ]


def test_that_no_backend_is_known_by_its_name_outside_its_own_table() -> None:
    """The run configuration's format names three itself."""
    assert backend_names_in('if kind == "ollama":\n pass') == [1]
    own = (ROOT / "desktop/inference/backends", ROOT / "packs/task/run_config.py")
    found = {
        str(file.relative_to(ROOT)): lines
        for folder in ("desktop", "packs")
        for file in (ROOT / folder).rglob("*.py")
        if not any(file.is_relative_to(place) for place in own)
        and (lines := backend_names_in(file.read_text(encoding="utf-8")))
    }
    assert found == {}
