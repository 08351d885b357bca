"""The pack that is open, as far as the window shows it. Free of Qt; reading is done off the GUI thread."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from packs.documents.problems import Problem, Severity
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.application.example_rows import ExampleRow
    from packs.qualification.pack import QualificationPack
    from packs.task.content import PackContent
    from packs.task.review import Review


class PackKind(StrEnum):
    TASK = "task"
    QUALIFICATION = "qualification"


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example or a case as a row. expected: as text, JSON where it is no text."""

    id: str
    input: str
    expected: str


@dataclass(frozen=True, slots=True)
class OpenedPack:
    """name: of the folder when the pack's own cannot be read. count: examples or cases that were read; None
    when not known.

    reviewed: None when the pack was not drafted by a model.
    """

    folder: Path
    kind: PackKind
    name: str
    count: int | None
    problems: tuple[Problem, ...]
    scorer: str = ""
    reviewed: bool | None = None
    examples: tuple[ShownExample, ...] = ()
    """Of a qualification pack; empty while there is an error."""
    context_tokens: int | None = None
    """The context that a task pack declares."""
    needed_tokens: int | None = None
    """What its longest prompt and answer take, about."""
    content: PackContent | None = None
    """The files of a task pack, for the editor; its examples are parsed already."""
    example_rows: tuple[ExampleRow, ...] = ()

    @property
    def errors(self) -> int:
        return sum(problem.severity is Severity.ERROR for problem in self.problems)

    @property
    def hints(self) -> int:
        return len(self.problems) - self.errors

    @property
    def kind_text(self) -> str:
        return "Task pack" if self.kind is PackKind.TASK else "Qualification pack"

    @property
    def count_text(self) -> str:
        """'24 examples', '60 cases'; empty when not known."""
        if self.count is None:
            return ""
        word = "example" if self.kind is PackKind.TASK else "case"
        return f"{self.count:,} {word}{'' if self.count == 1 else 's'}"


def read_pack(folder: Path, kind: PackKind | None = None) -> OpenedPack:
    """Read and check a pack. Raises AppError 'no_pack' when the folder holds none.

    kind: which one, where a folder holds both; left out, the task pack.
    """
    # Loaders and scorers are imported by whoever opens a pack, off the GUI thread, and not at start.
    if (folder / "task.yaml").is_file() and kind is not PackKind.QUALIFICATION:
        from desktop.application.example_rows import rows_of
        from desktop.application.model_wording import needed_context
        from packs.documents.files import DiskFiles, RememberedFiles
        from packs.task.content import read_content
        from packs.task.loader import load_pack_files

        files = RememberedFiles(DiskFiles(folder))
        loaded = load_pack_files(files, folder)
        pack = loaded.pack
        reviewed = pack.provenance.reviewed if pack is not None and pack.provenance is not None else None
        content = read_content(folder, files)
        content.parse_examples()
        return OpenedPack(
            folder,
            PackKind.TASK,
            loaded.name or folder.name,
            loaded.example_count,
            loaded.problems,
            pack.scorer if pack is not None else "",
            reviewed,
            context_tokens=pack.generation.context if pack is not None else None,
            needed_tokens=needed_context(pack) if pack is not None else None,
            content=content,
            example_rows=tuple(rows_of(content, _review(content))),
        )
    if (folder / "pack.yaml").is_file():
        from packs.qualification.loader import load_pack as load_qualification_pack

        result = load_qualification_pack(folder)
        cases = _cases(result.pack) if result.pack is not None else ()
        return OpenedPack(
            folder,
            PackKind.QUALIFICATION,
            result.pack.name if result.pack is not None else folder.name,
            len(cases) if result.pack is not None else None,
            tuple(result.problems),
            examples=cases,
        )
    if not folder.is_dir():
        raise AppError(
            f"The folder {folder} is not there any more.",
            "Look whether it was moved or renamed.",
            code="no_pack",
        )
    raise AppError(
        f"There is no pack in {folder.name}: it has neither task.yaml nor pack.yaml.",
        "Choose the folder that holds one of them.",
        code="no_pack",
    )


def _review(content: PackContent) -> Review | None:
    from packs.task.review import REVIEW_FILE, read_review

    data = content.files.get(REVIEW_FILE)
    try:
        return None if data is None else read_review(data)
    except AppError:
        return None


def _cases(pack: QualificationPack) -> tuple[ShownExample, ...]:
    return tuple(
        ShownExample(case.case_id, case.user_text, _text(case.expected))
        for corpus in pack.cases.values()
        for case in corpus
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def by_weight(problems: tuple[Problem, ...]) -> list[Problem]:
    """Problems before hints, each in reading order."""
    return sorted(problems, key=lambda problem: problem.severity is not Severity.ERROR)
