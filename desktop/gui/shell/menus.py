"""The menu bar: every action of the window with its words and keys, in one table that reads like the menus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QUndoStack
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QMenuBar, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid

from desktop.gui.core.place import PlaceName
from desktop.gui.editor.document.undo_keys import DOCUMENT_UNDO
from desktop.gui.shell.rail import ENTRIES
from desktop.gui.theme import Scheme, Theme

_EDITABLE = (QLineEdit, QPlainTextEdit, QTextEdit)


class KeyMenu(QMenu):
    """A menu whose entries come and go; tells the key of the chosen one."""

    key_chosen = Signal(str)

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.triggered.connect(self._notify)
        self.fill(())

    def fill(self, entries: Sequence[tuple[str, str]]) -> None:
        """(key, words) of each entry; an empty menu says so."""
        self.clear()
        for key, message in entries:
            self.addAction(message.replace("&", "&&")).setData(key)
        if not entries:
            self.addAction("Nothing yet").setEnabled(False)

    @Slot(QAction)
    def _notify(self, action: QAction) -> None:
        key = action.data()
        if isinstance(key, str):
            self.key_chosen.emit(key)


class Menus(QObject):
    """Builds the menus on `bar`. The window connects what they do: `menus.open_pack.triggered`."""

    def __init__(self, bar: QMenuBar, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._window = parent
        self._undo: QUndoStack | None = None
        file = bar.addMenu("&File")
        self.new_pack = self._action(file, "&New empty pack…", "Ctrl+N")
        self.open_pack = self._action(file, "&Open a pack…", "Ctrl+O")
        self.recent = KeyMenu("Open &recent", parent)
        self.samples = KeyMenu("Open a &sample", parent)
        file.addMenu(self.recent)
        file.addMenu(self.samples)
        file.addSeparator()
        self.from_table = self._action(file, "From a s&preadsheet…", "")
        self.from_notes = self._action(file, "From no&tes…", "")
        self.add_model = self._action(file, "&Add a model…", "Ctrl+Shift+M")
        file.addSeparator()
        self.save = self._action(file, "Sa&ve", "Ctrl+S")
        self.save_as = self._action(file, "Sav&e as…", "Ctrl+Shift+S")
        self.duplicate = self._action(file, "&Duplicate the pack…", "")
        self.export_zip = self._action(file, "E&xport as zip…", "")
        file.addSeparator()
        self.close_pack = self._action(file, "&Close the pack", "Ctrl+W")
        self.quit = self._action(file, "&Quit", "Ctrl+Q")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self._build_edit(bar.addMenu("&Edit"))
        self._build_view(bar.addMenu("&View"))
        pack = bar.addMenu("&Pack")
        self.check_pack = self._action(pack, "&Check again", "F5")
        self.next_problem = self._action(pack, "&Next problem", "F8")
        self.previous_problem = self._action(pack, "&Previous problem", "Shift+F8")
        self.show_folder = self._action(pack, "Show the &folder", "")
        self.run_menu = bar.addMenu("&Run")
        self.plan_run = self._action(self.run_menu, "&Run the open pack…", "Ctrl+R")
        self._run_separator = self.run_menu.addSeparator()
        self._place_actions: list[QAction] = []
        window = bar.addMenu("&Window")
        self.minimise = self._action(window, "&Minimise", "Ctrl+M")
        self.full_screen = self._action(window, "&Full screen", "F11")
        self.full_screen.setCheckable(True)
        help_menu = bar.addMenu("&Help")
        self.help = self._action(help_menu, "Packbench &help", "F1")
        self.show_log = self._action(help_menu, "Show the &log", "")
        self.show_places = self._action(help_menu, "&Where files are kept…", "")
        help_menu.addSeparator()
        self.about = self._action(help_menu, "&About Packbench", "")
        self.about.setMenuRole(QAction.MenuRole.AboutRole)

    def set_place_actions(self, actions: Sequence[QAction]) -> None:
        """What the shown place adds to the menu Run."""
        for action in self._place_actions:
            self.run_menu.removeAction(action)
        self._place_actions = list(actions)
        self.run_menu.addActions(self._place_actions)
        self._run_separator.setVisible(bool(actions))

    def _action(self, menu: QMenu, message: str, keys: str) -> QAction:
        action = QAction(message, self._window)
        if keys:
            action.setShortcut(QKeySequence(keys))
        menu.addAction(action)
        return action

    def _build_edit(self, edit: QMenu) -> None:
        standard = QKeySequence.StandardKey
        self._edit_actions: list[tuple[QAction, str]] = []
        for message, key, method in (
            ("&Undo", standard.Undo, "undo"),
            ("&Redo", standard.Redo, "redo"),
            ("Cu&t", standard.Cut, "cut"),
            ("&Copy", standard.Copy, "copy"),
            ("&Paste", standard.Paste, "paste"),
            ("Select &all", standard.SelectAll, "selectAll"),
        ):
            action = QAction(message, self._window)
            action.setShortcut(QKeySequence(key))
            action.setData(method)
            action.triggered.connect(self._edit)
            edit.addAction(action)
            self._edit_actions.append((action, method))
        edit.insertSeparator(self._edit_actions[2][0])
        edit.addSeparator()
        edit.aboutToHide.connect(self._allow_edit)
        self.find = self._action(edit, "&Find…", "Ctrl+F")
        edit.aboutToShow.connect(self._enable_edit)

    def _build_view(self, view: QMenu) -> None:
        self.places: dict[PlaceName, QAction] = {}
        group = QActionGroup(self)
        for number, entry in enumerate(ENTRIES, start=1):
            action = self._action(view, f"&{number} {entry.message}", f"Ctrl+{number}")
            action.setCheckable(True)
            action.setData(entry.place.value)
            group.addAction(action)
            self.places[entry.place] = action
        view.addSeparator()
        self.next_pane = self._action(view, "&Next pane", "F6")
        self.previous_pane = self._action(view, "Pre&vious pane", "Shift+F6")
        view.addSeparator()
        self.larger = self._action(view, "&Larger", "")
        self.larger.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
        self.smaller = self._action(view, "&Smaller", "Ctrl+-")
        self.usual = self._action(view, "&Usual size", "Ctrl+0")
        self.roomy = self._action(view, "&Roomy rows", "")
        self.roomy.setCheckable(True)
        look = view.addMenu("&Colours")
        schemes = QActionGroup(self)
        self.schemes: dict[Scheme, QAction] = {}
        for scheme, message in (
            (Scheme.SYSTEM, "As the &system"),
            (Scheme.LIGHT, "&Light"),
            (Scheme.DARK, "&Dark"),
        ):
            action = self._action(look, message, "")
            action.setCheckable(True)
            schemes.addAction(action)
            self.schemes[scheme] = action

    @Slot()
    def _edit(self) -> None:
        sender = self.sender()
        focused = QApplication.focusWidget()
        method = str(sender.data()) if isinstance(sender, QAction) else ""
        if method in ("undo", "redo") and self._uses_document(focused):
            assert self._undo is not None
            getattr(self._undo, method)()
        elif _can(focused, method):
            getattr(focused, method)()

    def set_undo(self, stack: QUndoStack | None) -> None:
        """The history of the open document while its place is shown; Undo and Redo name its steps."""
        if stack is self._undo:
            return
        if self._undo is not None and isValid(self._undo):
            self._undo.indexChanged.disconnect(self._name_undo)
        self._undo = stack
        if stack is not None:
            stack.indexChanged.connect(self._name_undo)
        self._name_undo()

    def _uses_document(self, focused: QWidget | None) -> bool:
        """Is it the document's history that counts, and not that of a field outside of it?"""
        if self._undo is None or not isValid(self._undo):
            return False
        return not isinstance(focused, _EDITABLE) or bool(focused.property(DOCUMENT_UNDO))

    @Slot()
    def _name_undo(self) -> None:
        for action, method in self._edit_actions[:2]:
            message = method.capitalize()
            step = ""
            if self._undo is not None and isValid(self._undo):
                step = self._undo.undoText() if method == "undo" else self._undo.redoText()
            action.setText(
                f"&{message}: {step[:1].lower()}{step[1:]}".replace("&&", "&") if step else f"&{message}"
            )

    @Slot()
    def _allow_edit(self) -> None:
        """The keys work without the menu; an entry that was greyed in it must not stop them."""
        for action, _ in self._edit_actions:
            action.setEnabled(True)

    @Slot()
    def _enable_edit(self) -> None:
        focused = QApplication.focusWidget()
        for action, method in self._edit_actions:
            usable = _can(focused, method)
            if isinstance(focused, _EDITABLE) and method in ("undo", "redo", "cut", "paste"):
                usable = not focused.isReadOnly()
            if self._undo is not None and method in ("undo", "redo") and self._uses_document(focused):
                usable = self._undo.canUndo() if method == "undo" else self._undo.canRedo()
            action.setEnabled(usable)


def _can(focused: QWidget | None, method: str) -> bool:
    """A text, or a list or table of ours that takes rows."""
    if isinstance(focused, _EDITABLE):
        return True
    return (
        focused is not None and method in ("paste", "copy", "cut") and callable(getattr(focused, method, None))
    )
