"""Opening what a person drops or chooses: understood first, read off the GUI thread, then handed on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.application.opened_pack import OpenedPack, PackKind, read_pack
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import Sentence, sentence_for
from desktop.gui.core.window_services import WindowServices
from desktop.gui.widgets.drop_area import DropLine
from desktop.ingest.arrivals import Arrival, ArrivalKind, plan_of, understand
from desktop.ingest.pack_copies import copy_sample, unpack_pack

MAX_RECENT = 12


class Opener(QObject):
    """One for the window. Everything comes back through signals on the GUI thread."""

    began = Signal()
    """Something is being opened: what was said before is over."""
    pack_opened = Signal(object)
    """OpenedPack."""
    models_added = Signal(list)
    """list[Path]; they are in the settings already."""
    table_given = Signal(object)
    """Path of a table that is to become a pack."""
    document_given = Signal(object)
    """Path of a document that a pack is to be drafted from."""
    either_given = Signal(object)
    """Path of a file that may be read as a table or as a document."""
    bundle_given = Signal(object)
    """Path of a folder or zip with evidence."""
    several_given = Signal(list)
    """list[Arrival]: what will happen with several things at once, as `plan_of` says; nothing is done yet."""
    reported = Signal(object)
    """Sentence: why something was not opened."""
    explained = Signal(list)
    """list[DropLine] for what is being dragged."""

    def __init__(self, services: WindowServices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._explaining: CancelToken | None = None
        self._reading: CancelToken | None = None

    def explain(self, paths: Sequence[str]) -> None:
        """Say what a drop of these would do; only the newest question is answered."""
        if self._explaining is not None:
            self._explaining.cancel()

        def look(cancel: CancelToken) -> list[Arrival]:
            arrivals = []
            for path in paths:
                cancel.raise_if_cancelled()
                arrivals.append(understand(Path(path)))
            return arrivals

        self._explaining = self._services.tasks.start(look, self._explain, self._failed)

    def stop_explaining(self) -> None:
        if self._explaining is not None:
            self._explaining.cancel()
            self._explaining = None

    def open_paths(self, paths: Sequence[str], wanted: ArrivalKind | None = None) -> None:
        """Open what these are; several are asked about first.

        wanted: TABLE or DOCUMENT where the person has said how a file that may be either is to be read.
        """

        self.began.emit()

        def look(_cancel: CancelToken) -> list[Arrival]:
            return [_as_wanted(understand(Path(path)), wanted) for path in paths]

        self._services.tasks.start(look, self._open_arrivals, self._failed)

    def open_folder(self, folder: Path, kind: PackKind | None = None) -> None:
        """kind: which pack, where the folder holds one of each."""
        self._read(partial(_read_folder, folder, kind))

    def open_sample(self, name: str) -> None:
        """Copy a sample into the documents and open the copy."""
        sample = self._services.samples().joinpath(name)
        documents = self._services.paths.documents

        def copy_and_read(_cancel: CancelToken) -> OpenedPack:
            return _with_editor(read_pack(copy_sample(sample, documents)))

        self._read(copy_and_read)

    def forget(self, folder: str) -> tuple[str, ...]:
        """Take a pack from the recent ones; returns how they were before."""
        before = self._services.settings.current.recent
        self._services.settings.change(recent=tuple(entry for entry in before if entry != folder))
        return before

    def _read(self, job: Callable[[CancelToken], OpenedPack]) -> None:
        self.began.emit()
        if self._reading is not None:
            self._reading.cancel()
        self._reading = self._services.tasks.start(job, self._opened, self._failed)

    @Slot(object)
    def _explain(self, arrivals: list[Arrival]) -> None:
        if self._explaining is None:
            # The drag has left meanwhile.
            return
        self.explained.emit(
            [DropLine(shown_name(arrival), arrival.message, arrival.refused) for arrival in plan_of(arrivals)]
        )

    @Slot(object)
    def _open_arrivals(self, arrivals: list[Arrival]) -> None:
        planned = plan_of(arrivals)
        if len(planned) == 1:
            self.open_arrival(planned[0])
        elif planned:
            self.several_given.emit(planned)

    def open_arrival(self, arrival: Arrival) -> None:
        """Do what its words say."""
        match arrival.kind:
            case ArrivalKind.MODEL:
                self.add_models([arrival.path])
            case ArrivalKind.TABLE:
                self.table_given.emit(arrival.path)
            case ArrivalKind.DOCUMENT:
                self.document_given.emit(arrival.path)
            case ArrivalKind.TABLE_OR_DOCUMENT:
                self.either_given.emit(arrival.path)
            case ArrivalKind.BUNDLE:
                self.bundle_given.emit(arrival.path)
            case ArrivalKind.PACK_ZIP:
                self._read(partial(_unpack_and_read, arrival.path, self._services.paths.documents))
            case ArrivalKind.TASK_PACK:
                self.open_folder(arrival.path, PackKind.TASK)
            case ArrivalKind.QUALIFICATION_PACK:
                self.open_folder(arrival.path, PackKind.QUALIFICATION)
            case _:
                self.reported.emit(
                    Sentence(f"{shown_name(arrival)}: {arrival.message}", "Nothing was changed.")
                )

    def add_models(self, files: list[Path]) -> None:
        """Where they lie; nothing is copied."""
        settings = self._services.settings
        known = settings.current.model_files
        new = tuple(str(file.absolute()) for file in files if str(file.absolute()) not in known)
        if new:
            settings.change(model_files=(*known, *new))
        self.models_added.emit(files)

    @Slot(object)
    def _opened(self, pack: OpenedPack) -> None:
        self.remember(pack.folder)
        self.pack_opened.emit(pack)

    def remember_later(self, place: Path) -> None:
        """Put a pack among the recent ones, behind the one that is open."""
        settings = self._services.settings
        folder, recent = str(place.absolute()), settings.current.recent
        others = [entry for entry in recent if entry != folder]
        settings.change(recent=(*others[:1], folder, *others[1:])[:MAX_RECENT])

    def remember(self, place: Path) -> None:
        """Put a pack to the top of the recent ones."""
        settings = self._services.settings
        folder = str(place.absolute())
        others = [entry for entry in settings.current.recent if entry != folder]
        settings.change(recent=(folder, *others)[:MAX_RECENT])

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        self.reported.emit(sentence_for(error))


def _read_folder(folder: Path, kind: PackKind | None, _cancel: CancelToken) -> OpenedPack:
    return _with_editor(read_pack(folder, kind))


def _unpack_and_read(archive: Path, documents: Path, _cancel: CancelToken) -> OpenedPack:
    return _with_editor(read_pack(unpack_pack(archive, documents)))


def shown_name(arrival: Arrival) -> str:
    return arrival.path.name or str(arrival.path)


def _as_wanted(arrival: Arrival, wanted: ArrivalKind | None) -> Arrival:
    """Word files and plain text can be read either way, a table also as a document."""
    either = (ArrivalKind.TABLE, ArrivalKind.DOCUMENT, ArrivalKind.TABLE_OR_DOCUMENT)
    if wanted is None or arrival.kind not in either:
        return arrival
    readable = arrival.path.suffix.lower() in (".txt", ".docx") or arrival.kind is ArrivalKind.TABLE
    return replace(arrival, kind=wanted) if readable else arrival


def _with_editor(pack: OpenedPack) -> OpenedPack:
    """Load the editor's own modules here, off the GUI thread: the first pack would hold up the window by it."""
    if pack.content is not None:
        import_module("desktop.gui.editor.editor_page")
    return pack
