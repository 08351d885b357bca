"""numeric-tolerance: the first number of the answer is near enough (task-pack format, 8.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from packs.documents.strict_json import shown
from packs.task.outcome import NearMiss
from packs.task.scorers.base import BadExpected, Score, Scorer, ScorerParams, read_params
from packs.task.scorers.jobs import DraftingJob, NumberJob
from packs.task.scorers.look_alikes import western_digits
from packs.task.scorers.near_misses import number_readings
from packs.task.scorers.parts import (
    AnswerForm,
    DraftFault,
    ExpectedShape,
    Explanation,
    Preset,
    Scaffold,
    param_fault,
)
from packs.task.text import as_double, first_number, is_number, trim

NUMBER_GRAMMAR = r"""root ::= "-"? whole ("." [0-9]{1,9})?
whole ::= "0" | [1-9] [0-9]{0,14}
"""
"""A plain number as the numeric scorer reads it: no groups, no currency, no exponent."""
_ANY_NUMBER = 42.0
"""Stands for the expected value where none is known."""


class NumericToleranceParams(ScorerParams):
    tolerance: Annotated[
        float,
        Field(
            ge=0,
            allow_inf_nan=False,
            title="Tolerance",
            description="How far the number may be off: 0 or more. With mode relative a share, 0.01 for 1 %.",
            examples=[0.01],
            json_schema_extra={"says_what_passes": True},
        ),
    ]
    mode: Annotated[
        Literal["absolute", "relative"],
        Field(
            title="Mode",
            description="Whether the tolerance is in the number's own unit (absolute) or a share of the "
            "expected number (relative).",
            json_schema_extra={
                "choices": {
                    "absolute": "in the number's own unit (absolute)",
                    "relative": "as a share of the expected number (relative)",
                }
            },
        ),
    ] = "absolute"


_SCAFFOLD = Scaffold(
    "Find a number",
    "The answer is a number, with a tolerance.",
    "calculation",
    """\
scorer_params:
  # How far the number may be off. With  mode: relative  it is a share: 0.01 is 1 %.
  tolerance: 0.01
""",
    """\
Work out the number that the text asks for. Answer with the number and nothing else.

Text:
{{input}}
""",
    42,
)


class NumericTolerance(Scorer):
    name: ClassVar[str] = "numeric-tolerance"
    title: ClassVar[str] = "A number"
    summary: ClassVar[str] = "The first number of the answer must be the expected one, within a tolerance."
    Params: ClassVar[type[ScorerParams]] = NumericToleranceParams
    uses_expected: ClassVar[bool] = True
    word: ClassVar[str] = "Number"
    shape: ClassVar[ExpectedShape] = ExpectedShape.NUMBER
    scaffold: ClassVar[Scaffold] = _SCAFFOLD
    purpose: ClassVar[str] = "Read the text below."
    job: ClassVar[DraftingJob | None] = NumberJob()

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

    def is_answer(self, text: str) -> bool | None:
        number = first_number(trim(text))
        return number is not None and number.whole

    def reads(self, text: str) -> bool:
        return first_number(text) is not None

    def explain(self, text: str, expected: Any, score: Score) -> Explanation:
        wanted = shown(expected)
        number = first_number(text)
        if number is None:
            western = first_number(western_digits(text))
            near = western is not None and abs(western.value - as_double(expected)) <= self.allowed(
                as_double(expected)
            )
            digits = NearMiss("other_digits", "Its digits are not 0 to 9 but those of another script.")
            return Explanation(
                False,
                f"There is no number in the answer; expected is {wanted}."
                + (f" {digits.message}" if near else ""),
                (digits,) if near else (),
            )
        token = number.token.strip()
        if score.passed:
            exact = number.value == as_double(expected)
            return Explanation(True, f"{token} is {'' if exact else 'near enough to '}the expected {wanted}.")
        allowed = self.allowed(as_double(expected))
        for reading in number_readings(text):
            if abs(reading.value - as_double(expected)) <= allowed:
                miss = NearMiss(reading.code, reading.message, reading.start, reading.end)
                return Explanation(
                    False,
                    f"The number is read as {token}; expected is {wanted}, which the answer seems to mean. "
                    f"{reading.message}",
                    (miss,),
                )
        return Explanation(True, f"The answer is {token}; expected is {wanted}.")

    @classmethod
    def draft_faults(
        cls, params: Mapping[str, Any], expected: Sequence[object], prompt: str | None
    ) -> list[DraftFault]:
        faults: list[DraftFault] = []
        tolerance: Any = params.get("tolerance")
        if not _is_finite(tolerance) or tolerance < 0:
            faults.append(param_fault("tolerance", "a number of 0 or more"))
        strange = sum(not _is_finite(value) for value in expected)
        if strange:
            message = f"{strange} expected values are not numbers."
            faults.append(DraftFault("expected_not_number", message, {"count": strange}))
        return faults

    def verdict(self, score: Score) -> str:
        actual = score.detail["actual"]
        if actual is None:
            return "This does not pass: there is no number in it."
        number = _short(actual) if isinstance(actual, float) else str(actual)
        return f"This {'passes' if score.passed else 'does not pass'}: it is read as {number}."

    def passing(self, expected: object) -> str:
        """One sentence, such as 'With 0.5: 41.5 to 42.5 pass for 42.'; '' when the bounds are no numbers.

        42 stands for an expected value that is no number."""
        middle = as_double(expected) if _is_finite(expected) else _ANY_NUMBER  # type: ignore[arg-type]
        allowed = self.allowed(middle)
        low, high = _short(middle - allowed), _short(middle + allowed)
        if not (math.isfinite(float(low)) and math.isfinite(float(high))):
            return ""
        given = f"With {_short(self.params.tolerance)}"
        if low == high:
            return f"{given}: only {low} passes for {_short(middle)}."
        # A sum of fractions can end a hair beside its bound; then the bound itself is not promised.
        if all(self.score(bound, middle).passed for bound in (low, high)):
            return f"{given}: {low} to {high} pass for {_short(middle)}."
        return f"{given}: numbers between {low} and {high} pass for {_short(middle)}."

    def form(self, expected: Sequence[object]) -> AnswerForm | None:
        return AnswerForm(grammar=NUMBER_GRAMMAR)

    @classmethod
    def preset(cls, params: Mapping[str, object]) -> Preset | None:
        return Preset("A number", "Answer with the number and nothing else, without a unit.", 24)

    @classmethod
    def params_from_table(cls, columns: Sequence[str], values: Sequence[object]) -> dict[str, object]:
        whole = all(float(value).is_integer() for value in values if isinstance(value, int | float))
        return {"tolerance": 0 if whole else 0.01}


def _plain(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "Infinity" if value > 0 else "-Infinity"


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _short(number: float) -> str:
    return f"{number:.12g}"
