"""The bundled help as pages of Markdown: written ones, and lists that the program makes from its own tables.

Without Qt, so that everything is found and tested without a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from desktop.foundation.resource_files import resource

FIRST_PAGE = "index.md"
MAX_FOUND = 60
MAX_AROUND = 120
_BACK = "\n[Back to the first page](index.md)\n"


@dataclass(frozen=True, slots=True)
class Found:
    """One page with the words. around: the line with the first of them, as plain text."""

    page: str
    title: str
    around: str


def page_names() -> tuple[str, ...]:
    """All pages, the first page first."""
    written = {entry.name for entry in resource("help").iterdir() if entry.name.endswith(".md")}
    return (FIRST_PAGE, *sorted((written | set(_MADE)) - {FIRST_PAGE}))


@cache
def page_text(name: str) -> str:
    """Markdown of a page; KeyError for a name that is none of ours."""
    if name in _MADE:
        return _MADE[name]() + _BACK
    if name not in page_names():
        raise KeyError(name)
    return resource("help", name).read_text("utf-8")


def picture(name: str) -> bytes | None:
    """A picture of a page by its name, such as `start.png`; None for any other name."""
    for entry in resource("help", "pictures").iterdir():
        if entry.name == name and name.endswith(".png"):
            return entry.read_bytes()
    return None


def title_of(name: str) -> str:
    return page_text(name).partition("\n")[0].lstrip("# ").strip()


def search(message: str) -> list[Found]:
    """Pages that hold every word, those with a word in the title first. Case does not matter."""
    wanted = message.casefold().split()
    if not wanted:
        return []
    found: list[tuple[int, Found]] = []
    for name in page_names():
        text = page_text(name)
        folded = text.casefold()
        if not all(word in folded for word in wanted):
            continue
        title = title_of(name)
        in_title = sum(word in title.casefold() for word in wanted)
        found.append((-in_title, Found(name, title, _line_with(text, wanted))))
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0])][:MAX_FOUND]


def _line_with(text: str, wanted: list[str]) -> str:
    """The line with most of the words."""
    lines = text.splitlines()
    best = max(lines, key=lambda line: sum(word in line.casefold() for word in wanted))
    plain = " ".join(best.replace("|", " ").replace("*", "").replace("`", "").strip(" #-").split())
    return plain if len(plain) <= MAX_AROUND else plain[: MAX_AROUND - 1] + "…"


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _codes(codes: Mapping[str, str]) -> str:
    return _table(
        ("code", "what it means"), ((f"`{code}`", message) for code, message in sorted(codes.items()))
    )


def _qualification_problems() -> str:
    from packs.qualification.codes import GROUPS

    parts = [f"## {title}\n\n{_codes(codes)}\n" for title, codes in GROUPS.items()]
    return (
        "# Problems of qualification packs\n\n"
        "Each problem names the file, the line and the field, and says what to do. What each part of such a "
        "pack is for is told in [Qualification](qualification.md).\n\n" + "".join(parts)
    )


def _scorers() -> str:
    from packs.task.scorers import SCORERS

    parts: list[str] = []
    for scorer in SCORERS:
        parts.append(f"## {scorer.title}\n\n`{scorer.name}`: {scorer.summary}\n")
        described = scorer.Params.model_json_schema().get("properties", {})
        if described:
            rows = ((f"`{key}`", str(facts.get("description", ""))) for key, facts in described.items())
            parts.append(_table(("setting", "what it does"), rows))
    return (
        "# Scorers and gates\n\n"
        "A **scorer** compares an answer with the expected one, always in the same way. Any scorer can also be "
        "a **gate**: an answer that does not pass the gate counts as not passed, whatever its score.\n\n"
        + "\n".join(parts)
    )


_MADE: Mapping[str, Callable[[], str]] = {
    "qualification-problems.md": _qualification_problems,
    "scorers.md": _scorers,
}
