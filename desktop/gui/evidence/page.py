"""One bundle: the decision, requirements as intervals, conditions, and whether it is untouched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop.gui.evidence.bundle_wording import (
    answer,
    bounds,
    grouped,
    interval_of,
    signature_line,
    verdict_chip,
)
from desktop.gui.evidence.cases_panels import ConfusionPanel, FailuresPanel
from desktop.gui.evidence.lines import FigureLine, SignLine
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.answer_panel import AnswerPanel
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.chip import ChipDelegate, Chips, chip
from desktop.gui.widgets.flow import FlowLayout, wraps
from desktop.gui.widgets.interval import IntervalDelegate, interval_text
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import PageBar, Panel
from desktop.gui.widgets.roles import CHIPS_ROLE, INTERVAL_ROLE
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from packs import numbers

if TYPE_CHECKING:
    from desktop.application.evidence.look import BundleCondition, Evidence, RequirementRow

LEGEND = (
    "Line: where the requirement begins. Tinted: where it is met. Square or diamond with a line: the share and "
    "its 95 % interval (Wilson). Met: the whole interval lies in the tinted part. Open: it crosses the line."
)

NOT_PROVED = "These rows are what the bundle says. Nothing proves them, since the bundle was changed."


def _columns() -> list[Column[RequirementRow]]:
    def name(row: RequirementRow) -> str:
        return row.metric if row.mandatory else f"{row.metric} (not mandatory)"

    def spoken(row: RequirementRow) -> str:
        value = interval_of(row)
        return interval_text(value) if value is not None else "nothing measured"

    return [
        Column("Requirement", name, tooltip=name),
        Column("Asked", lambda row: row.asked),
        Column(
            "0 to 100 %",
            lambda row: "" if interval_of(row) else numbers.UNKNOWN,
            tooltip=spoken,
            spoken=spoken,
            roles={INTERVAL_ROLE: interval_of},
        ),
        Column("Share", lambda row: numbers.percent(row.estimate), right=True),
        Column("95 % interval", bounds, right=True),
        Column("Cases", lambda row: numbers.UNKNOWN if row.n is None else f"{row.n:,}", right=True),
        Column(
            "Result",
            lambda row: verdict_chip(row).text,
            roles={CHIPS_ROLE: lambda row: Chips((verdict_chip(row),))},
        ),
    ]


class EvidencePage(QWidget):
    open_asked = Signal()
    again_asked = Signal()
    sign_asked = Signal()
    compare_asked = Signal()
    check_asked = Signal()
    export_asked = Signal()
    case_asked = Signal(object)
    """A FailedCase."""
    close_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.bar = PageBar(theme, "")
        self.open_button = Button(theme, "&Open a bundle…", icon="evidence")
        self.compare_button = Button(theme, "Co&mpare with…", icon="compare")
        self.check_button = Button(theme, "Chec&k…", icon="refresh")
        self.export_button = Button(theme, "E&xport…", icon="export")
        self.again_button = Button(theme, "&Re-score", icon="refresh")
        self.sign_button = Button(theme, "Si&gn…", icon="key")
        self.close_button = Button(theme, "C&lose", icon="cross")
        self.open_button.clicked.connect(self.open_asked)
        self.again_button.clicked.connect(self.again_asked)
        self.compare_button.clicked.connect(self.compare_asked)
        self.check_button.clicked.connect(self.check_asked)
        self.export_button.clicked.connect(self.export_asked)
        self.sign_button.clicked.connect(self.sign_asked)
        self.check_button.setToolTip("Does this still speak for what runs now?")
        self.export_button.setToolTip("A folder for an auditor, without inputs and answers")
        self.again_button.setToolTip("Every file, the signature, and every score once more")
        self.close_button.clicked.connect(self.close_asked)
        for button in (self.open_button, self.close_button):
            self.bar.add(button)
        self.answer = AnswerPanel(theme)
        self.show_failures = Button(theme, "Show the &failures", icon="table")
        self.show_failures.clicked.connect(self._show_failures)
        self.answer.add_button(self.show_failures)
        self.rows: RowsModel[RequirementRow] = RowsModel(_columns(), self)
        self.table = Table(theme, "Requirements", row_design=36, framed=False)
        self.table.setModel(self.rows)
        self.table.use_delegate(2, IntervalDelegate(theme, self.table))
        self.table.use_delegate(6, ChipDelegate(theme, self.table))
        self.table.set_widths((26, 16, None, 8, 13, 7, 14))
        self.requirements = Panel(theme, padding=0)
        self.requirements.body.addWidget(self.table)
        self._legend = TextLabel(theme, LEGEND, kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.requirements.body.addWidget(self._legend)
        self.findings_model = RowsModel[str](
            [Column("Places that differ", lambda row: row, tooltip=lambda row: row)], self
        )
        self.findings = Table(theme, "Places that differ", framed=False)
        self.findings.setModel(self.findings_model)
        self.findings.set_widths((None,))
        self.differences = Panel(theme, padding=0)
        self.differences.body.addWidget(self.findings)
        self._conditions = Panel(theme, "Conditions")
        self._condition_lines: list[FigureLine] = []
        self._bundle = Panel(theme, "Bundle")
        self.files, self.scored, self.signature = SignLine(theme), SignLine(theme), SignLine(theme)
        self._key_name = TextLabel(theme, "Key", kind=Type.SMALL, tone=Tone.MUTED)
        self.key = TextLabel(theme, "", kind=Type.MONO, selectable=True)
        for line in (self.files, self.scored, self.signature, self._key_name, self.key):
            self._bundle.body.addWidget(line)
        self._bundle.body.addStretch(1)
        work = QWidget()
        self._work = FlowLayout(work)
        wraps(work)
        for button in (
            self.again_button,
            self.sign_button,
            self.compare_button,
            self.check_button,
            self.export_button,
        ):
            self._work.addWidget(button)
        self._bundle.body.addWidget(work)
        self.confusion = ConfusionPanel(theme)
        self.failures = FailuresPanel(theme)
        self.failures.opened.connect(self.case_asked)
        self._conditions.body.addStretch(1)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below.addWidget(self._conditions, 1)
        self._below.addWidget(self._bundle, 1)
        for widget in (self.answer, self.differences, self.requirements):
            self._column.addWidget(widget)
        self._column.addLayout(self._below)
        self._column.addWidget(self.confusion)
        self._column.addWidget(self.failures)
        self._column.addStretch(1)
        scroll = self._scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addWidget(scroll, 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def panes(self) -> Sequence[QWidget]:
        every = (self.findings, self.table, self.confusion.table, self.failures.table)
        tables = [table for table in every if table.isVisible()]
        return (self.open_button, *tables)

    def show_evidence(self, evidence: Evidence) -> None:
        self.bar.set_text(evidence.title, evidence.about)
        self.answer.show_answer(*answer(evidence))
        self.rows.set_rows(evidence.rows)
        self._legend.setText(LEGEND if evidence.untouched else NOT_PROVED)
        self._legend.set_tone(Tone.MUTED if evidence.untouched else Tone.BAD)
        self.requirements.setVisible(bool(evidence.rows))
        left_out = evidence.differences - len(evidence.findings)
        more = [f"… and {left_out:,} more."] if left_out else []
        self.findings_model.set_rows([*evidence.findings, *more])
        self.differences.setVisible(bool(evidence.findings))
        self._fit_tables()
        self._show_conditions(evidence.conditions)
        good = evidence.untouched
        tone, icon = (Tone.GOOD, "tick") if good else (Tone.BAD, "cross")
        self.files.show_line(tone, icon, evidence.files)
        self.scored.show_line(tone, icon, evidence.scored)
        self.signature.setVisible(evidence.signature is not None)
        self.signature.show_line(*signature_line(evidence))
        self.key.setText(grouped(evidence.key))
        self.key.setVisible(bool(evidence.key))
        self._key_name.setVisible(bool(evidence.key))
        self._show_work(evidence)

    def _show_work(self, evidence: Evidence) -> None:
        """What can be done with this bundle."""
        of_run = evidence.qualification
        for button in (self.compare_button, self.check_button, self.export_button, self.sign_button):
            button.setVisible(of_run)
        self.confusion.show_cases(evidence.cases)
        self.failures.show_cases(evidence.cases)
        self.failures.setVisible(of_run)
        failed = len(evidence.cases.failures) + evidence.cases.left_out
        self.show_failures.setVisible(bool(failed))
        self.show_failures.setText(f"Show the {failed:,} &failures" if failed > 1 else "Show the &failure")
        why = ""
        if not evidence.path.is_dir():
            why = "Only the folder of a run can be signed: unpack the zip, then open the folder."
        elif not evidence.untouched:
            why = "Only an untouched bundle is signed."
        self.sign_button.setEnabled(not why)
        self.sign_button.setToolTip(why)
        self.sign_button.setText("Si&gn again…" if evidence.key else "Si&gn…")

    @Slot()
    def _show_failures(self) -> None:
        self._scroll.ensureWidgetVisible(self.failures)
        table = self.failures.table
        table.setFocus()
        if not table.currentIndex().isValid():
            table.setCurrentIndex(self.failures.model.index(0, 0))

    def _show_conditions(self, conditions: Sequence[BundleCondition]) -> None:
        for old in self._condition_lines:
            self._conditions.body.removeWidget(old)
            old.hide()
            old.deleteLater()
        looks = {
            True: chip("Good", Tone.GOOD, sign="tick"),
            False: chip("Not good", Tone.BAD, sign="cross"),
            None: chip("Open", Tone.WARN, sign="warning"),
        }
        self._condition_lines = [
            FigureLine(self._theme, entry.name, entry.figure, looks[entry.good]) for entry in conditions
        ]
        for number, line in enumerate(self._condition_lines):
            self._conditions.body.insertWidget(number, line)
        self._conditions.setVisible(bool(conditions))

    def _fit_tables(self) -> None:
        self.table.fit_height(10)
        self.findings.fit_height(8)
        self.confusion.fit()
        self.failures.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        wide = self.width() >= self._theme.chars(100)
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._below.direction() is not direction:
            self._below.setDirection(direction)

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(16), px(16), px(16), px(16))
        self._column.setSpacing(px(12))
        self._below.setSpacing(px(12))
        self._work.set_gaps(px(8), px(8))
        self._legend.setContentsMargins(px(12), px(8), px(12), px(10))
        self._fit_tables()
        self._turn()
