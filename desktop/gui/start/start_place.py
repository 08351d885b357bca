"""The Start place: one question, one drop area, what was done lately, and where to begin."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QSpacerItem, QVBoxLayout, QWidget

from desktop.application.opened_pack import OpenedPack, PackKind
from desktop.application.recent import RecentPack, SampleFacts, StartFacts, read_samples, read_start
from desktop.application.wording import counted, moment
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.place import Place
from desktop.gui.core.window_services import WindowServices
from desktop.gui.start.steps import FirstSteps
from desktop.gui.theme import Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.chip import chip
from desktop.gui.widgets.drop_area import DropArea
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.list_entries import EntryList, ListEntry
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.runs.records import RunSummary

KINDS = "  ·  ".join(
    ("notes or a runbook", "a spreadsheet of examples", "a pack (folder or zip)", "a model (GGUF)", "a bundle")
)
PROMISE = "Open or drop anything you have. Packbench shows what it understood before it does anything with it."
_RUN = "run:"
_PACK = "pack:"


class StartPlace(Place):
    """Tells what the person wants; the main window does it."""

    open_pack_asked = Signal()
    add_model_asked = Signal()
    from_table_asked = Signal()
    from_notes_asked = Signal()
    new_pack_asked = Signal()
    dropped = Signal(list)
    """list[str] of local paths."""
    folder_chosen = Signal(str)
    """A recent pack."""
    run_chosen = Signal(str)
    sample_chosen = Signal(str)
    step_asked = Signal(int)
    pack_forgotten = Signal(str)
    steps_hidden = Signal()

    def __init__(self, services: WindowServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        theme = services.theme
        self._theme = theme
        self._facts: StartFacts | None = None
        self._reading: CancelToken | None = None
        self.question = TextLabel(theme, "Which local model can do your job?", kind=Type.ANSWER, wrap=True)
        self.promise = TextLabel(theme, PROMISE, tone=Tone.MUTED, wrap=True)
        self.area = DropArea(theme, "Drop a file or a folder here", KINDS)
        self.area.dropped.connect(self.dropped)
        self._add_buttons()
        self.steps = FirstSteps(theme)
        self.steps.asked.connect(self.step_asked)
        self.steps.hidden_for_good.connect(self._hide_steps)
        self.recent = EntryList(theme, "Recent", removable=True)
        self.recent.opened.connect(self._open_recent)
        self.recent.removed.connect(self._forget)
        self.samples = EntryList(theme, "Sample packs")
        self.samples.opened.connect(self.sample_chosen)
        self._no_recent = TextLabel(
            theme, "Packs you open and runs you make are listed here.", tone=Tone.MUTED, wrap=True
        )
        self._no_samples = TextLabel(theme, "No sample packs came with this copy.", tone=Tone.MUTED, wrap=True)
        self._sample_note = TextLabel(
            theme,
            "A sample opens as a copy in your documents; you can change everything.",
            kind=Type.SMALL,
            tone=Tone.MUTED,
            wrap=True,
        )
        self._page = QWidget()
        self._column = QVBoxLayout(self._page)
        self._lists = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._recent_column = self._list_column("Recent", self.recent, self._no_recent, None)
        self._sample_column = self._list_column(
            "Sample packs", self.samples, self._no_samples, self._sample_note
        )
        self._lists.addLayout(self._recent_column, 29)
        self._lists.addLayout(self._sample_column, 20)
        self._gaps: list[tuple[QSpacerItem, int]] = []
        for widget, gap in ((self.question, 8), (self.promise, 24), (self.area, 20), (self.steps, 24)):
            self._column.addWidget(widget)
            spacer = QSpacerItem(0, gap)
            self._column.addSpacerItem(spacer)
            self._gaps.append((spacer, gap))
        self._column.addLayout(self._lists)
        self._column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._scroll)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._show_samples(())
        self._show_facts(StartFacts((), (), False))
        self._looked = False

    def showEvent(self, event: QShowEvent) -> None:
        """Samples and recent things are read once the first picture is there, and take no time from it."""
        super().showEvent(event)
        if not self._looked:
            self._looked = True
            QTimer.singleShot(0, self._first_look)

    @Slot()
    def _first_look(self) -> None:
        self._services.tasks.start(self._read_samples, self._show_samples, self._failed)
        self.refresh()

    def enter(self) -> None:
        self.refresh()

    def panes(self) -> Sequence[QWidget]:
        return (self.open_button, self.recent, self.samples)

    @property
    def newest_run(self) -> str:
        """Id of the newest run; empty when there is none."""
        return self._facts.runs[0].id if self._facts is not None and self._facts.runs else ""

    def refresh(self) -> None:
        """Read recent packs and runs again; only the newest answer counts."""
        if self._reading is not None:
            self._reading.cancel()
        recent = self._services.settings.current.recent
        journal = self._services.paths.journal

        def read(_cancel: CancelToken) -> StartFacts:
            return read_start(recent, journal)

        self._reading = self._services.tasks.start(read, self._show_facts, self._failed)

    def _add_buttons(self) -> None:
        theme = self._theme
        self.open_button = Button(theme, "&Open a pack…", icon="folder", primary=True)
        self.table_button = Button(theme, "From a sp&readsheet…", icon="table")
        self.notes_button = Button(theme, "From &notes…", icon="file")
        self.model_button = Button(theme, "&Add a model…", icon="model")
        self.new_button = Button(theme, "Ne&w empty pack", icon="plus")
        for button in (
            self.open_button,
            self.table_button,
            self.notes_button,
            self.model_button,
            self.new_button,
        ):
            self.area.add_button(button)
        self.open_button.clicked.connect(self.open_pack_asked)
        self.model_button.clicked.connect(self.add_model_asked)
        self.table_button.clicked.connect(self.from_table_asked)
        self.notes_button.clicked.connect(self.from_notes_asked)
        self.new_button.clicked.connect(self.new_pack_asked)

    def _list_column(
        self, title: str, things: EntryList, empty: TextLabel, note: TextLabel | None
    ) -> QVBoxLayout:
        column = QVBoxLayout()
        column.addWidget(TextLabel(self._theme, title, bold=True))
        panel = Panel(self._theme, padding=0)
        empty.setContentsMargins(12, 12, 12, 12)
        panel.body.addWidget(things)
        panel.body.addWidget(empty)
        column.addWidget(panel)
        if note is not None:
            column.addWidget(note)
        column.addStretch(1)
        return column

    def _read_samples(self, _cancel: CancelToken) -> tuple[SampleFacts, ...]:
        return read_samples(self._services.samples())

    @Slot(object)
    def _show_samples(self, samples: tuple[SampleFacts, ...]) -> None:
        self.samples.set_things(
            [
                ListEntry(
                    key=sample.name,
                    title=sample.title,
                    end=counted(sample.count, "example" if sample.is_task else "case"),
                    chip=chip(sample.kind) if sample.kind else None,
                    tooltip=f"{sample.title}: opens a copy of the sample {sample.name}",
                )
                for sample in samples
            ]
        )
        self.samples.setVisible(bool(samples))
        self._sample_note.setVisible(bool(samples))
        self._no_samples.setVisible(not samples)
        self._turn()

    @Slot(object)
    def _show_facts(self, facts: StartFacts) -> None:
        self._facts = facts
        now = self._services.now()
        dated = [(entry.changed_at, self._pack_thing(entry)) for entry in facts.packs]
        dated += [(run.started_at, self._run_thing(run)) for run in facts.runs]
        dated.sort(key=lambda pair: pair[0], reverse=True)
        things = [
            ListEntry(
                thing.key,
                thing.title,
                moment(at, now) if at else "",
                thing.icon,
                thing.detail,
                tooltip=thing.tooltip,
            )
            for at, thing in dated
        ]
        self.recent.set_things(things)
        self.recent.setVisible(bool(things))
        self._no_recent.setVisible(not things)
        self.steps.set_done(2 if facts.any_run_finished else 1 if facts.packs else 0)
        self.steps.setVisible(not self._services.settings.current.first_steps_hidden)

    def _pack_thing(self, entry: RecentPack) -> ListEntry:
        if entry.pack is None:
            detail = Runs((Run(entry.trouble, kind=Type.SMALL, tone=Tone.MUTED),))
            return ListEntry(
                _PACK + str(entry.folder),
                entry.folder.name,
                icon="folder",
                detail=detail,
                tooltip=str(entry.folder),
            )
        return ListEntry(
            _PACK + str(entry.folder),
            entry.pack.name,
            icon="pack" if entry.pack.kind is PackKind.TASK else "evidence",
            detail=_pack_detail(entry.pack),
            tooltip=str(entry.folder),
        )

    def _run_thing(self, run: RunSummary) -> ListEntry:
        message = (
            f"{counted(len(run.candidates), 'model')} · {counted(run.examples, 'example')} · {run.status.value}"
        )
        return ListEntry(
            _RUN + run.id,
            f"Run of {run.pack_name}",
            icon="runs",
            detail=Runs((Run(message, kind=Type.SMALL, tone=Tone.MUTED),)),
            tooltip=", ".join(run.candidates),
        )

    @Slot(str)
    def _open_recent(self, key: str) -> None:
        if key.startswith(_RUN):
            self.run_chosen.emit(key.removeprefix(_RUN))
        else:
            self.folder_chosen.emit(key.removeprefix(_PACK))

    @Slot(str)
    def _forget(self, key: str) -> None:
        if key.startswith(_PACK):
            self.pack_forgotten.emit(key.removeprefix(_PACK))

    @Slot()
    def _hide_steps(self) -> None:
        self.steps.hide()
        self.steps_hidden.emit()

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        self._no_recent.setText(str(sentence_for(error)))
        self._no_recent.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        px = self._theme.px
        samples = max(self.samples.width_of_whole_rows() + 2, self._theme.chars(36))
        room = self.width() - 2 * px(32) - px(20)
        # The columns share the width 29 to 20; both lists have to fit whole into their share.
        wide = room * 20 // 49 >= samples and room * 29 // 49 >= self._theme.chars(44)
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._lists.direction() is not direction:
            self._lists.setDirection(direction)

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(32), px(24), px(32), px(24))
        self._column.setSpacing(0)
        for spacer, gap in self._gaps:
            spacer.changeSize(0, px(gap))
        self._lists.setContentsMargins(0, 0, 0, 0)
        self._lists.setSpacing(px(20))
        for column in (self._recent_column, self._sample_column):
            column.setSpacing(px(8))
        self.area.setMinimumHeight(px(200))
        self._turn()
        self._column.invalidate()


def _pack_detail(pack: OpenedPack) -> Runs:
    def small(text: str, tone: Tone = Tone.MUTED, bold: bool = False) -> Run:
        return Run(text, kind=Type.SMALL, tone=tone, bold=bold)

    parts = [small(pack.kind_text)]
    if pack.count_text:
        parts.append(small(f" · {pack.count_text}"))
    if pack.folder.name != pack.name:
        parts.append(small(f" · {pack.folder.name}"))
    if pack.errors:
        parts += [small(" · "), small(counted(pack.errors, "problem"), Tone.BAD, bold=True)]
    elif pack.reviewed is not None:
        parts.append(small(" · reviewed" if pack.reviewed else " · not reviewed yet"))
    return Runs(tuple(parts))
