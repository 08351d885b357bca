"""The table of codes names every code that the checks can give, and no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from packs.qualification.codes import CODES, GROUPS

FOLDER = Path(__file__).parents[3] / "packs" / "qualification"
PATTERNS = ("rules_*.py", "pack_files.py", "loader.py", "advice.py", "schema.py", "extras.py")
CHECKS = [file for pattern in PATTERNS for file in FOLDER.glob(pattern)]
CHECKS.append(FOLDER.parent / "documents" / "reading.py")
KINDS = {
    "f\"{what.replace(' ', '_')}_id_twice\"": [
        "evaluator_id_twice",
        "test_id_twice",
        "risk_dimension_id_twice",
    ],
    "f\"{what.replace(' ', '_')}_unknown\"": ["evaluator_unknown", "rubric_unknown", "risk_dimension_unknown"],
}
NOT_A_PROBLEM = {"pack_refused"}


def codes_in_source() -> set[str]:
    found: set[str] = set()
    for file in CHECKS:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                found |= codes_of(node)
            if isinstance(node, ast.Tuple) and len(node.elts) == 4:
                texts = [entry.value for entry in node.elts if isinstance(entry, ast.Constant)]
                if len(texts) == 4 and re.fullmatch(r"R\d+", str(texts[0])):
                    found.add(str(texts[1]))
    return found - NOT_A_PROBLEM


def codes_of(call: ast.Call) -> set[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    candidates = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    if name in ("add", "add_file", "add_case", "_warn") and len(call.args) > 2:
        candidates.append(call.args[1])
    found: set[str] = set()
    rule = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
    if name == "refuse" and not candidates and re.fullmatch(r"R\d+", str(rule)):
        assert isinstance(call.args[1], ast.Constant)
        found.add(f"judge_{call.args[1].value}")
    if name == "Fault" and isinstance(call.args[2], ast.Constant):
        found.add(f"schema_{call.args[2].value}")
    if name == "Refusal" and isinstance(call.args[0], ast.Constant):
        found.add(f"extras_{call.args[0].value}")
    for candidate in candidates:
        if (
            isinstance(candidate, ast.Constant)
            and isinstance(candidate.value, str)
            and candidate.value != "own"
        ):
            found.add(candidate.value)
        found |= set(KINDS.get(ast.unparse(candidate), ()))
    return found


def test_that_every_code_in_the_checks_is_in_the_table() -> None:
    missing = codes_in_source() - set(CODES)
    assert not missing


def test_that_the_table_names_no_code_that_cannot_come() -> None:
    source = "".join(file.read_text("utf-8") for file in CHECKS)
    computed = {code for codes in KINDS.values() for code in codes}
    for code in set(CODES) - computed:
        word = code.removeprefix("schema_").removeprefix("extras_")
        assert f'"{word}"' in source or f'"{word.removeprefix("judge_")}"' in source, code
    assert sum(len(group) for group in GROUPS.values()) == len(CODES), "no code stands in two groups"
