"""What every scorer is: checked parameters, and a judgement that never raises for a model's answer."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from packs.documents.problems import FieldPath, dotted
from packs.documents.strict_json import shown
from packs.registry import nearest
from packs.task.scorers.jobs import DraftingJob
from packs.task.scorers.parts import (
    Adviser,
    AnswerForm,
    DraftFault,
    ExpectedShape,
    Explanation,
    Preset,
    Scaffold,
)
from packs.task.text import is_blank


@dataclass(frozen=True, slots=True)
class Score:
    """The result of one scorer on one answer.

    score: 0 to 1; passed: the scorer's own yes or no; both None when a pattern ran out of time.
    detail: the record the format names for the scorer; plain JSON values only.
    """

    score: float | None
    passed: bool | None
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParamFault:
    """One parameter that cannot be used. path: below `scorer_params`."""

    path: FieldPath
    message: str
    fix: str


class BadParams(ValueError):
    """The parameters of a scorer cannot be used: the pack author's error. All faults at once."""

    def __init__(self, faults: tuple[ParamFault, ...]) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = faults


class BadExpected(ValueError):
    """The expected value of an example does not suit the scorer: the pack author's error."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class ScorerParams(BaseModel):
    """Base of all parameter models. Unknown keys are left alone here; the loader warns about them."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Scorer(ABC):
    """One way of scoring, and all that anybody needs to know of it.

    Made from raw parameters; raises BadParams. `check_expected` raises BadExpected. `score` is pure and raises
    nothing for a model's answer; it expects a value that `check_expected` accepted. Everything else has a
    use without being said: a scorer says what it knows better. Class methods are for packs that are still being
    edited, so `params` may hold anything.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    word: ClassVar[str]
    """On a chip."""
    Params: ClassVar[type[ScorerParams]]
    uses_expected: ClassVar[bool]
    shape: ClassVar[ExpectedShape]
    scaffold: ClassVar[Scaffold]
    purpose: ClassVar[str] = "Answer the text below."
    """First line of the prompt of a pack that was made from a table."""
    job: ClassVar[DraftingJob | None] = None
    """How a model drafts such a pack; None: it cannot."""

    def __init__(self, params: Mapping[str, object]) -> None:
        read_params(self.Params, params)

    @abstractmethod
    def score(self, output: str, expected: object) -> Score: ...

    def check_expected(self, expected: object) -> None:
        """Any value will do where it is not used."""
        return

    def explain(self, text: str, expected: Any, score: Score) -> Explanation:
        """Why the score is what it is. `score` must be what this scorer gave for `text` and `expected`."""
        return Explanation(True, "The answer passed." if score.passed else "The answer did not pass.")

    def is_answer(self, text: str) -> bool | None:
        """Is the text as a whole what was asked for, with nothing around it? None: any text might be."""
        return None

    def reads(self, text: str) -> bool:
        """Is there in the text what can be scored?"""
        return not is_blank(text)

    def verdict(self, score: Score) -> str:
        """One sentence on an answer that a person tries."""
        return "This passes." if score.passed else "This does not pass."

    def tried_alone(self, text: str) -> tuple[str, bool] | None:
        """(verdict, passed) on a text by itself; None when it takes an expected value to tell."""
        if self.uses_expected:
            return None
        score = self.score(text, None)
        return self.verdict(score), bool(score.passed)

    def passing(self, expected: object) -> str:
        """Which answers pass beside the expected one, in a sentence; '' where there is nothing to say."""
        return ""

    def advise(self, adviser: Adviser, primary: bool) -> None:
        """Warns of what may mislead. primary: False for a gate."""
        return

    def form(self, expected: Sequence[object]) -> AnswerForm | None:
        """What a constrained answer is held to; None where no form is known. expected: of all examples.

        The values themselves must not enter: a form must not give an answer away.
        """
        return None

    def right_answer(self, expected: object) -> str:
        """An answer that passes, as a model would write it."""
        return expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)

    @classmethod
    def labels(cls, params: Mapping[str, object]) -> list[str]:
        """The answers to choose from, for the shape LABEL."""
        return []

    @classmethod
    def fields(cls, params: Mapping[str, object]) -> list[str]:
        """The keys of an answer that count, for the shape FIELDS."""
        return []

    @classmethod
    def blank(cls, params: Mapping[str, object]) -> object:
        """An expected value of the right kind with nothing in it."""
        if cls.shape is ExpectedShape.FIELDS:
            return dict.fromkeys(cls.fields(params))
        return 0 if cls.shape is ExpectedShape.NUMBER else ""

    @classmethod
    def preset(cls, params: Mapping[str, object]) -> Preset | None:
        """A sentence that asks for the kind of answer the scorer reads; None where there is none."""
        return None

    @classmethod
    def params_from_table(cls, columns: Sequence[str], values: Sequence[object]) -> dict[str, object]:
        """Parameters for a table of examples. columns: with the expected answer. values: of the first one."""
        return {}

    @classmethod
    def draft_faults(
        cls, params: Mapping[str, Any], expected: Sequence[object], prompt: str | None
    ) -> list[DraftFault]:
        """What is wrong with parameters and expected values that a model drafted. Never raises."""
        return []


P = TypeVar("P", bound="ScorerParams")


def read_params(model: type[P], raw: Mapping[str, object]) -> P:
    """The checked parameters. Raises BadParams with every fault."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        faults = tuple(_fault(model, raw, dict(item)) for item in error.errors(include_url=False))
        raise BadParams(faults) from None


def param_names(model: type[ScorerParams]) -> tuple[str, ...]:
    """Names as written in a pack."""
    return tuple(info.alias or name for name, info in model.model_fields.items())


def _fault(model: type[ScorerParams], raw: Mapping[str, object], error: dict[str, Any]) -> ParamFault:
    path: FieldPath = tuple(part for part in error["loc"] if part != "[key]")
    where = dotted(path)
    kind, context = error["type"], error.get("ctx", {})
    hint = _hint(model, str(path[0])) if path else ""
    found = shown(error.get("input"))
    if kind == "missing":
        return ParamFault(path, f"{where} is needed and is not there.", f"Add {where}: {hint}")
    if kind == "literal_error":
        choices = _choices(model, str(path[0]))
        near = nearest(str(error.get("input")), choices)
        meant = f" Did you mean '{near}'?" if near else ""
        return ParamFault(
            path, f"{where} is {found}, which is no choice.{meant}", f"Use {' or '.join(choices)}."
        )
    if kind in ("too_short", "list_type") and len(path) == 1:
        return ParamFault(
            path, f"{where} must be a list with at least one text; it is {found}.", f"List {hint}"
        )
    if kind == "string_type":
        return ParamFault(
            path, f"{where} must be a text; it is {found}.", f'Put it in quotes: "{shown(error.get("input"))}".'
        )
    if kind == "greater_than_equal":
        return ParamFault(path, f"{where} is {found}; it must be {context['ge']:g} or more.", f"Give {hint}")
    if kind in ("float_type", "finite_number"):
        return ParamFault(path, f"{where} must be a number; it is {found}.", f"Give {hint}")
    if kind in ("dict_type", "mapping_type"):
        return ParamFault(path, f"{where} must be a mapping of names to values; it is {found}.", f"Give {hint}")
    return ParamFault(path, f"{where} cannot be {found}.", f"Give {hint}")


def _hint(model: type[ScorerParams], name: str) -> str:
    for field_name, info in model.model_fields.items():
        if (info.alias or field_name) == name and info.description:
            text = info.description
            return text[0].lower() + text[1:]
    return "a value of the right kind."


def _choices(model: type[ScorerParams], name: str) -> tuple[str, ...]:
    return tuple(str(choice) for choice in get_args(model.model_fields[name].annotation))
