"""What the window does with the pack that is open: opens, runs, checks and closes it, and comes back to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.application.opened_pack import OpenedPack, PackKind
from desktop.application.recovery_copies import Recovered, RecoveryFolder
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.place import Place, PlaceName, RunsPlaceBase
from desktop.gui.core.window_services import WindowServices
from desktop.gui.models.place import ModelsPlace
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.shell.menus import Menus
from desktop.gui.shell.opening import Opener
from desktop.gui.shell.panes import focus_first
from desktop.gui.start.start_place import StartPlace
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from desktop.gui.widgets.toast import Toast


class PackActions(QObject):
    """Joins the Pack place with the menus, Start, Models and Runs. One for the window."""

    def __init__(
        self,
        services: WindowServices,
        opener: Opener,
        menus: Menus,
        places: tuple[StartPlace, PackPlace, RunsPlaceBase, Place | None],
        strips: tuple[NoticeStrip, Toast],
        show_place: Callable[[PlaceName], None],
        window: QWidget,
    ) -> None:
        """places: Start, Pack, Runs and Models. strips: over the place, and the passing one."""
        super().__init__(window)
        self._services = services
        self._opener = opener
        self._menus = menus
        self._start, self._place, self._runs, models = places
        self._models = models if isinstance(models, ModelsPlace) else None
        self._notice, self._toast = strips
        self._show_place = show_place
        self._window = window
        self.run_when_opened = False
        self._example_when_opened: str | None = None
        self._copies_offered = False
        self._place.with_models = self._models is not None
        self._connect()
        self._enable()

    @property
    def pack(self) -> OpenedPack | None:
        return self._place.pack

    def _connect(self) -> None:
        place, menus = self._place, self._menus
        self._opener.pack_opened.connect(self._opened)
        self._opener.reported.connect(self._not_opened)
        if self._models is not None:
            self._models.run_asked.connect(self._run_models)
            place.models_asked.connect(self._show_models)
        place.run_asked.connect(self.plan_run)
        place.check_asked.connect(self._check_again)
        place.pack_changed.connect(self._changed)
        place.folder_opened.connect(self._folder_opened)
        place.title_changed.connect(self._enable)
        self._runs.edit_asked.connect(self._edit_example)
        menus.new_pack.triggered.connect(self.new_pack)
        menus.close_pack.triggered.connect(self._close)
        menus.check_pack.triggered.connect(self._check_again)
        menus.show_folder.triggered.connect(self._show_folder)
        menus.plan_run.triggered.connect(self.plan_run)
        menus.save.triggered.connect(self._save)
        menus.save_as.triggered.connect(self._save_as)
        menus.duplicate.triggered.connect(self._duplicate)
        menus.export_zip.triggered.connect(self._export_zip)
        menus.next_problem.triggered.connect(self._next_problem)
        menus.previous_problem.triggered.connect(self._previous_problem)

    # Opening

    @Slot(object)
    def _opened(self, pack: OpenedPack) -> None:
        current = self.pack
        editor = self._place.editor
        same = current is not None and current.folder == pack.folder and current.kind is pack.kind
        if same and editor is not None:
            # What is open may hold more than the disk; the two are compared instead.
            self._place.look_at_disk()
        else:
            if self._place.close_question(partial(self._opened, pack)):
                return
            self._place.show_pack(pack)
        self._changed()
        self._start.refresh()
        if self.run_when_opened:
            self.run_when_opened = False
            self.plan_run()
            return
        self._show_place(PlaceName.PACK)
        example, self._example_when_opened = self._example_when_opened, None
        if self._place.editor is not None and example:
            self._place.editor.show_example(example)
        elif not same:
            focus_first(self._place.panes()[0])

    @Slot()
    def _not_opened(self) -> None:
        self.run_when_opened = False
        self._example_when_opened = None

    @Slot(str, str)
    def _edit_example(self, folder: str, example: str) -> None:
        """From a result to the example it came from."""
        self._example_when_opened = example
        self._opener.open_folder(Path(folder))

    @Slot(str)
    def _folder_opened(self, folder: str) -> None:
        """The open pack lies there now, or a copy there is to be opened."""
        self._window.activateWindow()
        if self.pack is not None and str(self.pack.folder) == folder:
            self._opener.remember(Path(folder))
            self._start.refresh()
        else:
            self._opener.open_folder(Path(folder))

    @Slot()
    def new_pack(self) -> None:
        """A dialog for name, scorer and folder; then the new pack is open."""
        # Brings the scorers along: not before it is asked for.
        from desktop.gui.editor.new_pack_dialog import NewPackDialog

        dialog = NewPackDialog(self._services.theme, self._services.paths.documents, self._window)
        dialog.made.connect(self._folder_opened)
        dialog.open()

    # Running

    @Slot()
    def plan_run(self) -> None:
        pack = self.pack
        if pack is not None and pack.kind is PackKind.TASK:
            self._place.save_first(partial(self._plan, pack.folder, []))

    def _plan(self, folder: Path, models: list[Path]) -> None:
        self._runs.plan_run(folder)
        for file in models:
            self._runs.add_model(file)
        self._show_place(PlaceName.RUNS)

    @Slot(list)
    def _run_models(self, files: list[Path]) -> None:
        """Run the open pack on these models."""
        pack = self.pack
        if pack is None or pack.kind is not PackKind.TASK or pack.errors:
            self._toast.show_text("Open a task pack without problems first; then it can be run on this model.")
            return
        if not self._place.save_first(partial(self._plan, pack.folder, files)):
            self._show_place(PlaceName.PACK)

    @Slot()
    def _show_models(self) -> None:
        self._show_place(PlaceName.MODELS)

    # The menus

    @Slot()
    def _check_again(self) -> None:
        editor = self._place.editor
        if editor is not None:
            self._place.look_at_disk()
            editor.checker.check()
        elif self.pack is not None:
            self._opener.open_folder(self.pack.folder, self.pack.kind)

    @Slot()
    def _close(self) -> None:
        if self._place.close_question(self._close):
            return
        self._place.show_pack(None)
        self._changed()

    @Slot()
    def _save(self) -> None:
        if self._place.editor is not None:
            self._place.editor.life.save()

    @Slot()
    def _save_as(self) -> None:
        if self._place.editor is not None:
            self._place.editor.life.copies.ask_save_as()

    @Slot()
    def _duplicate(self) -> None:
        if self._place.editor is not None:
            self._place.editor.life.copies.ask_duplicate()

    @Slot()
    def _export_zip(self) -> None:
        if self._place.editor is not None:
            self._place.editor.life.copies.ask_zip()

    @Slot()
    def _next_problem(self) -> None:
        if self._place.editor is not None:
            self._show_place(PlaceName.PACK)
            self._place.editor.next_problem()

    @Slot()
    def _previous_problem(self) -> None:
        if self._place.editor is not None:
            self._show_place(PlaceName.PACK)
            self._place.editor.previous_problem()

    @Slot()
    def _show_folder(self) -> None:
        if self.pack is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.pack.folder)))

    # What follows

    @Slot()
    def _changed(self) -> None:
        """Another pack, or the same one checked or saved."""
        pack = self.pack
        if self._models is not None:
            if pack is None:
                self._models.set_pack("", None, None)
            else:
                self._models.set_pack(pack.name, pack.context_tokens, pack.needed_tokens)
        self._enable()

    @Slot()
    def _enable(self) -> None:
        pack, editor, menus = self.pack, self._place.editor, self._menus
        for action in (menus.close_pack, menus.check_pack, menus.show_folder):
            action.setEnabled(pack is not None)
        for action in (
            menus.save,
            menus.save_as,
            menus.duplicate,
            menus.export_zip,
            menus.next_problem,
            menus.previous_problem,
        ):
            action.setEnabled(editor is not None)
        menus.plan_run.setEnabled(pack is not None and pack.kind is PackKind.TASK and pack.errors == 0)

    # After a crash

    def offer_copies(self) -> None:
        """Once, when the window has opened: is there unsaved work of an earlier time?"""
        if self._copies_offered:
            return
        self._copies_offered = True
        folder = RecoveryFolder(self._services.paths.recovery)

        def look(_cancel: CancelToken) -> list[Recovered]:
            return folder.all()

        self._services.tasks.start(look, self._found_copies, self._no_copies)

    def _found_copies(self, found: list[Recovered]) -> None:
        left = [entry for entry in found if (entry.folder / "task.yaml").is_file()]
        if not left or self.pack is not None:
            return
        newest = left[0]
        more = f" There is more: {len(left) - 1} other packs." if len(left) > 1 else ""
        when = newest.saved_at[:16].replace("T", " ")
        self._notice.show_text(
            f"Unsaved work in “{newest.folder.name}” of {when} was kept.{more}",
            "Open the pack to restore it or to throw it away.",
            Tone.WARN,
            [("&Open it", partial(self._opener.open_folder, newest.folder))],
        )

    def _no_copies(self, error: Exception) -> None:
        raise error
