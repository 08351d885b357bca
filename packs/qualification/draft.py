"""A qualification pack as found on disk, faults included: what the rules read and write findings into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from packs.canonical import JsonValue
from packs.documents.json_places import column_of
from packs.documents.problems import FieldPath, Problem, Severity
from packs.documents.reading import ParsedFile

CORPORA = ("qualification", "calibration", "challenge")
"""Names of the three corpora in the order in which ids are compared."""

CORPUS_ARTIFACTS = {"qualification": "corpus", "calibration": "calibration", "challenge": "challenge"}

Record = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """A problem together with how the format names it.

    rule: 'L02', 'R10', 'schema', or 'own' for what only we look at. subject: the path the format gives for it
    ('evaluators.reply_shape'). keyword: of a schema fault. blocks_run: the pack validates, but a run of it
    could not be scored.
    """

    rule: str
    subject: str
    problem: Problem
    keyword: str = ""
    blocks_run: bool = False


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One corpus line that holds an object. sound: it has no schema fault."""

    corpus: str
    file: str
    line: int
    text: str
    value: Record
    sound: bool

    @property
    def case_id(self) -> str | None:
        found = self.value.get("case_id")
        return found if isinstance(found, str) and found else None


@dataclass(slots=True)
class PackUnderCheck:
    """documents: by 'manifest' or artifact name; absent = not readable. files: their declared paths."""

    folder: Path
    documents: dict[str, ParsedFile] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    rubrics: dict[str, tuple[str, ParsedFile]] = field(default_factory=dict)
    """Rubric id -> file and document."""
    unnamed_rubrics: bool = False
    """Some rubric file could not be read or has no id, so an unknown rubric id proves nothing."""
    cases: dict[str, list[CaseLine]] = field(default_factory=dict)
    whole: dict[str, bool] = field(default_factory=dict)
    """Corpus name -> every line could be read and is sound."""
    methodology: str | None = None
    findings: list[RuleFinding] = field(default_factory=list)
    faulty: dict[str, list[FieldPath]] = field(default_factory=dict)

    # looking

    def section(self, name: str, *path: str) -> JsonValue:
        """The value at a path of a document; None when absent or the document is."""
        document = self.documents.get(name)
        value: JsonValue = document.value if document else None
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def sound(self, name: str, path: FieldPath) -> bool:
        """No schema fault at or under `path`."""
        return not any(fault[: len(path)] == path for fault in self.faulty.get(name, ()))

    def entries(self, name: str, *path: str) -> Iterator[tuple[int, Record]]:
        """(index, entry) of the sound entries of a list; nothing when the list is not there."""
        found = self.section(name, *path)
        if isinstance(found, list):
            for index, entry in enumerate(found):
                if isinstance(entry, dict) and self.sound(name, (*path, index)):
                    yield index, entry

    def names(self, name: str, *path: str, key: str = "id") -> set[str] | None:
        """All ids in a list, unsound entries included; None when some entry's id cannot be known."""
        found = self.section(name, *path)
        if not isinstance(found, list):
            return None
        ids = [entry.get(key) if isinstance(entry, dict) else None for entry in found]
        return None if any(not isinstance(entry, str) for entry in ids) else {str(entry) for entry in ids}

    # telling

    def add(
        self,
        rule: str,
        code: str,
        subject: str,
        where: tuple[str, FieldPath],
        message: str,
        fix: str,
        *,
        warning: bool = False,
        blocks_run: bool = False,
        keyword: str = "",
    ) -> None:
        """`where` is (document name, path in it)."""
        name, path = where
        document = self.documents.get(name)
        place = document.place(path) if document else None
        problem = Problem(
            file=self.files.get(name, name),
            path=path,
            code=code,
            message=message,
            fix=fix,
            severity=Severity.WARNING if warning else Severity.ERROR,
            line=place.line if place else None,
            column=place.column if place else None,
        )
        self.findings.append(RuleFinding(rule, subject, problem, keyword, blocks_run))

    def add_file(
        self,
        rule: str,
        code: str,
        file: str,
        message: str,
        fix: str,
        *,
        subject: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        problem = Problem(file, (), code, message, fix, line=line, column=column)
        self.findings.append(RuleFinding(rule, file if subject is None else subject, problem))

    def add_case(
        self,
        rule: str,
        code: str,
        subject: str,
        case: CaseLine,
        path: FieldPath,
        message: str,
        fix: str,
        *,
        warning: bool = False,
        keyword: str = "",
    ) -> None:
        problem = Problem(
            file=case.file,
            path=path,
            code=code,
            message=message,
            fix=fix,
            severity=Severity.WARNING if warning else Severity.ERROR,
            line=case.line,
            column=column_of(case.text, path),
        )
        self.findings.append(RuleFinding(rule, subject, problem, keyword))
