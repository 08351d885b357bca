"""The help names each variable of the environment that the program reads, and no other."""

from __future__ import annotations

import ast
from pathlib import Path

import desktop
from desktop.application.help_pages import page_text
from desktop.cli.variables import VARIABLES
from packs.task.run_config import KEYS, parse_run_config

ROOT = Path(desktop.__file__).parent


def word(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def read_in(tree: ast.AST) -> set[str]:
    """Names given to `environ.get`, `environment.get`, or kept as NAME_VARIABLE(S)."""
    found: set[str | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.endswith(("environ.get", "environment.get", "getenv")) and node.args:
                found.add(word(node.args[0]))
            if called == "_from_environment":
                found.add(word(node.args[1]))
        if isinstance(node, ast.Compare) and any("environment" in ast.unparse(one) for one in node.comparators):
            found.add(word(node.left))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith(("_VARIABLE", "_VARIABLES")):
            found |= {word(one) for one in ast.walk(node.value)}
    return {name for name in found if name is not None and not name.startswith("_")}


def test_that_the_list_of_variables_is_that_of_the_code() -> None:
    read = set().union(*(read_in(ast.parse(path.read_text("utf-8"))) for path in ROOT.rglob("*.py")))
    assert set(VARIABLES) == read | ({"COLUMNS"} & set(VARIABLES))


def test_that_every_variable_is_on_the_page_of_scripts() -> None:
    for name, meaning in VARIABLES.items():
        assert f"| `{name}` | {meaning} |" in page_text("json.md")


def test_that_the_example_of_a_run_configuration_on_the_page_is_one() -> None:
    section = page_text("json.md").partition("## The run configuration")[2].partition("\n## ")[0]
    example = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    config = parse_run_config(example.encode())
    assert config.candidates and all(f"| `{key}` |" in section for key in KEYS)
