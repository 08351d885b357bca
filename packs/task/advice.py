"""Warnings: the pack can be used, but its results may mislead."""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import Any

from packs.documents.json_tree import line_and_column
from packs.documents.problems import FieldPath, Problem, Severity, dotted
from packs.documents.strict_json import shown
from packs.documents.yaml_tree import Document
from packs.registry import nearest
from packs.task.ecma_regex import EcmaPattern, is_slow
from packs.task.examples import ReadExamples, example_problem
from packs.task.manifest import Manifest, ScorerEntry
from packs.task.model import MANIFEST, Example
from packs.task.near_copies import NearInputs, given_away
from packs.task.prompt import PLACEHOLDER, least_tokens, lookalikes, render
from packs.task.scorers import SCORERS, Scorer
from packs.task.scorers.base import param_names
from packs.task.scorers.exact_label import ExactLabel
from packs.task.scorers.field_f1 import FieldF1
from packs.task.scorers.json_schema import JsonSchema
from packs.task.scorers.pattern import Pattern
from packs.task.text import is_blank, normalise, trim

FEW_EXAMPLES = 20
LOPSIDED_SHARE = 0.8
MAX_REPORTED = 20
"""Warnings of one kind that are told one by one."""
PROBING_S = 2.0
"""Processor time after which no more expressions are tried."""
MAX_PROBED = 100
"""Expressions of a scorer that are tried on texts made to slow them down."""


def advise(
    problems: list[Problem],
    document: Document,
    manifest: Manifest,
    prompt: str | None,
    prompt_path: str,
    examples: ReadExamples | None,
    scorers: list[Scorer | None],
) -> None:
    """Appends all warnings. scorers: gates in order, then the primary; None where one could not be made."""
    adviser = _Adviser(problems, document, manifest, prompt, prompt_path, examples)
    adviser.provenance()
    for entry, scorer in zip([*manifest.gates, manifest.primary], scorers, strict=True):
        adviser.unknown_params(entry)
        if scorer is not None:
            adviser.scorer(entry, scorer)
    adviser.prompt_text()
    adviser.generation()
    adviser.examples_as_a_whole()
    adviser.answers_in_prompt(scorers)
    adviser.lengths()


def same_as_number(digits: str) -> str | None:
    """Other digits that the scorer takes for the same number: '00731' → '731'; None when there are none."""
    if not re.fullmatch(r"[0-9]{2,40}", digits):
        return None
    value = int(digits)
    others = [str(value), str(value - 1), str(value + 1)]  # neighbours are the same beyond 2^53
    return next((other for other in others if other != digits and float(other) == float(value)), None)


class _Adviser:
    def __init__(
        self,
        problems: list[Problem],
        document: Document,
        manifest: Manifest,
        prompt: str | None,
        prompt_path: str,
        examples: ReadExamples | None,
    ) -> None:
        self.problems = problems
        self.reported: Counter[str] = Counter()
        self.started = time.process_time()
        self.document = document
        self.manifest = manifest
        self.prompt = prompt
        self.prompt_path = prompt_path
        self.read = examples
        self.examples = examples.examples if examples is not None else ()

    def _warn(self, path: FieldPath, code: str, message: str, fix: str, *, at_key: bool = False) -> None:
        self.reported[code] += 1
        if self.reported[code] > MAX_REPORTED:
            return
        line, column = self.document.key_place(path) if at_key else self.document.place(path)
        self.problems.append(Problem(MANIFEST, path, code, message, fix, Severity.WARNING, line, column))

    def _warn_example(self, example_id: str, path: FieldPath, code: str, message: str, fix: str) -> None:
        assert self.read is not None
        self.reported[code] += 1
        if self.reported[code] > MAX_REPORTED:
            return
        file = self.read.paths[example_id]
        content = self.read.files[file]
        self.problems.append(example_problem(file, content, path, code, message, fix, Severity.WARNING))

    def provenance(self) -> None:
        provenance = self.manifest.provenance
        if provenance is not None and provenance.label is not None:
            self._warn(
                ("provenance", "reviewed"),
                "not_reviewed",
                f"{provenance.drafted_by} drafted this pack and nobody has marked it as reviewed.",
                "Check every example, then set reviewed to true.",
            )

    def unknown_params(self, entry: ScorerEntry) -> None:
        if entry.name is None or entry.params is None:
            return
        known = param_names(SCORERS[entry.name].Params)
        for name in entry.params:
            if name not in known:
                near = nearest(name, known)
                meant = f" Did you mean '{near}'?" if near else ""
                path = (*entry.params_path, name)
                self._warn(
                    path,
                    "unknown_param",
                    f"{dotted(path)}: {entry.name} does not know '{name}'; it has no effect.{meant}",
                    f"Write '{near}', or remove it."
                    if near
                    else f"Remove it; {entry.name} knows {', '.join(known)}.",
                    at_key=True,
                )

    def scorer(self, entry: ScorerEntry, scorer: Scorer) -> None:
        if isinstance(scorer, ExactLabel):
            self._labels(entry, scorer)
        elif isinstance(scorer, FieldF1):
            self._key_fields(scorer)
        elif isinstance(scorer, Pattern):
            self._slow(
                [((*entry.params_path, "patterns", i), pattern) for i, pattern in enumerate(scorer.compiled)]
            )
        elif isinstance(scorer, JsonSchema):
            path = (*entry.params_path, "schema")
            self._slow([(path, EcmaPattern(source)) for source in scorer.patterns])
            if scorer.is_costly():
                self._warn(
                    path,
                    "slow_schema",
                    "The schema needs a great deal of work even on small answers; an answer that needs more "
                    "than one may take gets no score.",
                    "Avoid anyOf, oneOf and references that double at each level, and unevaluatedProperties "
                    "around them.",
                )

    def _slow(self, patterns: list[tuple[FieldPath, EcmaPattern]]) -> None:
        slow = 0
        for path, pattern in patterns[:MAX_PROBED]:
            # Trying is measured work like matching itself: what it may cost is bounded by the clock.
            if time.process_time() - self.started > PROBING_S:
                return
            if slow < 3 and is_slow(pattern):  # each costs its whole time limit to find
                slow += 1
                self._warn(
                    path,
                    "slow_pattern",
                    f"The expression '{pattern.source}' is very slow on some texts; an answer that it runs "
                    "out of time on gets no score.",
                    "Avoid repeats inside repeats, such as (a+)+.",
                )

    def _labels(self, entry: ScorerEntry, scorer: ExactLabel) -> None:
        path = (*entry.params_path, "labels")
        first: dict[str, str] = {}
        for index, label in enumerate(scorer.params.labels):
            folded = normalise(label)
            if is_blank(label):
                self._warn(
                    (*path, index),
                    "label_blank",
                    "A label is blank, so an empty answer would count as right.",
                    "Give it a name.",
                )
            elif folded in first:
                self._warn(
                    (*path, index),
                    "labels_collapse",
                    f"'{label}' and '{first[folded]}' are the same label to the scorer.",
                    "Keep one of them.",
                )
            first.setdefault(folded, label)
        for alias, target in scorer.params.aliases.items():
            if normalise(alias) in first and normalise(alias) != normalise(target):
                self._warn(
                    (*entry.params_path, "aliases", alias),
                    "alias_shadows_label",
                    f"The alias '{alias}' is also a label; that label now counts as '{target}'.",
                    "Remove the alias or the label.",
                )
        if entry.path:
            return
        self._label_use(path, scorer)

    def _label_use(self, path: FieldPath, scorer: ExactLabel) -> None:
        labels = scorer.params.labels
        if self.prompt is not None:
            folded = self.prompt.lower()
            for index, label in enumerate(labels):
                if not is_blank(label) and label.lower() not in folded:
                    self._warn(
                        (*path, index),
                        "label_not_in_prompt",
                        f"The prompt never names the label '{label}'; a model can only guess it.",
                        "Name every label in the prompt, spelled as here.",
                    )
        used = Counter(
            scorer.resolve(example.expected) for example in self.examples if isinstance(example.expected, str)
        )
        if not used:
            return
        for index, label in enumerate(labels):
            if scorer.resolve(label) not in used and not is_blank(label):
                self._warn(
                    (*path, index),
                    "label_unused",
                    f"No example expects '{label}', so nothing is learnt about it.",
                    "Add examples for it.",
                )
        commonest, count = used.most_common(1)[0]
        if len(labels) > 1 and len(self.examples) >= 5 and count > LOPSIDED_SHARE * len(self.examples):
            self._warn(
                path,
                "labels_lopsided",
                f"{count} of {len(self.examples)} examples expect '{commonest}'; always answering that would "
                "do well.",
                "Add examples for the other labels.",
            )

    def _key_fields(self, scorer: FieldF1) -> None:
        for example in self.examples:
            if not isinstance(example.expected, dict):
                continue
            self._codes(example, scorer.params.key_fields)
            lacking = [name for name in scorer.params.key_fields if name not in example.expected]
            if lacking:
                names = ", ".join(f"'{name}'" for name in lacking)
                self._warn_example(
                    example.id,
                    ("expected",),
                    "expected_lacks_field",
                    f"expected lacks {names}, so this example can never pass.",
                    "Add the field, with null if there is nothing to find.",
                )

    def _codes(self, example: Example, key_fields: list[str]) -> None:
        """Texts of digits that the scorer takes for numbers: `00731` equals `731` (section 6.4)."""
        for name in key_fields:
            value = example.expected.get(name)
            other = same_as_number(trim(value)) if isinstance(value, str) else None
            if other is not None:
                self._warn_example(
                    example.id,
                    ("expected", name),
                    "compared_as_number",
                    f"{name} is compared as a number, so '{value}' equals '{other}'.",
                    "Write a letter or a blank into the code, in the prompt and here, if that matters.",
                )

    def prompt_text(self) -> None:
        if self.prompt is None or PLACEHOLDER not in self.prompt:
            return
        for piece, offset in lookalikes(self.prompt.replace(PLACEHOLDER, " " * len(PLACEHOLDER))):
            if "{" not in piece:
                continue  # [input] and <input> are ordinary words of many prompts
            line, column = line_and_column(self.prompt, offset)
            self.problems.append(
                Problem(
                    self.prompt_path,
                    (),
                    "placeholder_like",
                    f"'{piece}' is sent as it stands; the place for the input is written '{PLACEHOLDER}'.",
                    f"Write {PLACEHOLDER}, or leave it if it is meant.",
                    Severity.WARNING,
                    line,
                    column,
                )
            )

    def generation(self) -> None:
        context, max_tokens = self.manifest.context, self.manifest.max_tokens
        if context is not None and max_tokens is not None and max_tokens >= context:
            self._warn(
                ("generation", "max_tokens"),
                "no_room_for_input",
                f"max_tokens ({max_tokens}) leaves no room for the prompt in a context of {context} tokens.",
                "Lower max_tokens or raise context.",
            )

    def examples_as_a_whole(self) -> None:
        if self.read is None or self.read.file_count == 0:
            return
        count = self.read.file_count
        if count < FEW_EXAMPLES:
            self._warn(
                ("examples_dir",),
                "few_examples",
                f"There {'is' if count == 1 else 'are'} only {count} example{'' if count == 1 else 's'}; with "
                f"fewer than {FEW_EXAMPLES} results say little.",
                "Add more examples; 20 to 50 are usual.",
            )
        first: dict[str, tuple[str, Any]] = {}
        near = NearInputs()
        for example in self.examples:
            earlier = first.setdefault(example.input, (example.id, example.expected))
            if earlier[0] == example.id:
                self._near(example, near)
                continue
            if shown(earlier[1], 100_000) == shown(example.expected, 100_000):
                self._warn_example(
                    example.id,
                    ("input",),
                    "duplicate_input",
                    f"The input is the same as in '{earlier[0]}'.",
                    "Remove one of the two.",
                )
            else:
                self._warn_example(
                    example.id,
                    ("expected",),
                    "contradicting_input",
                    f"'{earlier[0]}' has the same input and another expected value; one is always wrong.",
                    "Decide which is right and remove the other.",
                )

    def _near(self, example: Example, near: NearInputs) -> None:
        other = near.earlier(example, shown(example.expected, 100_000))
        if other is not None:
            self._warn_example(
                example.id,
                ("input",),
                "near_duplicate_input",
                f"The input differs from '{other}' only in case, blanks, punctuation or digits.",
                "Keep one of the two unless the difference is what is tested.",
            )

    def answers_in_prompt(self, scorers: list[Scorer | None]) -> None:
        """A model that copies from the prompt would be right without reading the input."""
        primary = scorers[-1] if scorers else None
        if self.prompt is None or primary is None or isinstance(primary, ExactLabel):
            return
        if not primary.uses_expected:
            return
        names: set[str] = set()
        for scorer in scorers:
            if isinstance(scorer, ExactLabel):
                names.update(scorer.params.labels)
            elif isinstance(scorer, FieldF1):
                names.update(scorer.params.key_fields)
        for given in given_away(self.prompt, self.examples, frozenset(names)):
            self._warn_example(
                given.example,
                given.path,
                "answer_in_prompt",
                f"The prompt contains the expected answer '{shown(given.text, 60)}'; a model could copy it.",
                "Take another text as the sample in the prompt, or remove this example.",
            )

    def lengths(self) -> None:
        context, max_tokens = self.manifest.context, self.manifest.max_tokens
        if context is None or max_tokens is None or max_tokens >= context:
            return
        used = SCORERS[self.manifest.primary.name].uses_expected if self.manifest.primary.name else False
        for example in self.examples:
            if self.prompt is not None:
                tokens = least_tokens(render(self.prompt, example.input))
                if tokens + max_tokens > context:
                    self._warn_example(
                        example.id,
                        ("input",),
                        "input_too_long",
                        f"The prompt has about {tokens} tokens or more; with {max_tokens} for the answer that "
                        f"is beyond the context of {context}.",
                        "Shorten the input or raise generation.context.",
                    )
            answer = least_tokens(shown(example.expected, 10**9)) if used else 0
            if answer > max_tokens:
                self._warn_example(
                    example.id,
                    ("expected",),
                    "answer_too_long",
                    f"The expected answer has about {answer} tokens or more and max_tokens is {max_tokens}.",
                    "Raise generation.max_tokens.",
                )
