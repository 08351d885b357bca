"""Where files are kept: every folder of the program with what lies in it, and a button that opens it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.foundation.paths import Paths
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel

Open = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class KeptPlace:
    message: str
    folder: Path


def kept_places(paths: Paths, log_file: Path | None) -> list[KeptPlace]:
    places = [
        KeptPlace("Samples, unpacked zips and new packs", paths.documents),
        KeptPlace("Runs, and copies of unsaved work", paths.data),
        *(KeptPlace("Models of the program", folder) for folder in paths.model_folders),
        KeptPlace("Settings", paths.config),
        KeptPlace("The log, and traces of crashes", log_file.parent if log_file else paths.logs),
        KeptPlace("What can be made again at any time", paths.cache),
    ]
    return list({place.folder: place for place in reversed(places)}.values())[::-1]


def open_folder(folder: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


class PlacesDialog(QDialog):
    def __init__(
        self,
        theme: Theme,
        paths: Paths,
        log_file: Path | None,
        parent: QWidget | None = None,
        *,
        open_place: Open = open_folder,
    ) -> None:
        super().__init__(parent)
        self._open = open_place
        self._places = kept_places(paths, log_file)
        self.setWindowTitle("Where files are kept")
        note = TextLabel(
            theme,
            "Packs and models that you opened from elsewhere stay where they are. With the variable "
            "PACKBENCH_HOME set to a folder, everything below lies in that folder.",
            tone=Tone.MUTED,
            wrap=True,
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(16))
        grid.setVerticalSpacing(theme.px(8))
        grid.setColumnStretch(1, 1)
        self.buttons: list[Button] = []
        for row, place in enumerate(self._places):
            there = place.folder.is_dir()
            button = Button(theme, "Open" if there else "Not made yet", icon="folder")
            button.setEnabled(there)
            button.setProperty("row", row)
            button.setAccessibleName(f"Open the folder: {place.message}")
            button.clicked.connect(self._open_row)
            path = TextLabel(theme, str(place.folder), elide=True, selectable=True)
            grid.addWidget(TextLabel(theme, place.message, bold=True), row, 0)
            grid.addWidget(path, row, 1)
            grid.addWidget(button, row, 2)
            self.buttons.append(button)
        self.copy_button = Button(theme, "&Copy all", icon="copy")
        self.copy_button.clicked.connect(self._copy)
        close = Button(theme, "C&lose", primary=True)
        close.clicked.connect(self.accept)
        last = QHBoxLayout()
        last.addWidget(self.copy_button)
        last.addStretch(1)
        last.addWidget(close)
        outer = QVBoxLayout(self)
        outer.addWidget(note)
        outer.addLayout(grid)
        outer.addStretch(1)
        outer.addLayout(last)
        margin = theme.px(16)
        outer.setContentsMargins(margin, margin, margin, margin)
        outer.setSpacing(theme.px(12))
        self.resize(theme.px(820), self.sizeHint().height())
        close.setFocus()

    @Slot()
    def _open_row(self) -> None:
        self._open(self._places[int(self.sender().property("row"))].folder)

    @Slot()
    def _copy(self) -> None:
        lines = (f"{place.message}: {place.folder}" for place in self._places)
        QGuiApplication.clipboard().setText("\n".join(lines))
        self.copy_button.setText("Copied")
