"""Which page of the editor a problem belongs to, told before that page is there. Free of Qt.

What counts is what the pages themselves say once they are made (`EditorPages.section_of`); until then, for some
100 ms (measured), the outline shows this.
"""

from __future__ import annotations

from typing import Any

from packs.documents.problems import Problem
from packs.task.content import PackContent, UnreadableContent
from packs.task.manifest import GENERATION_KEYS
from packs.task.model import MANIFEST
from packs.task.scorers import SCORERS

TASK, PROMPT, SCORER, GATES, GENERATION, EXAMPLES, REVIEW, TEXT = range(8)
"""Numbers of pages in the outline."""
_COUNTED = ("no_examples", "few_examples")


def likely_page(problem: Problem, content: PackContent) -> int:
    """The number of the page; the files as text for what no form can show."""
    if problem.code in _COUNTED:
        return EXAMPLES
    if problem.file == MANIFEST:
        return _page_of_manifest(problem, _manifest(content))
    if problem.path[:1] == ("examples_dir",):
        return TASK
    if problem.file == content.prompt_file:
        return PROMPT
    if content.example_place(problem.file) is not None or problem.code == "bad_file_name":
        return _page_of_example(problem, content)
    return _page_of_schema(problem.file, _manifest(content))


def _manifest(content: PackContent) -> dict[str, Any] | None:
    try:
        tree = content.tree(MANIFEST)
    except UnreadableContent:
        return None
    return tree if isinstance(tree, dict) else None


def _page_of_manifest(problem: Problem, manifest: dict[str, Any] | None) -> int:
    if manifest is None or not problem.path:
        return TEXT
    match problem.path:
        case ("name" | "type" | "examples_dir", *_):
            return TASK
        case ("prompt_template", *_):
            return PROMPT
        case ("scorer", *_):
            return SCORER
        case ("scorer_params", *inside):
            return SCORER if _has_field(manifest.get("scorer"), inside) else TEXT
        case ("gates",):
            return GATES if isinstance(manifest.get("gates"), list) else TEXT
        case ("gates", *_):
            return GATES
        case ("generation", *inside):
            return GENERATION if not inside or inside[0] in GENERATION_KEYS else TEXT
        case ("provenance", "reviewed"):
            return REVIEW
    return TEXT


def _has_field(scorer: object, inside: list[str | int]) -> bool:
    if not isinstance(scorer, str) or scorer not in SCORERS:
        return False
    fields = SCORERS[scorer].Params.model_json_schema(by_alias=True).get("properties", {})
    return not inside or inside[0] in fields


def _page_of_example(problem: Problem, content: PackContent) -> int:
    if problem.code == "bad_file_name":
        return EXAMPLES
    try:
        tree = content.tree(problem.file)
    except UnreadableContent:
        return TEXT
    known = problem.path[:1] in (("input",), ("expected",), ("replace_me",))
    return EXAMPLES if isinstance(tree, dict) and known and problem.code != "duplicate_key" else TEXT


def _page_of_schema(file: str, manifest: dict[str, Any] | None) -> int:
    """A file that the parameters of the scorer or of a gate name."""
    if manifest is None:
        return TEXT
    if _names(manifest.get("scorer_params"), file):
        return SCORER
    gates = manifest.get("gates")
    return GATES if isinstance(gates, list) and any(_names(gate, file) for gate in gates) else TEXT


def _names(value: object, file: str) -> bool:
    if isinstance(value, str):
        return value.removeprefix("./") == file
    return isinstance(value, dict) and any(_names(entry, file) for entry in value.values())
