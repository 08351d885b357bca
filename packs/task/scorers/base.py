"""What every scorer is: checked parameters, and a judgement that never raises for a model's answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from packs.documents.problems import FieldPath, dotted
from packs.documents.strict_json import shown
from packs.registry import nearest


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


class Scorer(Protocol):
    """One way of scoring.

    Made from raw parameters; raises BadParams. `check_expected` raises BadExpected. `score` is pure and raises
    nothing for a model's answer; it expects a value that `check_expected` accepted.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    Params: ClassVar[type[ScorerParams]]
    uses_expected: ClassVar[bool]

    def __init__(self, params: Mapping[str, object]) -> None: ...

    def check_expected(self, expected: object) -> None: ...

    def score(self, output: str, expected: object) -> Score: ...


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
