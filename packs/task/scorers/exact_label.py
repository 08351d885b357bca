"""exact-label: the whole answer is one of the declared labels (task-pack format, 8.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field

from packs.documents.strict_json import shown
from packs.task.scorers.base import BadExpected, BadParams, ParamFault, Score, Scorer, ScorerParams, read_params
from packs.task.scorers.jobs import DraftingJob, LabelsJob
from packs.task.scorers.label_misses import label_misses
from packs.task.scorers.look_alikes import as_seen, unseen_names
from packs.task.scorers.parts import (
    MAX_OFFENDERS,
    Adviser,
    AnswerForm,
    DraftFault,
    ExpectedShape,
    Explanation,
    Preset,
    Scaffold,
    is_texts,
    lower_first,
    one_line,
    param_fault,
    texts_of,
)
from packs.task.text import is_blank, normalise

LOPSIDED_SHARE = 0.8
"""Of the examples that one label may have before it is warned of."""


class ExactLabelParams(ScorerParams):
    labels: Annotated[
        list[str],
        Field(
            min_length=1,
            title="Labels",
            description="All answers that are allowed, one text each.",
            examples=[["billing", "shipping", "other"]],
            json_schema_extra={"entry": "label"},
        ),
    ]
    aliases: Annotated[
        dict[str, str],
        Field(
            default_factory=dict,
            title="Aliases",
            description="Other spellings that count as a label: the spelling, then the label it stands for.",
            examples=[{"invoice": "billing"}],
            json_schema_extra={"stands_for": "labels", "entry": "spelling"},
        ),
    ]


_SCAFFOLD = Scaffold(
    "Sort into labels",
    "The answer is one of a few labels of yours.",
    "classification",
    """\
scorer_params:
  # All answers that are allowed. Edit: your own labels; keep one for everything else.
  labels:
    - first
    - second
    - other
  # Other spellings that count as a label, for example  misc: other
  aliases: {}
""",
    """\
Which label fits the text? The labels are first, second and other.
Answer with one label and nothing else.

Text:
{{input}}
""",
    "first",
)


class ExactLabel(Scorer):
    name: ClassVar[str] = "exact-label"
    title: ClassVar[str] = "One of several labels"
    summary: ClassVar[str] = "The whole answer must be one of the labels; case and blanks around do not matter."
    Params: ClassVar[type[ScorerParams]] = ExactLabelParams
    uses_expected: ClassVar[bool] = True
    word: ClassVar[str] = "Label"
    shape: ClassVar[ExpectedShape] = ExpectedShape.LABEL
    scaffold: ClassVar[Scaffold] = _SCAFFOLD
    purpose: ClassVar[str] = "Sort the text below."
    job: ClassVar[DraftingJob | None] = LabelsJob()

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

    def is_answer(self, text: str) -> bool | None:
        return self.resolve(text) is not None

    def reads(self, text: str) -> bool:
        return self.resolve(text) is not None

    def explain(self, text: str, expected: Any, score: Score) -> Explanation:
        wanted = self.resolve(expected)
        resolved = score.detail["resolved"]
        if score.passed:
            return Explanation(True, f"The answer is '{wanted}', as expected.")
        if resolved is not None:
            return Explanation(True, f"The answer is '{resolved}'; expected is '{wanted}'.")
        near = label_misses(self.resolve, [*self.params.labels, *self.params.aliases], text)
        why = near.misses[0].message if near.misses else near.note
        if not why:
            return Explanation(
                False, f"The answer {one_line(text)} is not one of the labels; expected is '{wanted}'."
            )
        meant = f" Expected is '{wanted}'."
        if near.label is not None:
            meant = f" It seems to mean '{near.label}'" + (
                ", as expected." if near.label == wanted else f"; expected is '{wanted}'."
            )
        return Explanation(False, f"{one_line(text)} is not a label: {lower_first(why)}{meant}", near.misses)

    @classmethod
    def draft_faults(
        cls, params: Mapping[str, Any], expected: Sequence[object], prompt: str | None
    ) -> list[DraftFault]:
        faults: list[DraftFault] = []
        labels = params.get("labels")
        if not is_texts(labels):
            faults.append(param_fault("labels", "a list of texts"))
            return faults
        assert isinstance(labels, list)
        strange = list(dict.fromkeys(repr(value) for value in expected if value not in labels))
        if strange:
            shown = ", ".join(strange[:MAX_OFFENDERS])
            faults.append(
                DraftFault(
                    "expected_not_label", f"Expected values that are no label: {shown}.", {"values": strange}
                )
            )
        if prompt is not None:
            unnamed = [label for label in labels if label.lower() not in prompt.lower()]
            if unnamed:
                faults.append(
                    DraftFault(
                        "label_not_in_prompt",
                        f"The prompt does not name: {', '.join(unnamed)}.",
                        {"labels": unnamed},
                    )
                )
        return faults

    def tried_alone(self, text: str) -> tuple[str, bool] | None:
        label = self.resolve(text)
        if label is None:
            return "This is none of the labels.", False
        return f"This is read as the label “{label}”.", True

    def form(self, expected: Sequence[object]) -> AnswerForm | None:
        return AnswerForm(labels=tuple(self.params.labels))

    def advise(self, adviser: Adviser, primary: bool) -> None:
        first: dict[str, str] = {}
        seen: dict[str, str] = {}
        for index, label in enumerate(self.params.labels):
            folded = normalise(label)
            if is_blank(label):
                adviser.warn(
                    ("labels", index),
                    "label_blank",
                    "A label is blank, so an empty answer would count as right.",
                    "Give it a name.",
                )
            elif folded in first:
                adviser.warn(
                    ("labels", index),
                    "labels_collapse",
                    f"'{label}' and '{first[folded]}' are the same label to the scorer.",
                    "Keep one of them.",
                )
            elif (other := seen.get(as_seen(label))) is not None:
                adviser.warn(
                    ("labels", index),
                    "labels_look_alike",
                    f"{shown(label)} and {shown(other)} differ only by signs that cannot be seen: "
                    f"{', '.join(unseen_names(label + other))}.",
                    "Keep one of them, or type it again without the sign.",
                )
            first.setdefault(folded, label)
            seen.setdefault(as_seen(label), label)
        for alias, target in self.params.aliases.items():
            if normalise(alias) in first and normalise(alias) != normalise(target):
                adviser.warn(
                    ("aliases", alias),
                    "alias_shadows_label",
                    f"The alias '{alias}' is also a label; that label now counts as '{target}'.",
                    "Remove the alias or the label.",
                )
        if primary:
            self._label_use(adviser)

    def _label_use(self, adviser: Adviser) -> None:
        labels = self.params.labels
        if adviser.prompt is not None:
            folded = adviser.prompt.lower()
            for index, label in enumerate(labels):
                if not is_blank(label) and label.lower() not in folded:
                    adviser.warn(
                        ("labels", index),
                        "label_not_in_prompt",
                        f"The prompt never names the label '{label}'; a model can only guess it.",
                        "Name every label in the prompt, spelled as here.",
                    )
        used = Counter(
            self.resolve(example.expected) for example in adviser.examples if isinstance(example.expected, str)
        )
        if not used:
            return
        for index, label in enumerate(labels):
            if self.resolve(label) not in used and not is_blank(label):
                adviser.warn(
                    ("labels", index),
                    "label_unused",
                    f"No example expects '{label}', so nothing is learnt about it.",
                    "Add examples for it.",
                )
        commonest, count = used.most_common(1)[0]
        if len(labels) > 1 and len(adviser.examples) >= 5 and count > LOPSIDED_SHARE * len(adviser.examples):
            adviser.warn(
                ("labels",),
                "labels_lopsided",
                f"{count} of {len(adviser.examples)} examples expect '{commonest}'; always answering that "
                "would do well.",
                "Add examples for the other labels.",
            )

    @classmethod
    def labels(cls, params: Mapping[str, object]) -> list[str]:
        return texts_of(params.get("labels"))

    @classmethod
    def preset(cls, params: Mapping[str, object]) -> Preset | None:
        labels = ", ".join(cls.labels(params))
        named = f" of these labels and nothing else: {labels}." if labels else " label and nothing else."
        return Preset("Short label", f"Answer with one{named}", 16)

    @classmethod
    def params_from_table(cls, columns: Sequence[str], values: Sequence[object]) -> dict[str, object]:
        counts = Counter(str(value).strip() for value in values)
        return {"labels": [label for label, _ in counts.most_common()]}
