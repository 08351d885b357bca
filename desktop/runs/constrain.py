"""What limits an answer to the form that a scorer reads: a grammar of labels or of a number, or a schema.

A constrained answer says how well a model chooses, not whether it keeps to a form; results of the two kinds are
never mixed without saying so.
"""

from __future__ import annotations

from collections.abc import Sequence

from desktop.inference.backends.base import Constraint
from packs.task.model import TaskPack
from packs.task.scorers import ExpectedShape


def constraint_for(pack: TaskPack) -> Constraint | None:
    """By the scorer, or by a gate that knows a JSON schema; None where neither tells the form of an answer."""
    scoring = pack.scoring
    expected = [example.expected for example in pack.examples]
    of_gates = [gate.form(expected) for gate in scoring.gates if gate.shape is ExpectedShape.JSON]
    form = next((form for form in of_gates if form is not None), None) or scoring.primary.form(expected)
    if form is None:
        return None
    if form.schema is not None:
        return Constraint(json_schema=form.schema)
    return Constraint(grammar=label_grammar(form.labels) if form.labels else form.grammar)


def label_grammar(labels: Sequence[str]) -> str:
    """GBNF that allows one of the labels as declared, and nothing else."""
    return "root ::= " + " | ".join(_literal(label) for label in dict.fromkeys(labels)) + "\n"


def _literal(text: str) -> str:
    """A GBNF text: quotes, backslashes and control characters escaped, all else as it stands."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\x{ord(mark):02x}" if ord(mark) < 32 else mark for mark in escaped) + '"'
