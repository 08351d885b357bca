"""The Pack place: empty, a task pack in the editor, or another pack to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.application.opened_pack import OpenedPack
from desktop.gui.core.place import Place
from desktop.gui.core.window_services import WindowServices
from desktop.gui.pack.read_page import ReadPage
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.page_stack import PageStack

if TYPE_CHECKING:
    from desktop.application.run_service import RunService
    from desktop.gui.editor.editor_page import EditorPage

EMPTY = "The pack you open is edited here: what it asks, its examples, and how answers are judged."


class PackPlace(Place):
    """At most one pack is open."""

    open_asked = Signal()
    run_asked = Signal()
    check_asked = Signal()
    models_asked = Signal()
    """Which models fit this pack?"""
    saved = Signal()
    """The disk is as the window now."""
    pack_changed = Signal()
    """`pack` says something else now: it was checked, saved, moved."""
    folder_opened = Signal(str)
    """The pack is in this folder now, or one that was just made is to be opened."""

    def __init__(
        self, services: WindowServices, parent: QWidget | None = None, *, service: RunService | None = None
    ) -> None:
        """service: for trying an example at once; without it that is not offered."""
        super().__init__(parent)
        self._services = services
        self._service = service
        self._pack: OpenedPack | None = None
        self.editor: EditorPage | None = None
        self.with_models = True
        """Is there a Models place to be sent to?"""
        theme = services.theme
        self.empty = EmptyState(theme, EMPTY, "&Open a pack…", icon="folder")
        self.empty.asked.connect(self.open_asked)
        self.reader = ReadPage(services)
        self.reader.run_asked.connect(self.run_asked)
        self.reader.check_asked.connect(self.check_asked)
        self.reader.models_asked.connect(self.models_asked)
        self._stack = PageStack()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.reader)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)

    # What is open

    @property
    def pack(self) -> OpenedPack | None:
        """As it is now, with what was found in it at the last check."""
        return self._pack

    @property
    def undo_stack(self) -> QUndoStack | None:
        return self.editor.document.undo if self.editor is not None else None

    def show_pack(self, pack: OpenedPack | None) -> None:
        """Open this pack, or none. What was open is closed; ask `close_question` before."""
        self._close_editor()
        self._pack = pack
        if pack is None:
            self._stack.setCurrentWidget(self.empty)
        elif pack.content is None:
            self.reader.models_button.setVisible(self.with_models)
            self.reader.show_pack(pack)
            self._stack.setCurrentWidget(self.reader)
        else:
            # The editor brings scorers and loaders along: not before a pack is opened.
            from desktop.gui.editor.document.document import PackDocument
            from desktop.gui.editor.editor_page import EditorPage

            document = PackDocument(pack.folder, pack.content)
            editor = EditorPage(
                self._services, document, service=self._service, problems=pack.problems, rows=pack.example_rows
            )
            document.setParent(editor)
            editor.bar.models_button.setVisible(self.with_models)
            editor.run_asked.connect(self.run_asked)
            editor.models_asked.connect(self.models_asked)
            editor.title_changed.connect(self._renamed)
            editor.sent_to.connect(self.sent_to)
            editor.checked.connect(self._checked)
            editor.saved.connect(self.saved)
            editor.life.copies.copy_made.connect(self.folder_opened)
            document.moved.connect(self._moved)
            self.editor = editor
            self._stack.addWidget(editor)
            self._stack.setCurrentWidget(editor)
            editor.life.kept.offer()
        self.title_changed.emit(self.title())

    def _close_editor(self) -> None:
        if self.editor is not None:
            self.editor.close_document()
            self._stack.removeWidget(self.editor)
            self.editor.hide()
            self.editor.deleteLater()
            self.editor = None

    # Place

    def panes(self) -> Sequence[QWidget]:
        if self.editor is not None:
            return self.editor.panes()
        if self._pack is not None:
            return self.reader.panes()
        return (self.empty.button,) if self.empty.button is not None else ()

    def title(self) -> str:
        if self.editor is not None:
            return self.editor.name + ("*" if self.editor.document.modified else "")
        return self._pack.name if self._pack is not None else ""

    def start_search(self) -> None:
        if self.editor is not None:
            self.editor.start_search()

    def close_question(self, then: Callable[[], None]) -> bool:
        return self.editor is not None and self.editor.life.close_question(then)

    def wind_down(self) -> None:
        if self.editor is not None:
            self.editor.close_document()

    def save_first(self, then: Callable[[], None]) -> bool:
        """A run reads the disk: what is not saved is saved, then `then` follows. Has it already?"""
        editor = self.editor
        if editor is not None and editor.document.modified:
            return editor.life.save_then(then)
        then()
        return True

    def look_at_disk(self) -> None:
        """Has another program changed the pack?"""
        if self.editor is not None:
            self.editor.life.disk.look()

    # What the editor tells

    @Slot()
    def _renamed(self) -> None:
        self.title_changed.emit(self.title())
        self._update()

    @Slot()
    def _checked(self) -> None:
        self._update()
        self.pack_changed.emit()

    @Slot()
    def _moved(self) -> None:
        self._update()
        self.pack_changed.emit()
        if self._pack is not None:
            self.folder_opened.emit(str(self._pack.folder))

    def _update(self) -> None:
        editor = self.editor
        if editor is None or self._pack is None:
            return
        checker = editor.checker
        self._pack = replace(
            self._pack,
            folder=editor.document.folder,
            name=editor.name,
            count=len(editor.document.content.example_files()),
            problems=checker.problems,
            context_tokens=checker.context_tokens,
            needed_tokens=checker.needed_tokens,
        )
