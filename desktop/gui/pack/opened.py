"""The pack that is open, as far as the window shows it. Free of Qt; reading is done off the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from packs.errors import AppError
from packs.problems import Problem, Severity
from packs.qualification.loader import load_pack as load_qualification_pack
from packs.task.loader import load_pack as load_task_pack
from packs.task.model import TaskPack


class PackKind(StrEnum):
    TASK = "task"
    QUALIFICATION = "qualification"


@dataclass(frozen=True, slots=True)
class OpenedPack:
    """name: of the folder when the pack's own cannot be read. count: examples or cases that were read; None
    when not known. pack: None while there is an error, and for qualification packs.

    reviewed: None when the pack was not drafted by a model.
    """

    folder: Path
    kind: PackKind
    name: str
    count: int | None
    problems: tuple[Problem, ...]
    scorer: str = ""
    reviewed: bool | None = None
    pack: TaskPack | None = None

    @property
    def errors(self) -> int:
        return sum(problem.severity is Severity.ERROR for problem in self.problems)

    @property
    def hints(self) -> int:
        return len(self.problems) - self.errors

    @property
    def kind_words(self) -> str:
        return "Task pack" if self.kind is PackKind.TASK else "Qualification pack"

    @property
    def count_words(self) -> str:
        """'24 examples', '60 cases'; empty when not known."""
        if self.count is None:
            return ""
        word = "example" if self.kind is PackKind.TASK else "case"
        return f"{self.count:,} {word}{'' if self.count == 1 else 's'}"


def read_pack(folder: Path) -> OpenedPack:
    """Read and check a pack of either kind. Raises AppError 'no_pack' when the folder holds none."""
    if (folder / "task.yaml").is_file():
        loaded = load_task_pack(folder)
        pack = loaded.pack
        reviewed = pack.provenance.reviewed if pack is not None and pack.provenance is not None else None
        return OpenedPack(
            folder,
            PackKind.TASK,
            loaded.name or folder.name,
            loaded.example_count,
            loaded.problems,
            pack.scorer if pack is not None else "",
            reviewed,
            pack,
        )
    if (folder / "pack.yaml").is_file():
        result = load_qualification_pack(folder)
        count = sum(map(len, result.pack.cases.values())) if result.pack is not None else None
        name = result.pack.name if result.pack is not None else folder.name
        return OpenedPack(folder, PackKind.QUALIFICATION, name, count, tuple(result.problems))
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


def by_weight(problems: tuple[Problem, ...]) -> list[Problem]:
    """Problems before hints, each in reading order."""
    return sorted(problems, key=lambda problem: problem.severity is not Severity.ERROR)
