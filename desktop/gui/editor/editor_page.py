"""One open task pack: outline, form, preview and problem list around one document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop.application.example_rows import ExampleRow
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.checker import Checker
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.document_life import DocumentLife
from desktop.gui.editor.editor_bar import EditorBar
from desktop.gui.editor.editor_pages import TITLES, EditorPages
from desktop.gui.editor.examples.examples_section import ExamplesSection
from desktop.gui.editor.examples.review_section import ReviewSection
from desktop.gui.editor.form.prompt_section import PromptSection
from desktop.gui.editor.form.scorer_sections import ScorerSection
from desktop.gui.editor.form.section import Section
from desktop.gui.editor.form.text_section import TextSection
from desktop.gui.editor.likely_page import EXAMPLES, REVIEW
from desktop.gui.editor.outline import Outline
from desktop.gui.editor.preview_place import TITLE, WIDTH, PreviewPlace
from desktop.gui.editor.problems_panel import ProblemsPanel
from desktop.gui.editor.try_out.many_asked import ManyAsked
from desktop.gui.editor.try_out.preview_panel import PreviewPanel
from desktop.gui.editor.try_out.token_count import TokenCount
from desktop.gui.editor.try_out.try_panel import TryPanel
from desktop.gui.theme import Theme
from desktop.gui.widgets.notice import NoticeStrip
from desktop.gui.widgets.page_stack import PageStack
from packs.documents.problems import Problem
from packs.task.content import UnreadableContent

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

COUNTED_AT_ONCE = 1_000
"""With more problems the outline counts once its pages are there."""
LOW = 640
"""Below this height of the page the problem list shows one line."""
NARROW = 1000
"""Below this width, in design pixels, the preview is a page of its own."""


class EditorPage(QWidget):
    """Made for one document; `close_document` ends it."""

    run_asked = Signal()
    models_asked = Signal()
    title_changed = Signal(str)
    sent_to = Signal(str)
    """A computer that examples which are tried are sent to."""
    saved = Signal()
    checked = Signal()
    """The problems are those of the document as it is now."""

    def __init__(
        self,
        services: WindowServices,
        document: PackDocument,
        parent: QWidget | None = None,
        *,
        service: RunService | None = None,
        problems: tuple[Problem, ...] | None = None,
        rows: Sequence[ExampleRow] | None = None,
    ) -> None:
        """service: for trying an example at once. problems, rows: of the document, when they are known."""
        super().__init__(parent)
        theme = services.theme
        self.services = services
        self._theme = theme
        self.document = document
        self.checker = Checker(document, services.tasks, self)
        self._closed = False
        self._service = service
        self._build(theme, rows)
        self.life = DocumentLife(services, document, self.notice, self)
        self._connect()
        self.select(0)
        if problems is None:
            self._show_state()
            self.checker.check()
        else:
            self.checker.problems = problems
            self.checker.is_current = True
            self._show_problems()

    def _build(self, theme: Theme, rows: Sequence[ExampleRow] | None) -> None:
        document = self.document
        self.bar = EditorBar(theme)
        self.notice = NoticeStrip(theme)
        self.outline = Outline(theme, [*TITLES, TITLE])
        self.stack = PageStack()
        self.pages = EditorPages(theme, document, self.stack, rows, self)
        self.pages.made_one.connect(self._made)
        self.pages.completed.connect(self._share_problems)
        tasks = self.services.tasks
        self.try_panel = TryPanel(theme, self._service, tasks, document) if self._service is not None else None
        self.counting = TokenCount(self._service, tasks, self) if self._service is not None else None
        self._many = ManyAsked(theme, self._service, tasks, document, self.try_panel, self)
        self.preview = PreviewPanel(theme, document, self.try_panel, self.counting)
        self.problems = ProblemsPanel(theme, document)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.setChildrenCollapsible(False)
        across.addWidget(self.stack)
        across.addWidget(self.preview)
        across.setStretchFactor(0, 1)
        across.setSizes([theme.px(700), theme.px(WIDTH)])
        self.preview_place = PreviewPlace(theme, self.preview, across, self.outline.entries[-1])
        self.stack.addWidget(self.preview_place.page)
        upper = QWidget()
        row = QHBoxLayout(upper)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.outline)
        row.addWidget(across, 1)
        down = QSplitter(Qt.Orientation.Vertical)
        self._down = down
        self._moved = False
        down.splitterMoved.connect(self._split_moved)
        down.setChildrenCollapsible(False)
        down.addWidget(upper)
        down.addWidget(self.problems)
        down.setStretchFactor(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.notice)
        column.addWidget(down, 1)

    def _connect(self) -> None:
        document = self.document
        document.changed.connect(self._document_changed)
        document.undo.indexChanged.connect(self._show_state)
        document.undo.cleanChanged.connect(self._show_state)
        self.checker.checked.connect(self._show_problems)
        self.outline.chosen.connect(self.select)
        self.problems.asked.connect(self.reveal)
        if self.try_panel is not None:
            self.try_panel.all_asked.connect(self._many.ask_unknown)
            self.try_panel.trying.sent_to.connect(self.sent_to)
        self._many.sent_to.connect(self.sent_to)
        self._many.example_asked.connect(self._show_asked)
        self.preview.step_asked.connect(self._step_example)
        self.bar.undo_button.clicked.connect(document.undo.undo)
        self.bar.redo_button.clicked.connect(document.undo.redo)
        self.bar.save_button.clicked.connect(self.life.save)
        self.life.saved.connect(self._show_state)
        self.life.saved.connect(self.saved)
        self.bar.run_button.clicked.connect(self.run)
        self.bar.models_button.clicked.connect(self.models_asked)
        files = document.content.example_files()
        self.preview.show_example(files[0] if files else "")

    @Slot(object)
    def _made(self, section: Section) -> None:
        """A page is there now: what concerns others is connected."""
        if isinstance(section, ExamplesSection):
            section.selected.connect(self.preview.show_example)
            section.selected.connect(self._show_in_scorer)
            self.preview.show_example(section.file)
            self._show_in_scorer(section.file)
        elif isinstance(section, ReviewSection):
            section.opinion_asked.connect(self._many.ask_all)
            section.opinion_button.setVisible(self.try_panel is not None)

    @Slot(str)
    def _show_in_scorer(self, file: str) -> None:
        self.scorer.show_example(file)

    # Pages; those that are not there yet are made

    @property
    def sections(self) -> list[Section]:
        """All in the order of the outline."""
        return self.pages.all()

    @property
    def prompt(self) -> PromptSection:
        return self.pages.prompt

    @property
    def scorer(self) -> ScorerSection:
        return self.pages.scorer

    @property
    def examples(self) -> ExamplesSection:
        return self.pages.examples

    @property
    def review(self) -> ReviewSection:
        return self.pages.review

    @property
    def text(self) -> TextSection:
        return self.pages.text

    # What is shown

    @property
    def name(self) -> str:
        try:
            name = self.document.content.manifest().get("name")
        except UnreadableContent:
            name = None
        return name if isinstance(name, str) and name.strip() else self.document.folder.name

    @Slot(int)
    def select(self, number: int) -> None:
        """Show a page of the outline."""
        self.outline.choose(number)
        self.pages.shown(number)
        self.stack.setCurrentIndex(number)

    def stack_section(self) -> Section | None:
        """The page that is shown; None for the preview as a page of its own."""
        place = self.stack.currentIndex()
        return self.pages.at(place) if place < len(self.pages) else None

    @Slot(object)
    def reveal(self, problem: Problem) -> QWidget | None:
        """Lead to the place of a problem: its page, its field, its part. Returns the focused widget."""
        section = self.pages.section_of(problem)
        self.select(self.sections.index(section))
        widget = section.reveal(problem)
        if widget is not None:
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            # Also where the field consists of several parts and the message belongs to the whole.
            message = f"{problem.message} {problem.fix}".strip()
            widget.setAccessibleDescription(message)
            proxy = widget.focusProxy()
            if proxy is not None:
                proxy.setAccessibleDescription(message)
        return widget

    def show_example(self, file_id: str) -> None:
        """From elsewhere: this example, to look at or correct."""
        self.select(EXAMPLES)
        folder = self.document.content.examples_folder
        self.examples.select(f"{folder}/{file_id}.json" if folder else f"{file_id}.json")
        self.examples.input_field.edit.setFocus()

    def show_review(self) -> None:
        """The review of drafted examples, ready for its keys."""
        self.select(REVIEW)
        self.review.accept_button.setFocus()

    def panes(self) -> Sequence[QWidget]:
        return (
            self.outline.entries[self.stack.currentIndex()],
            self.stack,
            self.preview.text,
            self.problems.table,
        )

    def start_search(self) -> None:
        self.select(EXAMPLES)
        self.examples.search.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self._theme.px(NARROW) - self._theme.px(80)
        if self.preview_place.set_narrow(narrow) and self.stack_section() is None:
            self.select(0)
        self._share()

    def _share(self) -> None:
        """The problem list takes what it needs, up to a third; its heading when there are none.

        Where the person has moved the line between, it stays.
        """
        if self._moved:
            return
        whole = self._down.height()
        maximum = whole // 3 if self.height() >= self._theme.px(LOW) else self.problems.height_for(1)
        wanted = min(self.problems.height_for(len(self.problems.problems)), maximum)
        self._down.setSizes([max(whole - wanted, 1), wanted])

    @Slot()
    def _split_moved(self) -> None:
        self._moved = True

    @Slot(object)
    def _document_changed(self, files: frozenset[str]) -> None:
        self.pages.follow(files, self.stack_section())
        self.preview.refresh()
        self._show_state()

    @Slot()
    def _show_problems(self) -> None:
        self.problems.set_problems(self.checker.problems)
        if self.pages.complete:
            self._share_problems()
        elif len(self.checker.problems) <= COUNTED_AT_ONCE:
            self._count_problems(self.pages.likely_counts(self.checker.problems))
        self._share()
        self._show_state()
        self.checked.emit()

    @Slot()
    def _share_problems(self) -> None:
        """Each page gets its own, and the outline counts them."""
        self._count_problems(self.pages.share(self.checker.problems))

    def _count_problems(self, counts: Sequence[tuple[int, int]]) -> None:
        for entry, (errors, hints) in zip(self.outline.entries, counts, strict=False):
            entry.set_counts(errors, hints)

    @Slot()
    def _show_state(self) -> None:
        self.bar.show_state(self.name, self.document, self.checker.errors)
        self.title_changed.emit(self.name + ("*" if self.document.modified else ""))

    # What a person does

    def close_document(self) -> None:
        """The page is not used any more."""
        if self._closed:
            return
        self._closed = True
        self.pages.stop()
        self.life.end()
        self.checker.stop()
        if self.try_panel is not None:
            self.try_panel.trying.stop()
        if self.counting is not None:
            self.counting.stop()
        self.document.changed.disconnect(self._document_changed)
        self.document.undo.indexChanged.disconnect(self._show_state)
        self.document.undo.cleanChanged.disconnect(self._show_state)
        self.document.close()

    @Slot()
    def run(self) -> None:
        """A run reads the disk, so what is not saved is saved first."""
        if self.document.modified:
            self.life.save_then(self.run_asked.emit)
        else:
            self.run_asked.emit()

    @Slot(str)
    def _show_asked(self, name: str) -> None:
        """The review has the example and its source beside each other; without one the form has it."""
        if self.review.show_id(name):
            self.select(REVIEW)
        else:
            self.show_example(name)

    @Slot()
    def next_problem(self) -> None:
        self.problems.step(1)

    @Slot()
    def previous_problem(self) -> None:
        self.problems.step(-1)

    @Slot(int)
    def _step_example(self, by: int) -> None:
        files = self.document.content.example_files()
        if not files:
            return
        at = files.index(self.examples.file) if self.examples.file in files else 0
        self.examples.select(files[(at + by) % len(files)])
