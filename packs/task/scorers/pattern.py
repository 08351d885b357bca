"""pattern: texts or regular expressions that the answer must hold (task-pack format, 8.4)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from packs.task.ecma_regex import BadPattern, EcmaPattern, SlowPattern
from packs.task.outcome import NearMiss
from packs.task.scorers.base import BadParams, ParamFault, Score, Scorer, ScorerParams, read_params
from packs.task.scorers.jobs import DraftingJob, RequiredWordsJob
from packs.task.scorers.look_alikes import folded
from packs.task.scorers.parts import (
    Adviser,
    DraftFault,
    ExpectedShape,
    Explanation,
    Scaffold,
    is_texts,
    param_fault,
)

MAX_TOTAL_SIZE = 300_000
"""Of all patterns of a scorer, counted as `EcmaPattern.size`."""


class PatternParams(ScorerParams):
    patterns: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=1000,
            title="Patterns",
            description="The texts or regular expressions to look for, one each.",
            examples=[["restart: always"]],
            json_schema_extra={"entry": "pattern"},
        ),
    ]
    mode: Annotated[
        Literal["contains", "regex"],
        Field(
            title="Mode",
            description="Whether the patterns are plain texts (contains) or expressions (regex).",
            json_schema_extra={
                "choices": {"contains": "as plain texts (contains)", "regex": "as regular expressions (regex)"}
            },
        ),
    ] = "contains"
    match: Annotated[
        Literal["all", "any"],
        Field(
            title="Match",
            description="Whether all patterns must be found or any one is enough.",
            json_schema_extra={"choices": {"all": "all of them must be found", "any": "any one is enough"}},
        ),
    ] = "all"


_SCAFFOLD = Scaffold(
    "Hold certain words",
    "The answer must hold texts or patterns that you name.",
    "writing",
    """\
scorer_params:
  # What an answer must hold. Edit: your own texts.
  patterns:
    - "replace me"
  mode: contains      # or: regex
  match: all          # or: any
""",
    """\
Write a short reply to the text. It must hold the words "replace me".

Text:
{{input}}
""",
    "",
)


class Pattern(Scorer):
    name: ClassVar[str] = "pattern"
    title: ClassVar[str] = "Texts that must occur"
    summary: ClassVar[str] = "The answer must hold the given texts or match the given expressions."
    Params: ClassVar[type[ScorerParams]] = PatternParams
    uses_expected: ClassVar[bool] = False
    word: ClassVar[str] = "Pattern"
    shape: ClassVar[ExpectedShape] = ExpectedShape.TEXT
    scaffold: ClassVar[Scaffold] = _SCAFFOLD
    job: ClassVar[DraftingJob | None] = RequiredWordsJob()

    def __init__(self, params: Mapping[str, object]) -> None:
        self.params = read_params(PatternParams, params)
        self.compiled: tuple[EcmaPattern, ...] = ()
        if self.params.mode == "regex":
            self.compiled = _compiled(self.params.patterns)

    def score(self, output: str, expected: object) -> Score:
        hits: list[bool] = []
        try:
            if self.params.mode == "regex":
                hits.extend(pattern.found_in(output) for pattern in self.compiled)
            else:
                hits.extend(pattern in output for pattern in self.params.patterns)
        except SlowPattern as slow:
            return Score(None, None, {**self._detail(hits), "timed_out": slow.pattern})
        passed = all(hits) if self.params.match == "all" else any(hits)
        return Score(sum(hits) / len(hits), passed, self._detail(hits))

    def _detail(self, hits: list[bool]) -> dict[str, object]:
        return {
            "mode": self.params.mode,
            "match": self.params.match,
            "hits": hits,
            "hit_count": sum(hits),
            "total": len(self.params.patterns),
        }

    def explain(self, text: str, expected: Any, score: Score) -> Explanation:
        hits: Any = score.detail["hits"]
        lacking = [pattern for pattern, hit in zip(self.params.patterns, hits, strict=True) if not hit]
        if score.passed:
            return Explanation(True, f"{sum(hits)} of {len(hits)} patterns are found.")
        reported = ", ".join(f"'{pattern[:40]}'" for pattern in lacking[:4]) + (
            ", …" if len(lacking) > 4 else ""
        )
        misses: list[NearMiss] = []
        if self.params.mode == "contains":
            composed = unicodedata.normalize("NFC", text)
            as_it_looks = folded(text)
            for pattern in lacking:
                at = text.lower().find(pattern.lower())
                alike = folded(pattern) and folded(pattern) in as_it_looks
                if unicodedata.normalize("NFC", pattern) in composed:
                    misses.append(
                        NearMiss("accents", f"'{pattern[:40]}' is there with accents written another way.")
                    )
                elif at >= 0:
                    end = at + len(pattern)
                    misses.append(
                        NearMiss("case_differs", f"'{pattern[:40]}' is there in other letters.", at, end)
                    )
                elif alike:
                    misses.append(
                        NearMiss("look_alike", f"'{pattern[:40]}' is there with signs that only look alike.")
                    )
        return Explanation(
            True, f"{sum(hits)} of {len(hits)} patterns are found; lacking: {reported}.", tuple(misses)
        )

    @classmethod
    def draft_faults(
        cls, params: Mapping[str, Any], expected: Sequence[object], prompt: str | None
    ) -> list[DraftFault]:
        faults: list[DraftFault] = []
        if not is_texts(params.get("patterns")):
            faults.append(param_fault("patterns", "a list of texts"))
        return faults

    def right_answer(self, expected: object) -> str:
        plain = self.params.mode == "contains"
        return " ".join(self.params.patterns) if plain else super().right_answer(expected)

    def advise(self, adviser: Adviser, primary: bool) -> None:
        adviser.slow([(("patterns", index), pattern) for index, pattern in enumerate(self.compiled)])


def _compiled(sources: list[str]) -> tuple[EcmaPattern, ...]:
    patterns: list[EcmaPattern] = []
    faults: list[ParamFault] = []
    size = 0
    for index, source in enumerate(sources):
        try:
            patterns.append(EcmaPattern(source))
            size += patterns[-1].size
            if size > MAX_TOTAL_SIZE:
                raise BadPattern("All patterns together are too large.", 0)
        except BadPattern as error:
            faults.append(
                ParamFault(
                    ("patterns", index),
                    f"patterns[{index}] cannot be used: at character {error.offset + 1}: {error.reason}",
                    "Correct the expression, or use the mode contains for a plain text.",
                )
            )
    if faults:
        raise BadParams(tuple(faults))
    return tuple(patterns)
