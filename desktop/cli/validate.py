"""`packbench validate PACK`: everything that is wrong with a pack, in one pass."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from desktop.cli.command import Command, add_json, add_pack, pack_of
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields, problem_fields
from desktop.cli.packs import FoundPack, PackKind, is_zip, pack_to_read
from desktop.reports import text
from packs import numbers
from packs.documents.problems import Problem, Severity, has_errors


@dataclass(frozen=True, slots=True)
class _Checked:
    """summary: what the pack is, in words; empty when too little could be read. more: further JSON fields."""

    name: str | None
    summary: str
    problems: Sequence[Problem]
    more: Mapping[str, object] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        return not has_errors(self.problems)


def describe(parser: argparse.ArgumentParser) -> None:
    add_pack(parser)
    parser.add_argument(
        "--strict", action="store_true", help="hints count as problems too: exit code 1 when there are any"
    )
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    with pack_to_read(pack_of(arguments)) as found:
        return _reported(found, pack_of(arguments), arguments, context)


def _reported(found: FoundPack, given: str, arguments: argparse.Namespace, context: Context) -> int:
    checked = _check_task(found.folder) if found.kind is PackKind.TASK else _check_qualification(found.folder)
    good = checked.valid and not (arguments.strict and checked.problems)
    if arguments.json:
        context.terminal.document(
            {
                "pack": str(given if is_zip(given) else found.folder),
                "kind": found.kind.value,
                "name": checked.name,
                "valid": checked.valid,
                "errors": _count(checked.problems, Severity.ERROR),
                "warnings": _count(checked.problems, Severity.WARNING),
                "problems": [problem.as_json() for problem in checked.problems],
                **checked.more,
            }
        )
    else:
        _print(checked, found.folder, context)
    return Exit.DONE if good else Exit.PROBLEMS


def _check_task(folder: Path) -> _Checked:
    from packs.task.loader import load_pack
    from packs.task.near_copies import REPEATS, groups_of

    loaded = load_pack(folder)
    if loaded.pack is None:
        return _Checked(loaded.name, "", loaded.problems)
    gates = f", gates {', '.join(gate.scorer for gate in loaded.pack.gates)}" if loaded.pack.gates else ""
    examples = loaded.pack.examples
    repeats = any(problem.code in REPEATS for problem in loaded.problems) or any(one.group for one in examples)
    different = len(set(groups_of(examples).values())) if repeats else len(examples)
    only = f", {different:,} different" if different < len(examples) else ""
    summary = f"{numbers.count(len(examples), 'example')}{only}, scorer {loaded.pack.scorer}{gates}"
    return _Checked(loaded.name, summary, loaded.problems)


def _check_qualification(folder: Path) -> _Checked:
    from packs.qualification.loader import load_pack

    loaded = load_pack(folder)
    diagnostics = [
        {
            "severity": finding.problem.severity.value,
            "path": finding.subject,
            "rule": finding.rule,
            "message": finding.problem.message,
        }
        for finding in loaded.findings
    ]
    if loaded.pack is None:
        return _Checked(folder.name, "", loaded.problems, {"ok": False, "diagnostics": diagnostics})
    pack = loaded.pack
    cases = {corpus: len(listed) for corpus, listed in pack.cases.items()}
    summary = (
        f"{numbers.count(cases['qualification'], 'case')} to decide, {cases['challenge']} challenge, "
        f"{cases['calibration']} calibration; content {pack.content_sha256[:19]}…"
    )
    more = {
        "ok": True,
        "diagnostics": diagnostics,
        "identity": f"{pack.id}@{pack.version}",
        "content_sha256": pack.content_sha256,
        **{f"{corpus}_cases": count for corpus, count in cases.items()},
    }
    return _Checked(pack.name, summary, loaded.problems, more)


def _count(problems: Sequence[Problem], severity: Severity) -> int:
    return sum(1 for problem in problems if problem.severity is severity)


def _print(checked: _Checked, folder: Path, context: Context) -> None:
    out = context.terminal
    for severity in (Severity.ERROR, Severity.WARNING):
        for problem in checked.problems:
            if problem.severity is severity:
                _print_problem(problem, context)
    errors = _count(checked.problems, Severity.ERROR)
    warnings = _count(checked.problems, Severity.WARNING)
    hints = f", {numbers.count(warnings, 'hint')}" if warnings else ""
    name = text.one_line(checked.name or folder.name, 80)
    if errors:
        out.line(out.style(f"{name}: {numbers.count(errors, 'problem')}{hints}.", "bad"))
    else:
        summary = f" ({checked.summary})" if checked.summary else ""
        out.line(out.style(f"{name} can be used{hints}.", "good") + summary)


def _print_problem(problem: Problem, context: Context) -> None:
    out = context.terminal
    place = ":".join(str(part) for part in (problem.file, problem.line, problem.column) if part is not None)
    word = "problem" if problem.severity is Severity.ERROR else "hint"
    head = out.style(word, "bad" if problem.severity is Severity.ERROR else "warn")
    subject = f"{text.one_line(problem.subject)} " if problem.subject else ""
    out.line(f"{out.style(text.one_line(place), 'bold')}: {head}: {subject}[{problem.code}]")
    out.paragraph(text.one_line(problem.message), "    ")
    if problem.fix:
        out.paragraph(text.one_line(problem.fix), "    ")


DOCUMENT = JsonDocument(
    None,
    (
        *fields(
            ("pack", "string", "the pack as it was found"),
            ("kind", "string", "task or qualification"),
            ("name", "string or null", "its name"),
            ("valid", "boolean", "can it be used?"),
            ("errors", "integer", "how many"),
            ("warnings", "integer", "hints, how many"),
        ),
        *problem_fields("problems"),
        *fields(
            ("ok?", "boolean", "the same as `valid`"),
            ("diagnostics?", "array", "problems as the format names them"),
            ("diagnostics[].severity", "string", "error or warning"),
            ("diagnostics[].path", "string", "file, field or case"),
            ("diagnostics[].rule", "string", "rule of the format"),
            ("diagnostics[].message", "string", "what is wrong"),
            ("identity?", "string", "id@version"),
            ("content_sha256?", "string", "digest of the content"),
            ("qualification_cases?", "integer", "cases that decide"),
            ("challenge_cases?", "integer", "challenge cases"),
            ("calibration_cases?", "integer", "cases that calibrate a judge"),
        ),
    ),
)

COMMAND = Command(
    "validate",
    "Tells everything that is wrong with a pack, in one pass: file, line and column, field,\n"
    "what is wrong and what to do about it. Exit code 0 when the pack can be used, 1 when it cannot.",
    describe,
    run,
    ("packbench validate ./invoice-extraction", "packbench validate invoice-extraction --json"),
    documents=(DOCUMENT,),
    exits={0: "the pack can be used", 1: "it has problems; with --strict also hints"},
)
