"""One fault in a pack, told so that a person, an editor and a script can all act on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

FieldPath = tuple[str | int, ...]
"""Way from the root of a document to a value: ('gates', 0, 'scorer_params', 'labels')."""


class Severity(StrEnum):
    ERROR = "error"
    """The pack cannot be used as it is."""
    WARNING = "warning"
    """The pack can be used, but the result may mislead."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault and its remedy.

    file: path relative to the pack folder with `/`, e.g. `task.yaml` or `examples/003.json`.
    path: the field inside that file; empty for the file as a whole. An absent field is named itself, not its
        parent.
    code: stable word for tests and scripts (`no_placeholder`); never shown alone.
    message: what is wrong, in plain words, one or two short sentences.
    fix: what to do, as an instruction.
    line, column: from 1, in characters; None with files that have no lines or when the place is not known.
    """

    file: str
    path: FieldPath
    code: str
    message: str
    fix: str
    severity: Severity = Severity.ERROR
    line: int | None = None
    column: int | None = None

    @property
    def subject(self) -> str:
        """The field in dotted form: `gates[1].scorer`; empty for the whole file."""
        return dotted(self.path)

    def as_json(self) -> dict[str, object]:
        """The record that `validate --json` prints; `field` is the dotted form, `path` the list."""
        return {
            "file": self.file,
            "field": self.subject,
            "path": list(self.path),
            "line": self.line,
            "column": self.column,
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "fix": self.fix,
        }


def dotted(path: FieldPath) -> str:
    """('gates', 1, 'scorer') -> 'gates[1].scorer'."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def has_errors(problems: Iterable[Problem]) -> bool:
    return any(problem.severity is Severity.ERROR for problem in problems)
