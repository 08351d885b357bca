"""From a file to the assistant that fits it, one after the other, and from there to the new pack."""

from __future__ import annotations

from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QDialog, QWidget

from desktop.application.opened_pack import OpenedPack
from desktop.gui.core.errors import Sentence
from desktop.gui.core.file_dialogs import ask_for_notes, ask_for_table
from desktop.gui.core.window_services import WindowServices
from desktop.gui.ingest.arrivals_dialog import ArrivalsDialog
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.shell.opening import Opener
from desktop.gui.widgets.questions import Question
from desktop.ingest.arrivals import ONE_PACK, PACKS, Arrival, ArrivalKind

if TYPE_CHECKING:
    from desktop.application.draft_service import DraftService


class ArrivalsFlow(QObject):
    """One for the window. At most one dialog of it is open; what comes meanwhile waits its turn."""

    review_shown = Signal(object)
    """Folder of a pack that was drafted just now and is open at its review."""

    def __init__(
        self,
        services: WindowServices,
        opener: Opener,
        pack: PackPlace,
        service: DraftService | None,
        window: QWidget,
    ) -> None:
        """pack: where packs open. service: drafts; without it documents are answered by a sentence."""
        super().__init__(window)
        self._services = services
        self._opener = opener
        self._pack = pack
        self._service = service
        self._window = window
        self._waiting: deque[Arrival] = deque()
        self._opening = False
        self._to_review: Path | None = None
        self.dialog: QDialog | None = None
        """The one that is open."""
        opener.table_given.connect(self._table)
        opener.document_given.connect(self._document)
        opener.either_given.connect(self._either)
        opener.several_given.connect(self._several)
        opener.pack_opened.connect(self._pack_opened)
        opener.reported.connect(self._reported)
        pack.title_changed.connect(self._shown)

    @Slot()
    def ask_table(self) -> None:
        """By button or menu: choose a table."""
        ask_for_table(self._window, self._services, self._tables_chosen)

    @Slot()
    def ask_notes(self) -> None:
        ask_for_notes(self._window, self._services, self._notes_chosen)

    @Slot(list)
    def _tables_chosen(self, paths: list[str]) -> None:
        self._opener.open_paths(paths, ArrivalKind.TABLE)

    @Slot(list)
    def _notes_chosen(self, paths: list[str]) -> None:
        self._opener.open_paths(paths, ArrivalKind.DOCUMENT)

    # One file

    @Slot(object)
    def _table(self, file: Path) -> None:
        if self._busy_with(Arrival(file, ArrivalKind.TABLE, "")):
            return
        services = self._services
        # Brings readers and loaders along: not before it is needed.
        from desktop.gui.ingest.import_assistant import ImportAssistant

        assistant = ImportAssistant(
            services.theme, services.tasks, file, services.paths.documents, self._window
        )
        assistant.made.connect(self._made)
        self._show(assistant)

    @Slot(object)
    def _document(self, file: Path) -> None:
        if self._busy_with(Arrival(file, ArrivalKind.DOCUMENT, "")):
            return
        if self._service is None:
            self._opener.reported.emit(
                Sentence(
                    "Nothing can be drafted in this copy of the window.", "It was opened without an engine."
                )
            )
            return
        services = self._services
        # Brings readers and engines along: not before it is needed.
        from desktop.gui.ingest.drafting_assistant import DraftingAssistant

        assistant = DraftingAssistant(
            services.theme, services.tasks, self._service, file, services.paths.documents, self._window
        )
        assistant.made.connect(self._drafted)
        self._show(assistant)

    @Slot(object)
    def _either(self, file: Path) -> None:
        if self._busy_with(Arrival(file, ArrivalKind.TABLE_OR_DOCUMENT, "")):
            return
        question = Question(
            self._services.theme,
            f"{file.name} is mostly a table",
            "Each row can become an example with the answer that stands in it. Or a model drafts examples from "
            "the whole text.",
            [
                ("Read it as a &table", "table", partial(self._put_first, file, ArrivalKind.TABLE)),
                ("Read it as &notes", "file", partial(self._put_first, file, ArrivalKind.DOCUMENT)),
            ],
            "&Cancel",
            self._window,
        )
        self._show(question)

    def _put_first(self, file: Path, kind: ArrivalKind) -> None:
        """Called while the question closes: its turn comes right after."""
        self._waiting.appendleft(Arrival(file, kind, ""))

    @Slot(object)
    def _made(self, folder: Path) -> None:
        self._opening = True
        self._opener.open_folder(folder)

    @Slot(object)
    def _drafted(self, folder: Path) -> None:
        self._to_review = folder
        self._made(folder)

    # Several

    @Slot(list)
    def _several(self, planned: list[Arrival]) -> None:
        if self.dialog is not None:
            self._waiting.extend(planned)
            return
        dialog = ArrivalsDialog(self._services.theme, planned, self._window)
        dialog.accepted.connect(partial(self._take, planned))
        self._show(dialog)

    def _take(self, planned: list[Arrival]) -> None:
        self._waiting.extend(arrival for arrival in planned if not arrival.refused)

    @Slot()
    def _go_on(self) -> None:
        """The next one, unless something is open or being opened."""
        if self.dialog is not None or self._opening or not self._waiting:
            return
        arrival = self._waiting.popleft()
        if arrival.kind is ArrivalKind.MODEL:
            models = [arrival, *(other for other in self._waiting if other.kind is ArrivalKind.MODEL)]
            self._waiting = deque(other for other in self._waiting if other.kind is not ArrivalKind.MODEL)
            self._opener.add_models([model.path for model in models])
        elif arrival.kind in PACKS and arrival.message == ONE_PACK:
            self._opener.remember_later(arrival.path)
        else:
            self._opening = arrival.kind in PACKS
            self._opener.open_arrival(arrival)
        self._next()

    def _next(self) -> None:
        QTimer.singleShot(0, self, self._go_on)

    @Slot(object)
    def _pack_opened(self, _pack: OpenedPack) -> None:
        self._opening = False
        self._next()

    @Slot()
    def _shown(self) -> None:
        """The editor shows another pack, perhaps after a question about the one before."""
        if self._to_review is not None and self._is_shown(self._to_review):
            # What opens the pack sets the focus as well, and is not done yet.
            QTimer.singleShot(0, self, self._show_review)

    @Slot()
    def _show_review(self) -> None:
        folder, self._to_review = self._to_review, None
        if folder is not None and self._pack.editor is not None and self._is_shown(folder):
            self._pack.editor.show_review()
            self.review_shown.emit(folder)

    def _is_shown(self, folder: Path) -> bool:
        editor = self._pack.editor
        return editor is not None and editor.document.folder == folder

    @Slot(object)
    def _reported(self, _sentence: Sentence) -> None:
        """Something could not be opened; the others still can."""
        self._opening = False
        self._to_review = None
        self._next()

    # The one dialog

    def _busy_with(self, arrival: Arrival) -> bool:
        if self.dialog is None:
            return False
        self._waiting.append(arrival)
        return True

    def _show(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.finished.connect(self._closed)
        dialog.open()

    @Slot()
    def _closed(self) -> None:
        self.dialog = None
        # Not every window system gives the keyboard back to the window behind a dialog.
        self._window.activateWindow()
        self._next()
