"""The pages of an open task pack: which there are, whose a problem is, and how they follow edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Slot

from desktop.application.example_rows import ExampleRow
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.examples.examples_section import ExamplesSection
from desktop.gui.editor.examples.review_section import ReviewSection
from desktop.gui.editor.form.lazy_sections import LazySections
from desktop.gui.editor.form.prompt_section import PromptSection
from desktop.gui.editor.form.scorer_sections import GatesSection, ScorerSection
from desktop.gui.editor.form.section import Section
from desktop.gui.editor.form.simple_sections import GenerationSection, TaskSection
from desktop.gui.editor.form.text_section import TextSection
from desktop.gui.editor.likely_page import EXAMPLES, PROMPT, REVIEW, SCORER, TEXT, likely_page
from desktop.gui.theme import Theme
from desktop.gui.widgets.page_stack import PageStack
from packs.documents.problems import Problem, Severity
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST

TITLES = ("Task", "Prompt", "Scorer", "Gates", "Generation", "Examples", "Review", "Files as text")

S = TypeVar("S", bound=Section)


class EditorPages(LazySections):
    """rows: of the examples, when they are known already."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        stack: PageStack,
        rows: Sequence[ExampleRow] | None,
        parent: QObject,
    ) -> None:
        self._theme = theme
        self._document = document
        self._rows = rows
        self._stale: set[Section] = set()
        """Pages that are brought up to date when they are shown."""
        makers: list[Callable[[], Section]] = [
            partial(TaskSection, theme, document),
            partial(PromptSection, theme, document),
            partial(ScorerSection, theme, document),
            partial(GatesSection, theme, document),
            partial(GenerationSection, theme, document),
            self._make_examples,
            partial(ReviewSection, theme, document),
            partial(TextSection, theme, document),
        ]
        super().__init__(stack, makers, parent)
        self.made_one.connect(self._made)

    def stop(self) -> None:
        super().stop()
        for section in self.made:
            if isinstance(section, ExamplesSection):
                section.pasting.stop()

    def _make_examples(self) -> ExamplesSection:
        return ExamplesSection(self._theme, self._document, self._rows)

    @Slot(object)
    def _made(self, section: Section) -> None:
        if isinstance(section, TextSection):
            self._stale.add(section)

    # Which there are; a page that is not there yet is made

    @property
    def prompt(self) -> PromptSection:
        return self._as(PROMPT, PromptSection)

    @property
    def scorer(self) -> ScorerSection:
        return self._as(SCORER, ScorerSection)

    @property
    def examples(self) -> ExamplesSection:
        return self._as(EXAMPLES, ExamplesSection)

    @property
    def review(self) -> ReviewSection:
        return self._as(REVIEW, ReviewSection)

    @property
    def text(self) -> TextSection:
        return self._as(TEXT, TextSection)

    def _as(self, number: int, kind: type[S]) -> S:
        section = self.at(number)
        assert isinstance(section, kind)
        return section

    def shown(self, number: int) -> Section | None:
        """The page of this number, which is going to be seen, as the document is now; None for another page."""
        if number >= len(self):
            return None
        section = self.at(number)
        if section in self._stale:
            self._stale.discard(section)
            section.refresh()
        return section

    # Problems

    def section_of(self, problem: Problem) -> Section:
        """The page that has a field for a problem; the files as text for what no form can show."""
        if problem.file == MANIFEST and not (problem.path and self._manifest_readable()):
            return self.text
        pages = map(self.at, range(len(self)))
        return next(
            (section for section in pages if section.owns(problem) and section.shows(problem)),
            self.text,
        )

    def share(self, problems: Sequence[Problem]) -> list[tuple[int, int]]:
        """Each page gets its own. Returns (errors, hints) of each page."""
        by_section: dict[Section, list[Problem]] = {section: [] for section in self.all()}
        for problem in problems:
            by_section[self.section_of(problem)].append(problem)
        counts = []
        for section, own in by_section.items():
            section.show_problems(own)
            errors = sum(problem.severity is Severity.ERROR for problem in own)
            counts.append((errors, len(own) - errors))
        return counts

    def likely_counts(self, problems: Sequence[Problem]) -> list[tuple[int, int]]:
        """The same counts while pages are missing, without making them."""
        errors, hints = [0] * len(self), [0] * len(self)
        for problem in problems:
            counts = errors if problem.severity is Severity.ERROR else hints
            counts[likely_page(problem, self._document.content)] += 1
        return list(zip(errors, hints, strict=True))

    def _manifest_readable(self) -> bool:
        try:
            return isinstance(self._document.content.tree(MANIFEST), dict)
        except UnreadableContent:
            return False

    # Edits

    def follow(self, files: frozenset[str], seen: Section | None) -> None:
        """These files have changed. seen: the page that is shown; what costs time waits until it is."""
        self._rows = None
        made = self.made
        examples = next((section for section in made if isinstance(section, ExamplesSection)), None)
        if examples is not None:
            examples.refresh_files(files)
        alone = files == {self._document.content.prompt_file}
        if examples is None or not examples.owns_files(files):
            for section in made:
                if isinstance(section, ExamplesSection | ReviewSection | TextSection):
                    continue
                if not alone or isinstance(section, PromptSection):
                    section.refresh()
        for section in made:
            if isinstance(section, ReviewSection | TextSection):
                if section is seen:
                    section.refresh()
                else:
                    self._stale.add(section)
        if examples is not None and examples.file in files:
            self.scorer.show_example(examples.file)
