"""An opened pack as it is: name, examples and problems. For packs that no form is made for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop.application.opened_pack import OpenedPack, PackKind, ShownExample
from desktop.gui.core.window_services import WindowServices
from desktop.gui.theme import Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.chip import Chip, chip
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import PageBar, Panel
from desktop.gui.widgets.problems_table import ProblemsTable
from desktop.gui.widgets.roles import RUNS_ROLE
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import Run, Runs, RunsDelegate, one_line

_MAX_SHOWN = 300
"""Characters of a text that go into a cell; the tooltip has more."""


def _example_columns() -> list[Column[ShownExample]]:
    def mono(text: str) -> Runs:
        return Runs((Run(text[:_MAX_SHOWN], kind=Type.MONO),))

    return [
        Column("No.", lambda example: example.id, roles={RUNS_ROLE: lambda example: mono(example.id)}),
        Column(
            "Input",
            lambda example: one_line(example.input[:_MAX_SHOWN]),
            tooltip=lambda example: example.input[:2000],
        ),
        Column(
            "Expected",
            lambda example: one_line(example.expected[:_MAX_SHOWN]),
            tooltip=lambda example: example.expected[:2000],
            roles={RUNS_ROLE: lambda example: mono(one_line(example.expected[:_MAX_SHOWN]))},
        ),
    ]


class ReadPage(QWidget):
    """One opened pack to look at."""

    run_asked = Signal()
    check_asked = Signal()
    models_asked = Signal()
    """Which models fit this pack?"""

    def __init__(self, services: WindowServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = services.theme
        self._theme = theme
        self._pack: OpenedPack | None = None
        self.bar = PageBar(theme, "")
        self.folder_button = Button(theme, "Show &folder", icon="open")
        self.folder_button.clicked.connect(self._show_folder)
        self.check_button = Button(theme, "&Check again", icon="refresh")
        self.check_button.clicked.connect(self.check_asked)
        self.models_button = Button(theme, "Which &models fit?", icon="model")
        self.models_button.clicked.connect(self.models_asked)
        self.run_button = Button(theme, "&Run…", icon="play", primary=True)
        self.run_button.clicked.connect(self.run_asked)
        for button in (self.folder_button, self.check_button, self.models_button, self.run_button):
            self.bar.add(button)
        self.problems = ProblemsTable(theme)
        self.problems_panel = Panel(theme, "Problems", padding=0, ruled=True)
        self._counts = (Chip(theme, chip("")), Chip(theme, chip("")))
        for counter in self._counts:
            self.problems_panel.heading.addWidget(counter)
        self._none = QWidget()
        none_row = QHBoxLayout(self._none)
        self._none_chip = Chip(theme, chip("No problems", Tone.GOOD, sign="tick"))
        none_row.addWidget(self._none_chip)
        none_row.addStretch(1)
        self.problems_panel.body.addWidget(self.problems, 1)
        self.problems_panel.body.addWidget(self._none)
        self.examples_model = RowsModel(_example_columns(), self)
        self.examples = Table(theme, "Examples", framed=False)
        self.examples.setModel(self.examples_model)
        for column in (0, 2):
            self.examples.use_delegate(column, RunsDelegate(theme, self.examples))
        self.examples.set_widths((8, None, 50))
        self.examples_panel = Panel(theme, "Examples", padding=0, ruled=True)
        self.examples_panel.body.addWidget(self.examples, 1)
        self._no_examples = TextLabel(theme, "", tone=Tone.MUTED, wrap=True)
        self._no_examples.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.examples_panel.body.addWidget(self._no_examples)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._moved = False
        self._split.splitterMoved.connect(self._split_moved)
        self._split.installEventFilter(self)
        self._split.addWidget(self.problems_panel)
        self._split.addWidget(self.examples_panel)
        self._split.setStretchFactor(0, 0)
        self._split.setStretchFactor(1, 1)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addWidget(self.bar)
        self._inside = QVBoxLayout()
        self._inside.addWidget(self._split)
        page.addLayout(self._inside, 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def panes(self) -> Sequence[QWidget]:
        return (self.run_button, self.problems, self.examples)

    def show_pack(self, pack: OpenedPack) -> None:
        self._pack = pack
        parts = [part for part in (pack.kind_text, pack.count_text, pack.scorer) if part]
        self.bar.set_text(pack.name, " · ".join(parts))
        is_task = pack.kind is PackKind.TASK
        self.run_button.setEnabled(is_task and pack.errors == 0)
        self.run_button.setToolTip(self._why_not(pack))
        self.run_button.setAccessibleDescription(self._why_not(pack))
        self.problems.problems.set_problems(pack.problems)
        self._show_counts(pack)
        self.problems.setVisible(bool(pack.problems))
        self._none.setVisible(not pack.problems)
        examples = pack.examples
        self.examples_panel.title.setText("Examples" if is_task else "Cases")
        self.examples_model.set_rows(examples)
        self.examples.setVisible(bool(examples))
        self._no_examples.setVisible(not examples)
        self._no_examples.setText(
            f"The {'examples' if is_task else 'cases'} can be shown once the problems are mended."
        )
        self._moved = False
        self._share()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._split and event.type() is QEvent.Type.Resize:
            self._share()
        return False

    def _share(self) -> None:
        """Problems get what they need, up to half; the list shrinks to its header when there are none.

        Where the person has moved the line between, it stays.
        """
        if self._moved or self._pack is None:
            return
        # What was just shown or hidden is counted only after this.
        self.problems_panel.body.invalidate()
        heading = self.problems_panel.heading.sizeHint().height() + self._theme.px(4)
        if self._pack.problems:
            wanted = heading + self.problems.wanted_height()
        else:
            wanted = heading + self._none.sizeHint().height()
        whole = self._split.height() or self.height()
        wanted = min(wanted, whole // 2)
        self._split.setSizes([wanted, max(whole - wanted, 1)])

    @Slot()
    def _split_moved(self) -> None:
        self._moved = True

    def _show_counts(self, pack: OpenedPack) -> None:
        errors, hints = self._counts
        errors.setVisible(pack.errors > 0)
        hints.setVisible(pack.hints > 0)
        plural = "" if pack.errors == 1 else "s"
        errors.set_look(chip(f"{pack.errors:,} problem{plural}", Tone.BAD, sign="problem"))
        hints.set_look(chip(f"{pack.hints:,} hint{'' if pack.hints == 1 else 's'}", Tone.WARN, sign="warning"))

    @staticmethod
    def _why_not(pack: OpenedPack) -> str:
        if pack.kind is PackKind.QUALIFICATION:
            return "A qualification pack cannot be run in this window yet."
        if pack.errors:
            return "It can be run once its problems are mended."
        return ""

    @Slot()
    def _show_folder(self) -> None:
        if self._pack is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._pack.folder)))

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._inside.setContentsMargins(px(16), px(12), px(16), px(12))
        none = self._none.layout()
        if none is not None:
            none.setContentsMargins(px(12), px(10), px(12), px(10))
        self._no_examples.setContentsMargins(px(12), px(10), px(12), px(10))
