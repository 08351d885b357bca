"""Rules of the code that no tool in use checks."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from desktop.inference.backends.table import backend_names
from packs.task.scorers import SCORERS

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


def imports_of(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Which of these modules each one imports, at its top or inside a function, by full name."""
    found: dict[str, set[str]] = {}
    for name, source in sources.items():
        wanted: set[str] = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                wanted.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                wanted |= inside & sources.keys() or {node.module}
        found[name] = (wanted & sources.keys()) - {name}
    return found


def import_circle(sources: Mapping[str, str]) -> list[str]:
    """One circle of modules that import each other; empty when there is none."""
    try:
        TopologicalSorter(imports_of(sources)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_that_no_modules_import_each_other_in_a_circle() -> None:
    """Neither of them can be understood, tested or moved alone; an import inside a function only hides it."""
    hidden = {"a": "import b", "b": "def f():\n from c import d", "c": "from a import e", "d": "import a"}
    assert set(import_circle(hidden)) == {"a", "b", "c"}
    assert import_circle({"a": "from b import c", "b.c": "", "b": "from b import c"}) == []
    sources = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file.read_text(
            encoding="utf-8"
        )
        for root in ("packs", "desktop")
        for file in (ROOT / root).rglob("*.py")
    }
    assert import_circle(sources) == []


def scorer_names_in(source: str) -> list[int]:
    """Lines with a scorer's name in a text, or that import a scorer's class.

    `pattern` is a word of JSON Schema too: it counts where something called a scorer is compared with it.
    """
    names = [name for name in SCORERS.names if "-" in name]
    classes = {scorer.__name__ for scorer in SCORERS}
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return sorted(
        {
            node.lineno
            for node in ast.walk(tree)
            if (isinstance(node, ast.Constant) and id(node) not in prose and named(node.value, names))
            or (isinstance(node, ast.alias) and node.name in classes)
            or (isinstance(node, ast.Compare) and compares_scorer(node))
        }
    )


def compares_scorer(node: ast.Compare) -> bool:
    values = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
    return not values.isdisjoint(SCORERS.names) and "scorer" in ast.unparse(node.left)


def named(value: object, names: list[str]) -> bool:
    return isinstance(value, str) and any(name in value for name in names) and "://json-schema.org" not in value


def test_that_no_scorer_is_known_by_its_name_outside_its_own_file() -> None:
    """But in examples of commands, which a person may type as they stand."""
    assert scorer_names_in('"""Of exact-label."""\nif scorer == "exact-label":\n pass') == [2]
    assert scorer_names_in('given = {"pattern": 1}\nif pack.scorer in ("json", "pattern"):\n pass') == [2]
    assert scorer_names_in("from a.b import ExactLabel") == [1]
    found = {
        str(file.relative_to(ROOT)): lines
        for folder in ("desktop", "packs")
        for file in (ROOT / folder).rglob("*.py")
        if not file.is_relative_to(ROOT / "packs/task/scorers")
        and (lines := scorer_names_in(file.read_text(encoding="utf-8")))
    }
    assert {name: len(lines) for name, lines in found.items()} == {"desktop/cli/init.py": 1}


def private_names_in(source: str) -> list[int]:
    """Lines that use or import a private name of something else than the class they stand in."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(ast.Name("self" | "cls"), _):
                pass
            case ast.Attribute(ast.Name(module), attr) if (module, attr) in PRIVATE_OF_PYTHON:
                pass
            case ast.Attribute(_, attr) if _is_private(attr):
                found.append(node.lineno)
            case ast.ImportFrom(names=names) if any(_is_private(name.name) for name in names):
                found.append(node.lineno)
    return sorted(found)


PRIVATE_OF_PYTHON = {("faulthandler", "_sigsegv"), ("os", "_exit")}
"""There is no public way to crash a process or to end it at once."""


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_that_tests_touch_public_names_only() -> None:
    assert private_names_in("a._b\nself._b\nfrom a import _b\na.__class__") == [1, 3]
    found = {
        str(file.relative_to(ROOT)): lines
        for file in (ROOT / "tests").rglob("*.py")
        if (lines := private_names_in(file.read_text(encoding="utf-8")))
    }
    assert found == {}
