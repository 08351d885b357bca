"""numeric-tolerance: the first number of the answer is near enough (task-pack format, 8.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from packs.documents.strict_json import shown
from packs.task.scorers.base import BadExpected, Score, ScorerParams, read_params
from packs.task.text import as_double, first_number, is_number


class NumericToleranceParams(ScorerParams):
    tolerance: Annotated[
        float,
        Field(
            ge=0,
            allow_inf_nan=False,
            title="Tolerance",
            description="How far the number may be off: 0 or more. With mode relative a share, 0.01 for 1 %.",
            examples=[0.01],
        ),
    ]
    mode: Annotated[
        Literal["absolute", "relative"],
        Field(
            title="Mode",
            description="Whether the tolerance is in the number's own unit (absolute) or a share of the "
            "expected number (relative).",
        ),
    ] = "absolute"


class NumericTolerance:
    name: ClassVar[str] = "numeric-tolerance"
    title: ClassVar[str] = "A number"
    summary: ClassVar[str] = "The first number of the answer must be the expected one, within a tolerance."
    Params: ClassVar[type[ScorerParams]] = NumericToleranceParams
    uses_expected: ClassVar[bool] = True

    def __init__(self, params: Mapping[str, object]) -> None:
        self.params = read_params(NumericToleranceParams, params)

    def allowed(self, expected: float) -> float:
        """How far off the number may be, inclusive."""
        relative = self.params.mode == "relative"
        return self.params.tolerance * abs(expected) if relative else self.params.tolerance

    def check_expected(self, expected: object) -> None:
        if not is_number(expected) or not math.isfinite(as_double(expected)):  # type: ignore[arg-type]
            raise BadExpected(
                f"The expected value must be a number; it is {shown(expected)}.",
                "Write a plain number without quotes, such as 42 or 3.5.",
            )

    def score(self, output: str, expected: object) -> Score:
        assert isinstance(expected, int | float)
        number = first_number(output)
        if number is None:
            return Score(0.0, False, {"actual": None, "token": None})
        allowed = self.allowed(as_double(expected))
        difference = abs(number.value - as_double(expected))
        passed = difference <= allowed
        detail = {
            # JSON knows no infinity; the format's own vectors write it as a text.
            "actual": _plain(number.value),
            "token": number.token,
            "mode": self.params.mode,
            "difference": _plain(difference),
            "allowed": allowed,
        }
        return Score(float(passed), passed, detail)


def _plain(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "Infinity" if value > 0 else "-Infinity"
