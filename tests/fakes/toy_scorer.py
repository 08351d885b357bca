"""A scorer as somebody adds one: this file, and its class as one entry of the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from packs.task.scorers import ExpectedShape, Score, Scorer, ScorerParams
from packs.task.scorers.base import read_params
from packs.task.scorers.parts import Scaffold


class ToyParams(ScorerParams):
    ending: Annotated[
        str,
        Field(title="Ending", description="What the answer ends with after the expected text.", examples=["!"]),
    ]


class ToyScorer(Scorer):
    name: ClassVar[str] = "toy-ending"
    title: ClassVar[str] = "A text with an ending"
    summary: ClassVar[str] = "The answer is the expected text and an ending."
    word: ClassVar[str] = "Ending"
    Params: ClassVar[type[ScorerParams]] = ToyParams
    uses_expected: ClassVar[bool] = True
    shape: ClassVar[ExpectedShape] = ExpectedShape.TEXT
    scaffold: ClassVar[Scaffold] = Scaffold(
        "End a text well",
        "The answer is a text that ends as you say.",
        "ending",
        'scorer_params:\n  ending: "!"\n',
        "Repeat the text with its ending.\n\n{{input}}\n",
        "replace me",
    )

    def __init__(self, params: Mapping[str, object]) -> None:
        self.params = read_params(ToyParams, params)

    def score(self, output: str, expected: object) -> Score:
        passed = output.strip() == f"{expected}{self.params.ending}"
        return Score(float(passed), passed)
