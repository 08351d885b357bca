"""One open task pack: outline, form, preview and problem list around one document."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop.gui.editor.checker import Checker
from desktop.gui.editor.document import PackDocument
from desktop.gui.editor.document_life import DocumentLife
from desktop.gui.editor.example_rows import ExampleRow
from desktop.gui.editor.examples_section import ExamplesSection
from desktop.gui.editor.opinion_dialog import OpinionDialog
from desktop.gui.editor.outline import Outline
from desktop.gui.editor.preview_panel import PreviewPanel
from desktop.gui.editor.preview_place import TITLE, PreviewPlace
from desktop.gui.editor.problems_panel import ProblemsPanel
from desktop.gui.editor.prompt_section import PromptSection
from desktop.gui.editor.review_section import ReviewSection
from desktop.gui.editor.scorer_sections import GatesSection, ScorerSection
from desktop.gui.editor.section import Section
from desktop.gui.editor.simple_sections import GenerationSection, TaskSection
from desktop.gui.editor.text_section import TextSection
from desktop.gui.editor.try_panel import TryPanel
from desktop.gui.runs.services import RunDesk
from desktop.gui.services import Services
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.notice import NoticeStrip
from desktop.gui.widgets.page_stack import PageStack
from desktop.gui.widgets.panel import PageBar
from desktop.gui.widgets.scroll_page import ScrollPage
from packs.problems import Problem, Severity
from packs.task.content import Unreadable
from packs.task.model import MANIFEST
from packs.task.trial import is_unknown

LOW = 640
"""Below this height of the page the problem list shows one line."""
NARROW = 1000
"""Below this width, in design pixels, the preview is a page of its own."""


class EditorPage(QWidget):
    """Made for one document; `close_document` ends it."""

    run_asked = Signal()
    models_asked = Signal()
    title_changed = Signal(str)
    saved = Signal()
    checked = Signal()
    """The problems are those of the document as it is now."""

    def __init__(
        self,
        services: Services,
        document: PackDocument,
        parent: QWidget | None = None,
        *,
        desk: RunDesk | None = None,
        problems: tuple[Problem, ...] | None = None,
        rows: Sequence[ExampleRow] | None = None,
    ) -> None:
        """desk: for trying an example at once. problems, rows: of the document, when they are known already."""
        super().__init__(parent)
        theme = services.theme
        self._services = services
        self._theme = theme
        self.document = document
        self.checker = Checker(document, services.tasks, self)
        self._closed = False
        self._rows = rows
        self._desk = desk
        self._stale: set[Section] = set()
        """Pages that are brought up to date when they are shown."""
        self._build(theme)
        self.life = DocumentLife(services, document, self.notice, self)
        self._connect()
        self._stale.add(self.text)
        self.select(0)
        if problems is None:
            self._show_state()
            self.checker.check()
        else:
            self.checker.problems = problems
            self.checker.is_current = True
            self._show_problems()

    def _build(self, theme: object) -> None:
        theme = self._theme
        document = self.document
        self.bar = PageBar(theme, "")
        self.undo_button = Button(theme, "Undo", icon="undo")
        self.redo_button = Button(theme, "Redo", icon="redo")
        self.save_button = Button(theme, "Save", icon="save", key="Ctrl+S")
        # The menu has the key; a button beside it with the same one would make both do nothing.
        self.save_button.setShortcut(QKeySequence())
        self.models_button = Button(theme, "Which &models fit?", icon="model")
        self.run_button = Button(theme, "R&un…", icon="play", primary=True)
        buttons = (self.undo_button, self.redo_button, self.models_button, self.save_button, self.run_button)
        for button in buttons:
            self.bar.add(button)
        self.notice = NoticeStrip(theme)
        self.examples = ExamplesSection(theme, document, self._rows)
        self.prompt = PromptSection(theme, document)
        self.scorer = ScorerSection(theme, document)
        self.text = TextSection(theme, document)
        self.review = ReviewSection(theme, document)
        self.sections: list[Section] = [
            TaskSection(theme, document),
            self.prompt,
            self.scorer,
            GatesSection(theme, document),
            GenerationSection(theme, document),
            self.examples,
            self.review,
            self.text,
        ]
        self.outline = Outline(theme, [*(section.title for section in self.sections), TITLE])
        self.stack = PageStack()
        for section in self.sections:
            self.stack.addWidget(ScrollPage(section))
        tasks = self._services.tasks
        self.try_panel = TryPanel(theme, self._desk, tasks, document) if self._desk is not None else None
        self.preview = PreviewPanel(theme, document, self.try_panel)
        self.problems = ProblemsPanel(theme, document)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.setChildrenCollapsible(False)
        across.addWidget(self.stack)
        across.addWidget(self.preview)
        across.setStretchFactor(0, 1)
        across.setSizes([700, 320])
        self.preview_place = PreviewPlace(self.preview, across, self.outline.entries[-1])
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
        self.examples.selected.connect(self.preview.show_example)
        self.examples.selected.connect(self.scorer.show_example)
        if self.try_panel is not None:
            self.try_panel.all_asked.connect(self._ask_unknown)
            self.review.opinion_asked.connect(self._second_opinion)
        self.review.opinion_button.setVisible(self.try_panel is not None)
        self.preview.step_asked.connect(self._step_example)
        self.undo_button.clicked.connect(document.undo.undo)
        self.redo_button.clicked.connect(document.undo.redo)
        self.save_button.clicked.connect(self.life.save)
        self.life.saved.connect(self._show_state)
        self.life.saved.connect(self.saved)
        self.run_button.clicked.connect(self._run)
        self.models_button.clicked.connect(self.models_asked)
        self.preview.show_example(self.examples.file)
        self.scorer.show_example(self.examples.file)

    # What is shown

    @property
    def name(self) -> str:
        try:
            name = self.document.content.manifest().get("name")
        except Unreadable:
            name = None
        return name if isinstance(name, str) and name.strip() else self.document.folder.name

    @Slot(int)
    def select(self, number: int) -> None:
        """Show a page of the outline."""
        self.outline.choose(number)
        section = self.sections[number] if number < len(self.sections) else None
        if section is not None and section in self._stale:
            self._stale.discard(section)
            section.refresh()
        self.stack.setCurrentIndex(number)

    def stack_section(self) -> Section | None:
        """The page that is shown; None for the preview as a page of its own."""
        place = self.stack.currentIndex()
        return self.sections[place] if place < len(self.sections) else None

    @Slot(object)
    def reveal(self, problem: Problem) -> QWidget | None:
        """Lead to the place of a problem: its page, its field, its part. Returns the focused widget."""
        section = self.section_of(problem)
        self.select(self.sections.index(section))
        widget = section.reveal(problem)
        if widget is not None:
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            # Also where the field consists of several parts and the message belongs to the whole.
            words = f"{problem.message} {problem.fix}".strip()
            widget.setAccessibleDescription(words)
            proxy = widget.focusProxy()
            if proxy is not None:
                proxy.setAccessibleDescription(words)
        return widget

    def section_of(self, problem: Problem) -> Section:
        """The page that has a field for a problem; the files as text for what no form can show."""
        if problem.file == MANIFEST and not (problem.path and self._manifest_readable()):
            return self.text
        return next(
            (section for section in self.sections if section.owns(problem) and section.shows(problem)),
            self.text,
        )

    def show_example(self, file_id: str) -> None:
        """From elsewhere: this example, to look at or correct."""
        self.select(self.sections.index(self.examples))
        folder = self.document.content.examples_folder
        self.examples.select(f"{folder}/{file_id}.json" if folder else f"{file_id}.json")
        self.examples.input_field.edit.setFocus()

    def show_review(self) -> None:
        """The review of drafted examples, ready for its keys."""
        self.select(self.sections.index(self.review))
        self.review.accept_button.setFocus()

    def panes(self) -> Sequence[QWidget]:
        return (
            self.outline.entries[self.stack.currentIndex()],
            self.stack,
            self.preview.text,
            self.problems.table,
        )

    def start_search(self) -> None:
        self.select(self.sections.index(self.examples))
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
        most = whole // 3 if self.height() >= self._theme.px(LOW) else self.problems.height_for(1)
        wanted = min(self.problems.height_for(len(self.problems.problems)), most)
        self._down.setSizes([max(whole - wanted, 1), wanted])

    @Slot()
    def _split_moved(self) -> None:
        self._moved = True

    def _manifest_readable(self) -> bool:
        try:
            return isinstance(self.document.content.tree(MANIFEST), dict)
        except Unreadable:
            return False

    @Slot(object)
    def _document_changed(self, files: frozenset[str]) -> None:
        self.examples.refresh_files(files)
        forms: Sequence[Section] = (
            (self.prompt,) if files == {self.document.content.prompt_file} else self.sections
        )
        if not all(self.examples.owns_file(file) for file in files):
            for section in forms:
                if section not in (self.examples, self.review, self.text):
                    section.refresh()
        for section in (self.review, self.text):
            if section is self.stack_section():
                section.refresh()
            else:
                self._stale.add(section)
        if self.examples.file in files:
            self.scorer.show_example(self.examples.file)
        self.preview.refresh()
        self._show_state()

    @Slot()
    def _show_problems(self) -> None:
        problems = self.checker.problems
        by_section: dict[Section, list[Problem]] = {section: [] for section in self.sections}
        for problem in problems:
            by_section[self.section_of(problem)].append(problem)
        for section, entry in zip(self.sections, self.outline.entries, strict=False):
            own = by_section[section]
            section.show_problems(own)
            errors = sum(problem.severity is Severity.ERROR for problem in own)
            entry.set_counts(errors, len(own) - errors)
        self.problems.set_problems(problems)
        self._share()
        self._show_state()
        self.checked.emit()

    @Slot()
    def _show_state(self) -> None:
        undo = self.document.undo
        self.undo_button.setEnabled(undo.canUndo())
        self.redo_button.setEnabled(undo.canRedo())
        self.undo_button.setToolTip(undo.undoText())
        self.redo_button.setToolTip(undo.redoText())
        words = f": {undo.undoText()}" if undo.canUndo() else ""
        self.undo_button.setAccessibleName(f"Undo{words}")
        modified = self.document.modified
        self.save_button.setEnabled(modified)
        self.bar.set_words(self.name, "Task pack · " + ("changed, not saved" if modified else "saved"))
        errors = self.checker.errors
        self.run_button.setEnabled(errors == 0)
        why = "It can be run once its problems are mended." if errors else ""
        self.run_button.setToolTip(why)
        self.run_button.setAccessibleDescription(why)
        self.title_changed.emit(self.name + ("*" if modified else ""))

    # What a person does

    def close_document(self) -> None:
        """The page is not used any more."""
        if self._closed:
            return
        self._closed = True
        self.life.end()
        self.checker.stop()
        if self.try_panel is not None:
            self.try_panel.trying.stop()
        self.document.changed.disconnect(self._document_changed)
        self.document.undo.indexChanged.disconnect(self._show_state)
        self.document.undo.cleanChanged.disconnect(self._show_state)
        self.document.close()

    @Slot()
    def _run(self) -> None:
        """A run reads the disk, so what is not saved is saved first."""
        if not self.document.modified or self.life.save():
            self.run_asked.emit()

    @Slot()
    def _ask_unknown(self) -> None:
        content = self.document.content
        self._ask_many(
            [file for file in content.example_files() if is_unknown(content, file)],
            "What does a model answer where no answer is known?",
        )

    @Slot()
    def _second_opinion(self) -> None:
        self._ask_many(list(self.document.content.example_files()), "What does another model answer?")

    def _ask_many(self, files: list[str], title: str) -> None:
        if self._desk is None or not files:
            return
        dialog = OpinionDialog(
            self._theme, self._desk, self._services.tasks, self.document, files, title, self.window()
        )
        dialog.asked.connect(self._show_asked)
        dialog.open()

    @Slot(str)
    def _show_asked(self, file: str) -> None:
        """The review has the example and its source beside each other; without one the form has it."""
        name = file.rsplit("/", 1)[-1].removesuffix(".json")
        if self.review.show_id(name):
            self.select(self.sections.index(self.review))
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
