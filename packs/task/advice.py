"""Warnings: the pack can be used, but its results may mislead."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
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
from packs.task.scorers.parts import AdvisedExample, ExpectedShape

FEW_EXAMPLES = 20
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

    def warn(self, path: FieldPath, code: str, message: str, fix: str, *, at_key: bool = False) -> None:
        self.reported[code] += 1
        if self.reported[code] > MAX_REPORTED:
            return
        line, column = self.document.key_place(path) if at_key else self.document.place(path)
        self.problems.append(Problem(MANIFEST, path, code, message, fix, Severity.WARNING, line, column))

    def warn_example(self, example_id: str, path: FieldPath, code: str, message: str, fix: str) -> None:
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
            self.warn(
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
                self.warn(
                    path,
                    "unknown_param",
                    f"{dotted(path)}: {entry.name} does not know '{name}'; it has no effect.{meant}",
                    f"Write '{near}', or remove it."
                    if near
                    else f"Remove it; {entry.name} knows {', '.join(known)}.",
                    at_key=True,
                )

    def scorer(self, entry: ScorerEntry, scorer: Scorer) -> None:
        scorer.advise(_ScorerAdviser(self, entry.params_path), primary=not entry.path)

    def slow(self, patterns: Sequence[tuple[FieldPath, EcmaPattern]]) -> None:
        slow = 0
        for path, pattern in patterns[:MAX_PROBED]:
            # Trying is measured work like matching itself: what it may cost is bounded by the clock.
            if time.process_time() - self.started > PROBING_S:
                return
            if slow < 3 and is_slow(pattern):  # each costs its whole time limit to find
                slow += 1
                self.warn(
                    path,
                    "slow_pattern",
                    f"The expression '{pattern.source}' is very slow on some texts; an answer that it runs "
                    "out of time on gets no score.",
                    "Avoid repeats inside repeats, such as (a+)+.",
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
            self.warn(
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
            self.warn(
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
                self.warn_example(
                    example.id,
                    ("input",),
                    "duplicate_input",
                    f"The input is the same as in '{earlier[0]}'.",
                    "Remove one of the two.",
                )
            else:
                self.warn_example(
                    example.id,
                    ("expected",),
                    "contradicting_input",
                    f"'{earlier[0]}' has the same input and another expected value; one is always wrong.",
                    "Decide which is right and remove the other.",
                )

    def _near(self, example: Example, near: NearInputs) -> None:
        other = near.earlier(example, shown(example.expected, 100_000))
        if other is not None:
            self.warn_example(
                example.id,
                ("input",),
                "near_duplicate_input",
                f"The input differs from '{other}' only in case, blanks, punctuation or digits.",
                "Keep one of the two unless the difference is what is tested.",
            )

    def answers_in_prompt(self, scorers: list[Scorer | None]) -> None:
        """A model that copies from the prompt would be right without reading the input."""
        primary = scorers[-1] if scorers else None
        if self.prompt is None or primary is None or primary.shape is ExpectedShape.LABEL:
            return
        if not primary.uses_expected:
            return
        names: set[str] = set()
        for entry, scorer in zip([*self.manifest.gates, self.manifest.primary], scorers, strict=True):
            if scorer is not None and entry.params is not None:
                names.update(scorer.labels(entry.params), scorer.fields(entry.params))
        for given in given_away(self.prompt, self.examples, frozenset(names)):
            self.warn_example(
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
                    self.warn_example(
                        example.id,
                        ("input",),
                        "input_too_long",
                        f"The prompt has about {tokens} tokens or more; with {max_tokens} for the answer that "
                        f"is beyond the context of {context}.",
                        "Shorten the input or raise generation.context.",
                    )
            answer = least_tokens(shown(example.expected, 10**9)) if used else 0
            if answer > max_tokens:
                self.warn_example(
                    example.id,
                    ("expected",),
                    "answer_too_long",
                    f"The expected answer has about {answer} tokens or more and max_tokens is {max_tokens}.",
                    "Raise generation.max_tokens.",
                )


class _ScorerAdviser:
    """What one scorer warns of, put where its parameters are written."""

    def __init__(self, pack: _Adviser, path: FieldPath) -> None:
        self._pack = pack
        self._path = path
        self.prompt = pack.prompt
        self.examples: Sequence[AdvisedExample] = pack.examples
        self.warn_example = pack.warn_example

    def warn(self, path: FieldPath, code: str, message: str, fix: str) -> None:
        self._pack.warn((*self._path, *path), code, message, fix)

    def slow(self, patterns: Sequence[tuple[FieldPath, EcmaPattern]]) -> None:
        self._pack.slow([((*self._path, *path), pattern) for path, pattern in patterns])
