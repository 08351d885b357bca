"""The one window: menu bar, rail with five places, status line; opens what comes and keeps its own state."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QUrl, Slot
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from desktop.foundation.crash_reports import CrashTrace
from desktop.gui.core.errors import CrashDialog, Sentence
from desktop.gui.core.file_dialogs import ask_for_bundle, ask_for_models, ask_for_pack
from desktop.gui.core.place import Place, PlaceName, RunsPlaceBase
from desktop.gui.core.window_services import WindowServices
from desktop.gui.evidence.place import EvidencePlace
from desktop.gui.models.place import ModelsPlace
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.shell.about import AboutDialog
from desktop.gui.shell.app_icon import app_icon
from desktop.gui.shell.arrivals_flow import ArrivalsFlow
from desktop.gui.shell.folders_dialog import PlacesDialog
from desktop.gui.shell.help_key import HelpKey, help_over
from desktop.gui.shell.help_window import PAGE_OF_DIALOG, PAGE_OF_PLACE, HelpWindow
from desktop.gui.shell.menus import Menus
from desktop.gui.shell.opening import Opener
from desktop.gui.shell.pack_actions import PackActions
from desktop.gui.shell.panes import focus_first, walk
from desktop.gui.shell.rail import Rail
from desktop.gui.shell.status_line import StatusLine
from desktop.gui.shell.status_reader import StatusReader
from desktop.gui.shell.view_actions import ViewActions
from desktop.gui.shell.window_drop import WindowDrop
from desktop.gui.start.start_place import StartPlace
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from desktop.gui.widgets.page_stack import PageStack
from desktop.gui.widgets.scroll_page import ScrollPage
from desktop.gui.widgets.toast import Toast

if TYPE_CHECKING:
    from desktop.application.draft_service import DraftService

SMALLEST = (960, 600)
USUAL = (1280, 800)
CRASHED = (
    "The system ended it because of a fault inside it. What was saved and every finished answer is there; an "
    "interrupted run can be resumed, and unsaved work is offered again. Copy the details and pass them on, so "
    "that it can be mended."
)


class MainWindow(QMainWindow):
    """Places are handed in; the window shows one at a time and carries words between them."""

    def __init__(
        self,
        services: WindowServices,
        start: StartPlace,
        pack: PackPlace,
        runs: RunsPlaceBase,
        others: Mapping[PlaceName, Place],
        *,
        drafting: DraftService | None = None,
    ) -> None:
        super().__init__()
        self.services = services
        self._theme = services.theme
        self._may_close = False
        self._help: HelpWindow | None = None
        self._place = PlaceName.START
        self.start, self.pack, self.runs = start, pack, runs
        self.places: dict[PlaceName, Place] = {
            PlaceName.START: start,
            PlaceName.PACK: pack,
            PlaceName.RUNS: runs,
            **others,
        }
        self.opener = Opener(services, self)
        self.rail = Rail(self._theme)
        self.status = StatusLine(self._theme)
        self.notice = NoticeStrip(self._theme)
        self.menus = Menus(self.menuBar(), self._theme, self)
        self._stack = PageStack()
        self._pages: dict[PlaceName, ScrollPage] = {}
        for name, place in self.places.items():
            self._pages[name] = ScrollPage(place)
            self._stack.addWidget(self._pages[name])
        self.toast = Toast(self._theme, self, fade=services.settings.current.fade)
        self.overlay = WindowDrop(self._theme, self.opener, self).overlay
        self._build()
        self.setMinimumSize(*SMALLEST)
        self._connect()
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self._restore()
        self._status_reader = StatusReader(services, self.status, self)
        self.actions_of_pack = PackActions(
            services,
            self.opener,
            self.menus,
            (start, pack, runs, self.places.get(PlaceName.MODELS)),
            (self.notice, self.toast),
            self.show_place,
            self,
        )
        self.arrivals = ArrivalsFlow(services, self.opener, pack, drafting, self)
        self.opener.bundle_given.connect(self._show_bundle)
        evidence = self.places[PlaceName.EVIDENCE]
        if isinstance(evidence, EvidencePlace):
            evidence.open_asked.connect(self._ask_bundle)
            evidence.reported.connect(self.notify)
        start.new_pack_asked.connect(self.actions_of_pack.new_pack)
        start.from_table_asked.connect(self.arrivals.ask_table)
        start.from_notes_asked.connect(self.arrivals.ask_notes)
        self.menus.from_table.triggered.connect(self.arrivals.ask_table)
        self.menus.from_notes.triggered.connect(self.arrivals.ask_notes)
        ViewActions(self.menus, self._theme, services.settings, self)

    # --- making ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.rail)
        content = QVBoxLayout()
        content.setSpacing(0)
        content.addWidget(self.notice)
        content.addWidget(self._stack, 1)
        row.addLayout(content, 1)
        column.addLayout(row, 1)
        column.addWidget(self.status)
        self.setCentralWidget(central)

    def _connect(self) -> None:
        self.rail.chosen.connect(self._rail_chosen)
        opener, start = self.opener, self.start
        opener.began.connect(self.notice.hide)
        opener.models_added.connect(self._models_added)
        opener.reported.connect(self.notify)
        start.open_pack_asked.connect(self.ask_pack)
        start.add_model_asked.connect(self.ask_model)
        start.dropped.connect(self.open_paths)
        start.folder_chosen.connect(self._open_recent)
        start.run_chosen.connect(self._show_run)
        start.sample_chosen.connect(opener.open_sample)
        start.step_asked.connect(self._step)
        start.pack_forgotten.connect(self._forget)
        start.steps_hidden.connect(self._hide_steps)
        models = self.places[PlaceName.MODELS]
        if isinstance(models, ModelsPlace):
            models.reported.connect(self.toast.show_text)
        self.pack.open_asked.connect(self.ask_pack)
        self.pack.saved.connect(self.runs.look_at_disk)
        for place in self.places.values():
            place.engine_said.connect(self.status.set_engine)
            place.sent_to.connect(self.status.set_sent_to)
            place.title_changed.connect(self._retitle)
            place.journal_changed.connect(start.refresh)
        self._connect_menus()

    def _connect_menus(self) -> None:
        menus = self.menus
        menus.open_pack.triggered.connect(self.ask_pack)
        menus.recent.aboutToShow.connect(self._fill_recent)
        menus.recent.key_chosen.connect(self._open_recent)
        menus.samples.aboutToShow.connect(self._fill_samples)
        menus.samples.key_chosen.connect(self.opener.open_sample)
        menus.add_model.triggered.connect(self.ask_model)
        menus.quit.triggered.connect(self.close)
        menus.find.triggered.connect(self._find)
        for action in menus.places.values():
            action.triggered.connect(self._place_action)
        menus.next_pane.triggered.connect(self._next_pane)
        menus.previous_pane.triggered.connect(self._previous_pane)
        menus.help.triggered.connect(self.show_help)
        HelpKey(self._help_in, self)
        menus.about.triggered.connect(self.show_about)
        menus.show_log.setEnabled(self.services.log_file is not None)
        menus.show_log.triggered.connect(self._show_log)
        menus.show_places.triggered.connect(self.show_places)

    # --- places ---------------------------------------------------------------------------------------------

    @property
    def shown_place(self) -> PlaceName:
        return self._place

    def show_place(self, place: PlaceName) -> None:
        self._place = place
        self._stack.setCurrentWidget(self._pages[place])
        self.places[place].enter()
        self.rail.show_place(place)
        self.menus.places[place].setChecked(True)
        self.menus.set_undo(self.pack.undo_stack if place is PlaceName.PACK else None)
        self.menus.set_place_actions(self.places[place].actions_of_menu())
        self._retitle()

    @Slot(str)
    def _rail_chosen(self, place: str) -> None:
        self.show_place(PlaceName(place))

    @Slot()
    def _place_action(self) -> None:
        action = self._sender_data()
        if action:
            self.show_place(PlaceName(action))
            panes = self.places[self._place].panes()
            if panes:
                panes[0].setFocus()

    @Slot()
    def _retitle(self) -> None:
        self.menus.set_undo(self.pack.undo_stack if self._place is PlaceName.PACK else None)
        message = self.places[self._place].title()
        self.setWindowTitle(f"{message} – Packbench" if message else "Packbench")

    @Slot()
    def _next_pane(self) -> None:
        self._walk_panes(1)

    @Slot()
    def _previous_pane(self) -> None:
        self._walk_panes(-1)

    def _walk_panes(self, step: int) -> None:
        """Rail, notice, the panes of the place, and round again."""
        walk([self.rail.buttons[self._place], self.notice.button, *self.places[self._place].panes()], step)

    # --- opening --------------------------------------------------------------------------------------------

    @Slot(list)
    def open_paths(self, paths: Sequence[str]) -> None:
        """Open packs, zips and models by their paths."""
        self.opener.open_paths(paths)

    @Slot(list)
    def come_forward(self, paths: list[str]) -> None:
        """A second start of the program brought these paths. A window in the background comes back."""
        if not self.isVisible():
            self.show()
            self.show_place(PlaceName.RUNS)
            self.runs.come_back()
        self.setWindowState(
            (self.windowState() & ~Qt.WindowState.WindowMinimized) | Qt.WindowState.WindowActive
        )
        self.raise_()
        self.activateWindow()
        if paths:
            self.open_paths(paths)

    @Slot()
    def ask_pack(self) -> None:
        ask_for_pack(self, self.services, self.open_paths)

    @Slot()
    def ask_model(self) -> None:
        ask_for_models(self, self.services, self.open_paths)

    @Slot()
    def plan_run(self) -> None:
        """Plan a run of the open pack, saved first."""
        self.actions_of_pack.plan_run()

    @Slot(object)
    def _show_bundle(self, path: Path) -> None:
        evidence = self.places[PlaceName.EVIDENCE]
        if isinstance(evidence, EvidencePlace):
            self.show_place(PlaceName.EVIDENCE)
            evidence.show_bundle(path)

    @Slot()
    def _ask_bundle(self) -> None:
        ask_for_bundle(self, self.services, self._bundles_chosen)

    @Slot(list)
    def _bundles_chosen(self, paths: list[str]) -> None:
        """A folder is chosen by a file in it."""
        chosen = [Path(path) for path in paths]
        self.open_paths([str(path.parent if path.name == "manifest.json" else path) for path in chosen])

    @Slot(list)
    def _models_added(self, files: list[Path]) -> None:
        for file in files:
            self.runs.add_model(file)
        models = self.places[PlaceName.MODELS]
        if isinstance(models, ModelsPlace):
            models.look_again()
        names = files[0].name if len(files) == 1 else f"{len(files)} models"
        self.toast.show_text(f"Added {names}; it stays where it is." if len(files) == 1 else f"Added {names}.")

    @Slot(str)
    def _open_recent(self, folder: str) -> None:
        self.opener.open_folder(Path(folder))

    @Slot(str)
    def _show_run(self, run_id: str) -> None:
        self.runs.show_run(run_id)
        self.show_place(PlaceName.RUNS)

    @Slot(str)
    def _forget(self, folder: str) -> None:
        before = self.opener.forget(folder)
        self.start.refresh()

        def bring_back() -> None:
            self.services.settings.change(recent=before)
            self.start.refresh()

        self.toast.show_text(f"{Path(folder).name} is not listed any more.", bring_back)

    @Slot(int)
    def _step(self, step: int) -> None:
        """The three steps for the first time."""
        if step == 0:
            samples = self.start.samples.things
            if samples.rowCount():
                self.opener.open_sample(samples.thing(0).key)
            return
        if step == 1:
            if self.pack.pack is not None:
                self.plan_run()
            elif self.services.settings.current.recent:
                self.actions_of_pack.run_when_opened = True
                self._open_recent(self.services.settings.current.recent[0])
            return
        self._hide_steps()
        self.show_place(PlaceName.RUNS)
        newest = self.start.newest_run
        if newest:
            self.runs.show_run(newest)

    @Slot()
    def _hide_steps(self) -> None:
        self.services.settings.change(first_steps_hidden=True)
        self.start.refresh()

    # --- words ----------------------------------------------------------------------------------------------

    @Slot(object)
    def notify(self, sentence: Sentence) -> None:
        """An error or a refusal in words, as a strip over the place."""
        self.notice.show_text(sentence.message, sentence.fix, Tone.WARN)

    def report_of_crash(self, trace: CrashTrace) -> None:
        """The program was ended by a fault the last time. A dialog, since the strip may offer unsaved work."""
        at = datetime.fromtimestamp(trace.at, self.services.now().tzinfo)
        message = f"{CRASHED} It happened on {at:%Y-%m-%d at %H:%M}."
        dialog = CrashDialog(trace.text, trace.file, self, message=message)
        dialog.setWindowTitle("Packbench crashed the last time")
        dialog.heading.setText("Packbench crashed the last time")
        dialog.open()

    @Slot()
    def _find(self) -> None:
        self.places[self._place].start_search()

    @Slot()
    def show_help(self) -> None:
        """The page that belongs to the place that is shown."""
        if self._help is None:
            self._help = HelpWindow(self._theme, self)
        self._help.come_with(PAGE_OF_PLACE[self._place])

    def _help_in(self, dialog: QDialog) -> None:
        page = PAGE_OF_DIALOG.get(type(dialog).__name__, PAGE_OF_PLACE[self._place])
        help_over(dialog, partial(HelpWindow, self._theme)).come_with(page)

    @Slot()
    def show_about(self) -> None:
        dialog = AboutDialog(self._theme, self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot()
    def show_places(self) -> None:
        dialog = PlacesDialog(self._theme, self.services.paths, self.services.log_file, self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot()
    def _show_log(self) -> None:
        if self.services.log_file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.services.log_file)))

    @Slot()
    def _fill_recent(self) -> None:
        recent = self.services.settings.current.recent
        self.menus.recent.fill([(folder, Path(folder).name) for folder in recent])

    @Slot()
    def _fill_samples(self) -> None:
        things = self.start.samples.things
        entries = [(things.thing(row).key, things.thing(row).title) for row in range(things.rowCount())]
        self.menus.samples.fill(entries)

    # --- look -----------------------------------------------------------------------------------------------

    def _sender_data(self) -> str:
        sender: QObject | None = self.sender()
        data = sender.data() if sender is not None and hasattr(sender, "data") else ""
        return data if isinstance(data, str) else ""

    @Slot()
    def _restyle(self) -> None:
        self.setWindowIcon(app_icon(self._theme))

    # --- state ----------------------------------------------------------------------------------------------

    def _restore(self) -> None:
        self.resize(*USUAL)
        kept = self.services.settings.current.window
        geometry, _, place = kept.partition(";")
        try:
            data = base64.b64decode(geometry, validate=True)
        except ValueError:
            data = b""
        if data:
            self.restoreGeometry(QByteArray(data))
        known = {name.value for name in PlaceName}
        self.show_place(PlaceName(place) if place in known else PlaceName.START)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Another program may have written meanwhile.
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.pack.look_at_disk()
            self.runs.look_at_disk()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.actions_of_pack.offer_copies()
        self._status_reader.read_memory()
        if QApplication.focusWidget() is None:
            panes = self.places[self._place].panes()
            if panes:
                focus_first(panes[0])

    def _keep(self) -> None:
        geometry = base64.b64encode(self.saveGeometry().data()).decode("ascii")
        self.services.settings.change(window=f"{geometry};{self._place.value}")

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close and self._ask_from(0):
            event.ignore()
            return
        self._status_reader.stop()
        if self._help is not None:
            self._help.close()
        for place in self.places.values():
            place.wind_down()
        self._keep()
        event.accept()

    def _ask_from(self, first: int) -> bool:
        """Each place may ask before the window closes, one after the other."""
        for number, place in enumerate(list(self.places.values())[first:], start=first):
            if place.close_question(partial(self._ask_on, number + 1)):
                return True
        return False

    def _ask_on(self, first: int) -> None:
        if not self._ask_from(first):
            self.close_unasked()

    def close_unasked(self) -> None:
        """Close without a question about unsaved work or a run."""
        self._may_close = True
        self.close()
