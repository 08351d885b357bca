"""The same as dropping, by choosing files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.gui.core.window_services import WindowServices
from desktop.ingest.arrivals import DOCUMENTS, TABLES

OnPaths = Callable[[list[str]], None]


def ask_for_pack(window: QWidget, services: WindowServices, on_paths: OnPaths) -> None:
    """A pack folder is chosen by the file that describes it; a zip as it is. Returns at once."""
    _ask(
        window,
        "Open a pack",
        "Packs (task.yaml pack.yaml *.zip);;All files (*)",
        services,
        on_paths,
    )


def ask_for_models(window: QWidget, services: WindowServices, on_paths: OnPaths) -> None:
    _ask(window, "Add a model", "Models (*.gguf);;All files (*)", services, on_paths, many=True)


def ask_for_table(window: QWidget, services: WindowServices, on_paths: OnPaths) -> None:
    kinds = " ".join(f"*{suffix}" for suffix in sorted(TABLES | {".docx", ".txt"}))
    _ask(window, "Make a pack from a spreadsheet", f"Tables ({kinds});;All files (*)", services, on_paths)


def ask_for_notes(window: QWidget, services: WindowServices, on_paths: OnPaths) -> None:
    kinds = " ".join(f"*{suffix}" for suffix in sorted(DOCUMENTS))
    _ask(window, "Draft a pack from notes", f"Documents ({kinds});;All files (*)", services, on_paths)


def ask_for_bundle(window: QWidget, services: WindowServices, on_paths: OnPaths) -> None:
    """A bundle folder is chosen by its `manifest.json`; a zip as it is."""
    _ask(window, "Look into a bundle", "Bundles (manifest.json *.zip);;All files (*)", services, on_paths)


def _ask(
    window: QWidget, title: str, kinds: str, services: WindowServices, on_paths: OnPaths, *, many: bool = False
) -> None:
    dialog = QFileDialog(window, title, str(_folder(services)), kinds)
    files = QFileDialog.FileMode.ExistingFiles if many else QFileDialog.FileMode.ExistingFile
    dialog.setFileMode(files)
    dialog.filesSelected.connect(on_paths)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _folder(services: WindowServices) -> Path:
    """Beside the newest pack, else the documents, else home."""
    recent = services.settings.current.recent
    candidates = [Path(recent[0]).parent] if recent else []
    candidates += [services.paths.documents, Path.home()]
    return next((folder for folder in candidates if folder.is_dir()), Path.home())
