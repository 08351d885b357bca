"""Review of drafted examples, made for the keyboard: the source on the left, the example on the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.examples.expected_field import ExpectedField, labels_of
from desktop.gui.editor.examples.input_field import InputField
from desktop.gui.editor.examples.label_keys import LabelKeys
from desktop.gui.editor.examples.review_progress import ReviewProgress
from desktop.gui.editor.examples.shared_words import shared_piece
from desktop.gui.editor.form.fields import YesNoField
from desktop.gui.editor.form.section import Section
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.plain_text import fill, text_of
from packs.documents.problems import Problem
from packs.errors import AppError
from packs.statistics.reviewing import wrong_at_most
from packs.task.content import Change, UnreadableContent
from packs.task.model import MANIFEST
from packs.task.new_pack import NewExample, example_text
from packs.task.review import REVIEW_FILE, Review, ReviewState, review_bytes


class ReviewSection(Section):
    """One key each: A accept and next, E edit, R reject, B back, 1 to 9 this label and next.

    Every decision is a step of undo that is saved at once.
    """

    opinion_asked = Signal()
    """Another model is to answer all examples, to be compared with what is expected."""

    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(theme, document, "Review")
        self.example_id = ""
        self._marked = ""
        """The example whose place is marked in the source."""
        self.state = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED)
        self.heading.addWidget(self.state)
        self.reviewed = YesNoField(
            theme,
            document,
            MANIFEST,
            ("provenance", "reviewed"),
            "Reviewed by a person",
            "I have checke&d every example",
            note="A model drafted this pack; reports say so until this is ticked.",
        )
        self.body.addWidget(self.reviewed)
        self._empty = EmptyState(theme, "This pack was not drafted by a model, so there is nothing to review.")
        self.body.addWidget(self._empty, 1)
        self._page = QWidget()
        column = QVBoxLayout(self._page)
        column.setContentsMargins(0, 0, 0, 0)
        self.progress = ReviewProgress(theme)
        column.addWidget(self.progress)
        self.tells = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, wrap=True, firm=True)
        column.addWidget(self.tells)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        left = QWidget()
        left_column = QVBoxLayout(left)
        left_column.setContentsMargins(0, 0, theme.px(8), 0)
        self._where = TextLabel(theme, "", bold=True)
        self.source = QPlainTextEdit()
        self.source.setReadOnly(True)
        self.source.setTabChangesFocus(True)
        self.source.setAccessibleName("Source passage")
        left_column.addWidget(self._where)
        left_column.addWidget(self.source, 1)
        right = QWidget()
        right_column = QVBoxLayout(right)
        right_column.setContentsMargins(theme.px(8), 0, 0, 0)
        self._name = TextLabel(theme, "", bold=True)
        self.input_field = InputField(theme, document, lines=2)
        self.expected_field = ExpectedField(theme, document)
        self.fields = [self.input_field, self.expected_field]
        right_column.addWidget(self._name)
        right_column.addWidget(self.input_field, 1)
        right_column.addWidget(self.expected_field)
        split.addWidget(left)
        split.addWidget(right)
        column.addWidget(split, 1)
        self.labels = LabelKeys(theme)
        self.labels.chosen.connect(self.choose_label)
        column.addWidget(self.labels)
        self.accept_button = Button(theme, "Accept", icon="tick", key="A", primary=True)
        self.edit_button = Button(theme, "Edit", icon="edit", key="E")
        self.reject_button = Button(theme, "Reject", icon="cross", key="R")
        self.back_button = Button(theme, "Back", icon="arrow-left", key="B")
        row = QHBoxLayout()
        for button in (self.accept_button, self.edit_button, self.reject_button, self.back_button):
            row.addWidget(button)
        row.addStretch(1)
        self.opinion_button = Button(theme, "Second &opinion…", icon="compare")
        self.opinion_button.clicked.connect(self.opinion_asked)
        row.addWidget(self.opinion_button)
        column.addLayout(row)
        self.body.addWidget(self._page, 1)
        self.accept_button.clicked.connect(self.accept)
        self.edit_button.clicked.connect(self.edit)
        self.reject_button.clicked.connect(self.reject)
        self.back_button.clicked.connect(self.back)
        done = QShortcut(QKeySequence("Ctrl+Return"), self)
        done.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        done.activated.connect(self.accept)
        self.refresh()

    def owns(self, problem: Problem) -> bool:
        return problem.file == MANIFEST and problem.path[:1] == ("provenance",)

    def shows(self, problem: Problem) -> bool:
        return problem.path == ("provenance", "reviewed")

    def reveal(self, problem: Problem) -> QWidget | None:
        """The next decision; the tick where no state of a review is kept."""
        widget = self.accept_button if self.document.review() is not None else self.reviewed.box
        self.reviewed.set_problem(problem)
        widget.setFocus()
        return widget

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """What is wrong with an example is told in Examples; here it would stand in the way."""
        own = (problem for problem in problems if problem.path == ("provenance", "reviewed"))
        self.reviewed.set_problem(next(own, None))

    def refresh(self) -> None:
        review = self.document.review()
        has = review is not None and bool(review.examples)
        drafted = self._drafted()
        self._page.setVisible(has)
        self.reviewed.setVisible(drafted and not has)
        self.reviewed.refresh()
        self._empty.setVisible(not has and not drafted)
        if review is None or not has:
            self.state.setText("")
            return
        if self.example_id not in review.examples:
            self.example_id = next(iter(review.undecided), next(iter(review.examples)))
        self._show(review)

    def _drafted(self) -> bool:
        try:
            return isinstance(self.document.content.manifest().get("provenance"), dict)
        except UnreadableContent:
            return False

    def _show(self, review: Review) -> None:
        example = review.examples[self.example_id]
        passages = [review.passages[key] for key in example.passages]
        places = list(dict.fromkeys(passage.where for passage in passages if passage.where))
        where = places[0] if len(places) == 1 else f"{places[0]} to {places[-1]}" if places else ""
        self._where.setText(f"{review.source}, {where}" if where else review.source)
        text = "\n\n".join(passage.text for passage in passages)
        before = text_of(self.source)
        fill(self.source, text, editable=False)
        if text_of(self.source) != before:
            self._marked = ""
        if self._marked != self.example_id:
            self._marked = self.example_id
            self._mark(example.drafted_input)
        file = self._file(self.example_id)
        gone = file not in self.document.content.files
        number = list(review.examples).index(self.example_id) + 1
        self._name.setText(
            f"Example {self.example_id} ({number} of {len(review.examples)}): {_TEXTS[example.state]}"
        )
        self.input_field.show_file("" if gone else file)
        self.expected_field.show_file("" if gone else file)
        for field in self.fields:
            field.setEnabled(not gone)
        self.labels.show_labels(
            labels_of(self.document.content), example.drafted_expected if gone else self._expected(file)
        )
        decided = len(review.examples) - len(review.undecided)
        self.state.setText(
            "All decided: this pack counts as reviewed."
            if review.complete
            else f"{decided} of {len(review.examples)} decided"
        )
        self.tells.setText(tells(review))
        self.tells.setVisible(bool(self.tells.text()))
        self.progress.show_states([entry.state for entry in review.examples.values()], number - 1)

    def _mark(self, drafted: str) -> None:
        """The longest piece that the example shares with the passage."""
        passage = text_of(self.source)
        found = shared_piece(passage, drafted)
        cursor = self.source.textCursor()
        if found is None:
            cursor.setPosition(0)
        else:
            start, length = found
            # Qt counts in UTF-16.
            place = len(passage[:start].encode("utf-16-le", "surrogatepass")) // 2
            size = len(passage[start : start + length].encode("utf-16-le", "surrogatepass")) // 2
            cursor.setPosition(place)
            cursor.setPosition(place + size, cursor.MoveMode.KeepAnchor)
        self.source.setTextCursor(cursor)
        self.source.ensureCursorVisible()

    # Decisions

    @Slot()
    def accept(self) -> None:
        """As it stands: accepted, or edited when it is not as drafted. Goes on to the next open one."""
        review = self.document.review()
        if review is None or self.example_id not in review.examples:
            return
        example = review.examples[self.example_id]
        file = self._file(self.example_id)
        files: dict[str, bytes | None] = {}
        state = ReviewState.ACCEPTED
        if file not in self.document.content.files:
            files[file] = example_text(NewExample(example.drafted_input, example.drafted_expected)).encode()
        elif not self._as_drafted(file, example.drafted_input, example.drafted_expected):
            state = ReviewState.EDITED
        self._decide(review, state, files, f"accept example {self.example_id}")

    @Slot()
    def reject(self) -> None:
        """Out of the pack; what was drafted stays in the review and can be accepted again."""
        review = self.document.review()
        if review is not None and self.example_id in review.examples:
            self._decide(
                review,
                ReviewState.REJECTED,
                {self._file(self.example_id): None},
                f"reject example {self.example_id}",
            )

    @Slot(str)
    def choose_label(self, label: str) -> None:
        """This label is the right answer: decided, and on to the next open one, all by one key."""
        review = self.document.review()
        if review is None or self.example_id not in review.examples:
            return
        example = review.examples[self.example_id]
        file = self._file(self.example_id)
        content = self.document.content
        files: dict[str, bytes | None] = {}
        text: object = example.drafted_input
        if file not in content.files:
            files[file] = example_text(NewExample(example.drafted_input, label)).encode()
        else:
            try:
                files.update(content.put(file, ("expected",), label).after)
                text = content.tree(file).get("input")
            except (AppError, AttributeError, KeyError, UnreadableContent):
                # A file that is no example is mended in Examples, not by one key.
                return
        as_drafted = text == example.drafted_input and label == example.drafted_expected
        state = ReviewState.ACCEPTED if as_drafted else ReviewState.EDITED
        self._decide(review, state, files, f"choose {label} for example {self.example_id}")

    def show_id(self, name: str) -> bool:
        """Go to one example; returns whether the review has it."""
        review = self.document.review()
        if review is None or name not in review.examples:
            return False
        self.example_id = name
        self._show(review)
        return True

    @Slot()
    def edit(self) -> None:
        """Into the text; Ctrl+Enter accepts it as changed."""
        self.input_field.edit.setFocus()

    @Slot()
    def back(self) -> None:
        review = self.document.review()
        if review is None:
            return
        names = list(review.examples)
        place = names.index(self.example_id) if self.example_id in names else 0
        self.example_id = names[max(place - 1, 0)]
        self._show(review)
        self.accept_button.setFocus()

    def _decide(self, review: Review, state: ReviewState, files: dict[str, bytes | None], label: str) -> None:
        decided = review.decided(self.example_id, state)
        files[REVIEW_FILE] = review_bytes(decided)
        content = self.document.content
        try:
            change = content.put_files(files, label)
            change = self._with_reviewed(change, decided.complete)
            self.document.push(change, {*change.after, self._file(self.example_id)})
        except AppError:
            return
        names = list(decided.examples)
        after = names[names.index(self.example_id) + 1 :]
        self.example_id = next(
            (name for name in (*after, *names) if decided.examples[name].state is ReviewState.DRAFTED),
            self.example_id,
        )
        self.refresh()
        self.accept_button.setFocus()

    def _with_reviewed(self, change: Change, complete: bool) -> Change:
        """With the last decision `provenance.reviewed` becomes true, and false when one is open again."""
        content = self.document.content
        try:
            if content.value(MANIFEST, ("provenance", "reviewed")) is complete:
                return change
            manifest = content.put(MANIFEST, ("provenance", "reviewed"), complete)
        except (KeyError, UnreadableContent):
            return change
        return Change(change.label, {**change.before, **manifest.before}, {**change.after, **manifest.after})

    def _as_drafted(self, file: str, text: str, expected: object) -> bool:
        try:
            tree = self.document.content.tree(file)
        except UnreadableContent:
            return False
        return isinstance(tree, dict) and tree.get("input") == text and tree.get("expected") == expected

    def _expected(self, file: str) -> object:
        try:
            return self.document.content.value(file, ("expected",))
        except (KeyError, UnreadableContent):
            return None

    def _file(self, name: str) -> str:
        folder = self.document.content.examples_folder
        return f"{folder}/{name}.json" if folder else f"{name}.json"


_TEXTS = {
    ReviewState.DRAFTED: "not decided",
    ReviewState.ACCEPTED: "accepted",
    ReviewState.EDITED: "accepted as changed",
    ReviewState.REJECTED: "rejected",
}


def tells(review: Review) -> str:
    """What the decisions so far say about the examples that are still open, in one or two sentences."""
    total, left = len(review.examples), len(review.undecided)
    decided = total - left
    if not left or not decided:
        return ""
    wrong = sum(
        example.state in (ReviewState.EDITED, ReviewState.REJECTED) for example in review.examples.values()
    )
    others = wrong_at_most(total, decided, wrong) - wrong
    return (
        f"{wrong} of {decided} were not right as drafted. If these were picked by chance, at most {others} "
        f"of the {left} others are not right either (95 % sure)."
    )
