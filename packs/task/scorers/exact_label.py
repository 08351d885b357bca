"""exact-label: the whole answer is one of the declared labels (task-pack format, 8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from packs.documents.strict_json import shown
from packs.task.scorers.base import BadExpected, BadParams, ParamFault, Score, ScorerParams, read_params
from packs.task.text import normalise


class ExactLabelParams(ScorerParams):
    labels: Annotated[
        list[str],
        Field(
            min_length=1,
            title="Labels",
            description="All answers that are allowed, one text each.",
            examples=[["billing", "shipping", "other"]],
        ),
    ]
    aliases: Annotated[
        dict[str, str],
        Field(
            default_factory=dict,
            title="Aliases",
            description="Other spellings that count as a label: the spelling, then the label it stands for.",
            examples=[{"invoice": "billing"}],
            json_schema_extra={"stands_for": "labels"},
        ),
    ]


class ExactLabel:
    name: ClassVar[str] = "exact-label"
    title: ClassVar[str] = "One of several labels"
    summary: ClassVar[str] = "The whole answer must be one of the labels; case and blanks around do not matter."
    Params: ClassVar[type[ScorerParams]] = ExactLabelParams
    uses_expected: ClassVar[bool] = True

    def __init__(self, params: Mapping[str, object]) -> None:
        self.params = read_params(ExactLabelParams, params)
        self._table = {normalise(label): label for label in self.params.labels}
        faults = []
        for alias, target in self.params.aliases.items():
            label = self._table.get(normalise(target))
            if label is None:
                faults.append(
                    ParamFault(
                        ("aliases", alias),
                        f"The alias '{alias}' stands for '{target}', which is not one of the labels.",
                        f"Use one of: {', '.join(self.params.labels)}; or add '{target}' to the labels.",
                    )
                )
            else:
                self._table[normalise(alias)] = label
        if faults:
            raise BadParams(tuple(faults))

    def resolve(self, text: str) -> str | None:
        """The declared spelling of the label that `text` is, or None."""
        return self._table.get(normalise(text))

    def check_expected(self, expected: object) -> None:
        if not isinstance(expected, str) or self.resolve(expected) is None:
            labels = ", ".join(self.params.labels[:12]) + ("…" if len(self.params.labels) > 12 else "")
            raise BadExpected(
                f"The expected value {shown(expected)} is not one of the labels.", f"Use one of: {labels}."
            )

    def score(self, output: str, expected: object) -> Score:
        assert isinstance(expected, str)
        resolved = self.resolve(output)
        passed = resolved is not None and resolved == self.resolve(expected)
        return Score(float(passed), passed, {"resolved": resolved})
