"""Setting reasoning text aside, so that only the visible answer is scored (product rules for outcomes)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from packs.task.text import BLANK_CLASS, is_blank, trim

_TRIED = 12
"""Closing marks that are tried from either end of an answer, so that a thousand of them cost no more."""
_QUOTES = "\"'`"
_B = f"[{BLANK_CLASS}]*"


@dataclass(frozen=True, slots=True)
class ReasoningForm:
    """How some models mark their reasoning. name: the opening mark, as a person would write it."""

    name: str
    opening: re.Pattern[str]
    closing: re.Pattern[str]


def _form(name: str, opening: str, closing: str) -> ReasoningForm:
    return ReasoningForm(name, re.compile(_B + opening, re.IGNORECASE), re.compile(closing, re.IGNORECASE))


def _tag(name: str) -> ReasoningForm:
    return _form(f"<{name}>", f"<{name}{_B}>", f"</{name}{_B}>")


_TURN = r"(?:<\|start\|>assistant)?"
FORMS: Sequence[ReasoningForm] = (
    *(_tag(name) for name in ("think", "thinking", "thought", "reasoning", "seed:think")),
    _form("[THINK]", r"\[THINK\]", r"\[/THINK\]"),
    _form("◁think▷", "◁think▷", "◁/think▷"),
    _form("<|begin_of_thought|>", r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    _form("<|START_THINKING|>", r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    _form(
        "<|channel|>analysis",
        rf"{_TURN}<\|channel\|>(?:analysis|commentary)[^<]{{0,200}}<\|message\|>",
        rf"(?:<\|end\|>)?{_TURN}<\|channel\|>final(?:{_B}<\|constrain\|>\w+)?{_B}<\|message\|>",
    ),
    _form("<|channel>thought", r"<\|channel>thought", r"<channel\|>"),
)
"""Of DeepSeek, Qwen and many more; of Seed; of Mistral; of Kimi; of Sky-T1; of Command; of gpt-oss; Gemma."""
_ANY_MARK = re.compile(
    "|".join(mark.pattern for form in FORMS for mark in (form.opening, form.closing)),
    re.IGNORECASE,
)


class AnswerReader(Protocol):
    """What knows how an answer is read: a scorer, or a scorer with its gates."""

    def is_answer(self, text: str) -> bool | None:
        """Is the text as a whole what was asked for? None: any text might be."""

    def reads(self, text: str) -> bool:
        """Is there in the text what can be scored?"""


@dataclass(frozen=True, slots=True)
class SplitAnswer:
    """visible: what is scored; the very text as it came when nothing was set aside. reasoning: the rest.

    unfinished: the reasoning was still going on when the text ended. form, why: the mark that it was known by,
    and a sentence; both empty when nothing was set aside of the text. end: where what was set aside ends, in
    code points of the text.
    """

    visible: str
    reasoning: str
    unfinished: bool = False
    form: str = ""
    why: str = ""
    end: int = 0


def split_reasoning(text: str, separate: str, reader: AnswerReader) -> SplitAnswer:
    """What is scored of an answer, and its reasoning. separate: a server's own field for it.

    A block that is opened at the very start by a known mark is reasoning up to the last closing mark that
    leaves something to read, unless the whole text is what was asked for. A closing mark whose block was
    opened in the prompt counts only where the whole text is not what was asked for, and never where any text
    might be. Every other mark is part of the answer.
    """
    found = None
    if _ANY_MARK.search(text):
        found = _opened_block(text, reader) or _lone_closing(text, reader)
    if found is None:
        return SplitAnswer(text, trim(separate))
    inside, closing, end, form, why = found
    pieces = (trim(separate), trim(text[inside:closing]))
    return SplitAnswer(
        trim(text[end:]), "\n\n".join(filter(None, pieces)), closing == len(text), form.name, why, end
    )


def opens_reasoning(text: str) -> bool:
    """Does the text begin with a mark of reasoning?"""
    return _opened(text, 0) is not None


_Found = tuple[int, int, int, ReasoningForm, str]
"""Where the reasoning begins, where it ends, where its closing mark ends; the form, and why."""


def _opened(text: str, at: int) -> tuple[ReasoningForm, int] | None:
    for form in FORMS:
        match = form.opening.match(text, at)
        if match is not None:
            return form, match.end()
    return None


def _opened_block(text: str, reader: AnswerReader) -> _Found | None:
    opened = _opened(text, 0)
    if opened is None or reader.is_answer(text):
        return None
    form, inside = opened
    why = f"The answer begins with the mark {form.name}"
    best = _best_closing(text, list(form.closing.finditer(text, inside)), reader)
    if best is not None:
        return inside, best.start(), best.end(), form, f"{why}; what follows its closing mark is the answer."
    # Nothing that could be scored follows: block after block is taken as it was written.
    closing = form.closing.search(text, inside)
    while closing is not None and (again := _opened(text, closing.end())) is not None:
        closing = again[0].closing.search(text, again[1])
    if closing is None:
        return inside, len(text), len(text), form, f"{why} and ends before its reasoning does."
    return inside, closing.start(), closing.end(), form, f"{why}; what follows its closing mark is the answer."


def _lone_closing(text: str, reader: AnswerReader) -> _Found | None:
    if opens_reasoning(text) or reader.is_answer(text) is not False:
        return None
    for form in FORMS:
        closings = list(form.closing.finditer(text))
        if not closings or form.opening.search(text, 0, closings[0].start()):
            continue
        best = _best_closing(text, closings, reader) or _on_a_line_of_its_own(text, closings[-1])
        if best is not None:
            why = (
                f"The answer as a whole cannot be read; what follows '{best[0]}', which closes reasoning that "
                "was opened in the prompt, is the answer."
            )
            return 0, best.start(), best.end(), form, why
    return None


def _best_closing(text: str, closings: Sequence[re.Match[str]], reader: AnswerReader) -> re.Match[str] | None:
    """The last that leaves just what was asked for, or else the last that leaves something to read."""
    near = closings if len(closings) <= 2 * _TRIED else [*closings[:_TRIED], *closings[-_TRIED:]]
    unquoted = [one for one in near if not _is_quoted(text, one)] or near
    left = [(one, trim(text[one.end() :])) for one in unquoted if _opened(text, one.end()) is None]
    left = [(one, rest) for one, rest in reversed(left) if rest]
    whole = next((one for one, rest in left if reader.is_answer(rest)), None)
    return whole or next((one for one, rest in left if reader.reads(rest)), None)


def _is_quoted(text: str, mark: re.Match[str]) -> bool:
    """`split('</think>')` speaks of a mark."""
    before, after = text[: mark.start()][-1:], text[mark.end() :][:1]
    return before == after and before != "" and before in _QUOTES


def _on_a_line_of_its_own(text: str, mark: re.Match[str]) -> re.Match[str] | None:
    """The mark where a line ends with it and an answer follows, as models write it."""
    line_end = re.compile(r"[ \t]*\r?\n").match(text, mark.end())
    return mark if line_end is not None and not is_blank(text[mark.end() :]) else None
