"""pattern: texts or regular expressions that the answer must hold (task-pack format, 8.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from packs.task.ecma_regex import BadPattern, EcmaPattern, SlowPattern
from packs.task.scorers.base import BadParams, ParamFault, Score, ScorerParams, read_params

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
        ),
    ]
    mode: Annotated[
        Literal["contains", "regex"],
        Field(
            title="Mode", description="Whether the patterns are plain texts (contains) or expressions (regex)."
        ),
    ] = "contains"
    match: Annotated[
        Literal["all", "any"],
        Field(title="Match", description="Whether all patterns must be found or any one is enough."),
    ] = "all"


class Pattern:
    name: ClassVar[str] = "pattern"
    title: ClassVar[str] = "Texts that must occur"
    summary: ClassVar[str] = "The answer must hold the given texts or match the given expressions."
    Params: ClassVar[type[ScorerParams]] = PatternParams
    uses_expected: ClassVar[bool] = False

    def __init__(self, params: Mapping[str, object]) -> None:
        self.params = read_params(PatternParams, params)
        self.compiled: tuple[EcmaPattern, ...] = ()
        if self.params.mode == "regex":
            self.compiled = _compiled(self.params.patterns)

    def check_expected(self, expected: object) -> None:
        """Any value will do; it is not used."""

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
