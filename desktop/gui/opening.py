"""Opening what a person drops or chooses: understood first, read off the GUI thread, then handed on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.cancel import CancelToken
from desktop.gui.errors import Sentence, sentence_for
from desktop.gui.pack.opened import OpenedPack, PackKind, read_pack
from desktop.gui.services import Services
from desktop.gui.widgets.drop_area import DropLine
from desktop.ingest.arrivals import Arrival, ArrivalKind, understand
from desktop.ingest.pack_copies import copy_sample, unpack_pack

MOST_RECENT = 12
NOT_YET = {
    ArrivalKind.TABLE: "Making a pack from a table is not in this window yet.",
    ArrivalKind.DOCUMENT: "Drafting a pack from a document is not in this window yet.",
    ArrivalKind.BUNDLE: "Looking into a bundle is not in this window yet.",
}
"""Said for what is understood but cannot be done here so far."""
INSTEAD = {
    ArrivalKind.TABLE: "“packbench import” makes a pack from a table on the command line.",
    ArrivalKind.DOCUMENT: "“packbench ingest” drafts one on the command line.",
    ArrivalKind.BUNDLE: "“packbench inspect” tells on the command line what it says and whether it is intact.",
}


class Opener(QObject):
    """One for the window. Everything comes back through signals on the GUI thread."""

    began = Signal()
    """Something is being opened: what was said before is over."""
    pack_opened = Signal(object)
    """OpenedPack."""
    models_added = Signal(list)
    """list[Path]; they are in the settings already."""
    told = Signal(object)
    """Sentence: why something was not opened."""
    explained = Signal(list)
    """list[DropLine] for what is being dragged."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
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

    def open_paths(self, paths: Sequence[str]) -> None:
        """Open what these are: packs, zips, models. Of several packs the first is opened."""

        self.began.emit()

        def look(_cancel: CancelToken) -> list[Arrival]:
            return [understand(Path(path)) for path in paths]

        self._services.tasks.start(look, self._open_arrivals, self._failed)

    def open_folder(self, folder: Path, kind: PackKind | None = None) -> None:
        """kind: which pack, where the folder holds one of each."""
        self._read(partial(_read_folder, folder, kind))

    def open_sample(self, name: str) -> None:
        """Copy a sample into the documents and open the copy."""
        sample = self._services.samples().joinpath(name)
        documents = self._services.paths.documents

        def copy_and_read(_cancel: CancelToken) -> OpenedPack:
            return read_pack(copy_sample(sample, documents))

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
        lines = []
        for arrival in arrivals:
            refused = arrival.kind is ArrivalKind.UNKNOWN or arrival.kind in NOT_YET
            what = NOT_YET.get(arrival.kind, arrival.words)
            lines.append(DropLine(arrival.path.name or str(arrival.path), what, refused))
        self.explained.emit(lines)

    @Slot(object)
    def _open_arrivals(self, arrivals: list[Arrival]) -> None:
        models = [arrival.path for arrival in arrivals if arrival.kind is ArrivalKind.MODEL]
        if models:
            self._add_models(models)
        packs = [
            arrival
            for arrival in arrivals
            if arrival.kind in (ArrivalKind.TASK_PACK, ArrivalKind.QUALIFICATION_PACK, ArrivalKind.PACK_ZIP)
        ]
        if packs:
            self._open_pack(packs[0])
        others = [
            arrival for arrival in arrivals if arrival.kind is ArrivalKind.UNKNOWN or arrival.kind in NOT_YET
        ]
        if others:
            self.told.emit(_sentence_for_others(others))
        elif len(packs) > 1:
            self.told.emit(Sentence(f"{len(packs)} packs were given; {packs[0].path.name} is opened."))

    def _open_pack(self, arrival: Arrival) -> None:
        if arrival.kind is ArrivalKind.PACK_ZIP:
            self._read(partial(_unpack_and_read, arrival.path, self._services.paths.documents))
        elif arrival.path.is_dir():
            is_task = arrival.kind is ArrivalKind.TASK_PACK
            self.open_folder(arrival.path, PackKind.TASK if is_task else PackKind.QUALIFICATION)
        else:
            self.told.emit(
                Sentence("A zipped qualification pack cannot be opened in this window yet.", "Unpack it first.")
            )

    def _add_models(self, files: list[Path]) -> None:
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

    def remember(self, place: Path) -> None:
        """Put a pack to the top of the recent ones."""
        settings = self._services.settings
        folder = str(place.absolute())
        others = [entry for entry in settings.current.recent if entry != folder]
        settings.change(recent=(folder, *others)[:MOST_RECENT])

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        self.told.emit(sentence_for(error))


def _read_folder(folder: Path, kind: PackKind | None, _cancel: CancelToken) -> OpenedPack:
    return read_pack(folder, kind)


def _unpack_and_read(archive: Path, documents: Path, _cancel: CancelToken) -> OpenedPack:
    return read_pack(unpack_pack(archive, documents))


def _sentence_for_others(others: list[Arrival]) -> Sentence:
    if len(others) == 1:
        only = others[0]
        return Sentence(
            f"{only.path.name}: {NOT_YET.get(only.kind, only.words)}",
            INSTEAD.get(only.kind, "Nothing was changed."),
        )
    names = ", ".join(arrival.path.name for arrival in others[:5])
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    return Sentence(
        f"{len(others)} things were not opened: {names}{more}.", "Open them one by one to read why."
    )
