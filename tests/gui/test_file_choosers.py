"""Every button that opens a file chooser, by real keys and clicks in Qt's own chooser."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QCompleter, QFileDialog, QLineEdit, QListView, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from desktop.gui.core.place import PlaceName
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.ingest.drafting_assistant import DraftingAssistant
from desktop.gui.ingest.import_assistant import ImportAssistant
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.start_window import make_window
from tests.fakes.draft_service import ScriptedDraftService
from tests.fakes.drafting import willing
from tests.fakes.model_service import FakeModelService
from tests.fakes.run_service import ScriptedRunService

CSV = "text,label\n" + "".join(
    f"Letter {number} about {('lamps', 'doors')[number % 2]},{('light', 'wood')[number % 2]}\n"
    for number in range(1, 25)
)


@pytest.fixture(autouse=True)
def own_choosers() -> Iterator[None]:
    """Not the system's, which no test could drive."""
    before = QApplication.testAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, True)
    yield
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, before)


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    tasks = TaskRunner(GuiThread(qapp))
    services.paths.documents.mkdir(parents=True)
    made = make_window(
        replace(services, tasks=tasks),
        ScriptedRunService(tmp_path),
        FakeModelService(),
        drafting=ScriptedDraftService(willing()),
    )
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    made.activateWindow()
    yield made
    made.close()
    tasks.shutdown()


def chooser_of(qtbot: QtBot) -> QFileDialog:
    """The chooser that is open now, ready to be used."""

    def find() -> QFileDialog | None:
        shown = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QFileDialog)]
        return next((dialog for dialog in shown if dialog.isVisible()), None)

    qtbot.waitUntil(lambda: find() is not None)
    dialog = find()
    assert dialog is not None
    return dialog


def write_path(qtbot: QtBot, path: Path) -> None:
    """With the keyboard alone: the line for the name has the focus at once."""
    dialog = chooser_of(qtbot)
    line = dialog.findChild(QLineEdit, "fileNameEdit")
    assert line is not None
    qtbot.waitUntil(line.hasFocus)
    # Its list of suggestions grabs the keyboard, which the offscreen platform cannot.
    line.setCompleter(cast("QCompleter", None))
    line.selectAll()
    qtbot.keyClicks(line, str(path))
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not isValid(dialog) or not dialog.isVisible())


def click_file(qtbot: QtBot, name: str) -> None:
    """With the mouse alone: a click on the file in the list, a click on the button."""
    dialog = chooser_of(qtbot)
    view = dialog.findChild(QListView, "listView")
    assert view is not None

    def place() -> QRect:
        root, model = view.rootIndex(), view.model()
        rows = [model.index(row, 0, root) for row in range(model.rowCount(root))]
        return next((view.visualRect(index) for index in rows if index.data() == name), QRect())

    qtbot.waitUntil(lambda: place().isValid())
    view.scrollTo(view.rootIndex())
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place().center())
    button = next(entry for entry in dialog.findChildren(QPushButton) if entry.isDefault())
    qtbot.waitUntil(button.isEnabled)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(dialog) or not dialog.isVisible())


def press(qtbot: QtBot, button: QWidget, way: str) -> None:
    if way == "keyboard":
        button.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.keyClick(button, Qt.Key.Key_Space)
    else:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def choose(qtbot: QtBot, button: QWidget, way: str, file: Path) -> None:
    """The whole way to a file by one means alone."""
    press(qtbot, button, way)
    if way == "keyboard":
        write_path(qtbot, file)
    else:
        click_file(qtbot, file.name)


def button_of(place: QWidget, message: str) -> QPushButton:
    """The one that is seen with these words on it."""
    found = [entry for entry in place.findChildren(QPushButton) if entry.text().replace("&", "") == message]
    return next(button for button in found if button.isVisible())


WAYS = pytest.mark.parametrize("way", ["keyboard", "mouse"])


def zipped(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for file in folder.rglob("*"):
            if file.is_file():
                archive.write(file, Path(folder.name) / file.relative_to(folder))
    return target


@WAYS
def test_that_a_pack_is_chosen_on_start(window: MainWindow, qtbot: QtBot, pack_folder: Path, way: str) -> None:
    file = pack_folder / "task.yaml"
    if way == "mouse":
        file = zipped(pack_folder, window.services.paths.documents / "post-room.zip")
    choose(qtbot, window.start.open_button, way, file)
    qtbot.waitUntil(lambda: window.pack.editor is not None)
    assert window.pack.editor is not None
    assert window.pack.editor.name == "post-room"


@WAYS
def test_that_a_pack_is_chosen_on_the_empty_pack_place(
    window: MainWindow, qtbot: QtBot, pack_folder: Path, way: str
) -> None:
    window.show_place(PlaceName.PACK)
    button = window.pack.empty.button
    assert button is not None
    file = pack_folder / "task.yaml"
    if way == "mouse":
        file = zipped(pack_folder, window.services.paths.documents / "post-room.zip")
    choose(qtbot, button, way, file)
    qtbot.waitUntil(lambda: window.pack.editor is not None)


@WAYS
def test_that_a_table_is_chosen_on_start(window: MainWindow, qtbot: QtBot, way: str) -> None:
    file = window.services.paths.documents / "letters.csv"
    file.write_text(CSV, "utf-8")
    choose(qtbot, window.start.table_button, way, file)
    qtbot.waitUntil(lambda: isinstance(window.arrivals.dialog, ImportAssistant))
    assistant = window.arrivals.dialog
    assert isinstance(assistant, ImportAssistant)
    qtbot.waitUntil(assistant.make_button.isEnabled)
    assistant.reject()


@WAYS
def test_that_a_document_is_chosen_on_start(window: MainWindow, qtbot: QtBot, way: str) -> None:
    file = window.services.paths.documents / "notes.md"
    file.write_text("# Front desk\n\nLamps go to the electrician, doors to the carpenter.\n" * 20, "utf-8")
    choose(qtbot, window.start.notes_button, way, file)
    qtbot.waitUntil(lambda: isinstance(window.arrivals.dialog, DraftingAssistant))
    assistant = window.arrivals.dialog
    assert isinstance(assistant, DraftingAssistant)
    qtbot.waitUntil(assistant.start_button.isEnabled)
    assistant.reject()


@WAYS
def test_that_a_model_file_is_chosen_on_start(window: MainWindow, qtbot: QtBot, way: str) -> None:
    file = window.services.paths.documents / "small.gguf"
    file.write_bytes(b"GGUF")
    taken: list[list[str]] = []
    window.open_paths = taken.append  # type: ignore[method-assign]
    choose(qtbot, window.start.model_button, way, file)
    assert taken == [[str(file)]]


@pytest.mark.parametrize("name", ["letters.csv", "notes.md"])
def test_that_the_folder_of_a_new_pack_is_chosen_in_its_assistant(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    file.write_text(CSV if name.endswith("csv") else "Lamps and doors. " * 200, "utf-8")
    (tmp_path / "packs").mkdir()
    window.open_paths([str(file)])
    kind = ImportAssistant if name.endswith("csv") else DraftingAssistant
    qtbot.waitUntil(lambda: isinstance(window.arrivals.dialog, kind))
    assistant = window.arrivals.dialog
    assert isinstance(assistant, ImportAssistant | DraftingAssistant)
    qtbot.waitUntil(assistant.browse_button.isEnabled)
    press(qtbot, assistant.browse_button, "keyboard")
    write_path(qtbot, tmp_path / "packs")
    assert Path(assistant.folder_line.text()).parent == tmp_path / "packs"
    assistant.reject()


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot, pack_folder: Path) -> MainWindow:
    window.open_paths([str(pack_folder)])
    qtbot.waitUntil(lambda: window.pack.editor is not None)
    return window


def test_that_the_zip_to_export_to_is_written_where_it_was_chosen(
    opened: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    editor = opened.pack.editor
    assert editor is not None
    editor.life.copies.ask_zip()
    write_path(qtbot, tmp_path / "for-you")
    qtbot.waitUntil((tmp_path / "for-you.zip").is_file)


def test_that_a_place_to_save_at_is_chosen_and_used(opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    from desktop.gui.editor.document.place_dialog import PlaceDialog

    (tmp_path / "elsewhere").mkdir()
    editor = opened.pack.editor
    assert editor is not None
    editor.life.copies.ask_save_as()
    dialog = opened.findChild(PlaceDialog)
    assert dialog is not None
    press(qtbot, dialog.place.browse, "mouse")
    write_path(qtbot, tmp_path / "elsewhere")
    assert dialog.place.inside.text() == str(tmp_path / "elsewhere")
    press(qtbot, dialog.accept_button, "keyboard")
    qtbot.waitUntil(lambda: editor.document.folder.parent == tmp_path / "elsewhere")


def test_that_a_model_file_is_added_to_a_plan(opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    from desktop.gui.runs.place import RunsPlace

    file = tmp_path / "added.gguf"
    file.write_bytes(b"GGUF")
    opened.plan_run()
    place = opened.runs
    assert isinstance(place, RunsPlace)
    qtbot.waitUntil(place.plan.add_file.isEnabled)
    before = place.plan.model.rowCount()
    press(qtbot, place.plan.add_file, "keyboard")
    write_path(qtbot, file)
    qtbot.waitUntil(lambda: place.plan.model.rowCount() == before + 1)


@WAYS
def test_that_giving_up_a_chooser_changes_nothing(window: MainWindow, qtbot: QtBot, way: str) -> None:
    press(qtbot, window.start.open_button, way)
    dialog = chooser_of(qtbot)
    if way == "keyboard":
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    else:
        button = next(entry for entry in dialog.findChildren(QPushButton) if entry.text().endswith("ancel"))
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(dialog) or not dialog.isVisible())
    assert window.pack.pack is None


def test_that_a_bundle_is_chosen_on_evidence(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "bundle" / "manifest.json"
    file.parent.mkdir()
    file.write_text("{}", "utf-8")
    taken: list[list[str]] = []
    window.open_paths = taken.append  # type: ignore[method-assign]
    window.show_place(PlaceName.EVIDENCE)
    press(qtbot, button_of(window.places[PlaceName.EVIDENCE], "Open a bundle…"), "keyboard")
    write_path(qtbot, file)
    assert taken == [[str(file.parent)]], "a bundle is its folder"


def test_that_models_are_chosen_by_files_and_by_folder(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    from desktop.gui.models.place import ModelsPlace

    file = tmp_path / "models" / "small.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF")
    window.show_place(PlaceName.MODELS)
    place = window.places[PlaceName.MODELS]
    assert isinstance(place, ModelsPlace)
    files, folder = place.sources.menu.actions()[:2]
    files.trigger()
    write_path(qtbot, file)
    folder.trigger()
    write_path(qtbot, file.parent)
    service = place.service
    assert isinstance(service, FakeModelService)
    assert {source.path for source in service.sources() if source.by_user} == {file, file.parent}


def test_that_a_pack_to_run_is_chosen_from_the_list_of_runs(
    window: MainWindow, qtbot: QtBot, pack_folder: Path
) -> None:
    from desktop.gui.runs.place import RunsPlace

    place = window.runs
    assert isinstance(place, RunsPlace)
    window.show_place(PlaceName.RUNS)
    button = place.history.empty.button
    assert button is not None
    press(qtbot, button, "keyboard")
    write_path(qtbot, pack_folder)
    qtbot.waitUntil(lambda: place.plan.pack is not None)
    assert place.plan.pack is not None
    assert place.plan.pack.folder == pack_folder
