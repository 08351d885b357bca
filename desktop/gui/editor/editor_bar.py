"""The bar over an open task pack: its name, whether it is saved, and what can be done with it."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.theme import Theme
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.panel import PageBar


class EditorBar(PageBar):
    """Buttons for whoever connects them; `show_state` says how things stand."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", parent=parent)
        self.undo_button = Button(theme, "Undo", icon="undo")
        self.redo_button = Button(theme, "Redo", icon="redo")
        self.save_button = Button(theme, "Save", icon="save", key="Ctrl+S")
        # The menu has the key; a button beside it with the same one would make both do nothing.
        self.save_button.setShortcut(QKeySequence())
        self.models_button = Button(theme, "Which &models fit?", icon="model")
        self.run_button = Button(theme, "R&un…", icon="play", primary=True)
        buttons = (self.undo_button, self.redo_button, self.models_button, self.save_button, self.run_button)
        for button in buttons:
            self.add(button)

    def show_state(self, name: str, document: PackDocument, errors: int) -> None:
        """errors: problems that keep the pack from running."""
        undo = document.undo
        self.undo_button.setEnabled(undo.canUndo())
        self.redo_button.setEnabled(undo.canRedo())
        self.undo_button.setToolTip(undo.undoText())
        self.redo_button.setToolTip(undo.redoText())
        message = f": {undo.undoText()}" if undo.canUndo() else ""
        self.undo_button.setAccessibleName(f"Undo{message}")
        modified = document.modified
        self.save_button.setEnabled(modified)
        # What counts comes first: at a large size there may be no room for the rest.
        self.set_text(name, ("Changed, not saved" if modified else "Saved") + " · task pack")
        self.run_button.setEnabled(errors == 0)
        why = "It can be run once its problems are mended." if errors else ""
        self.run_button.setToolTip(why)
        self.run_button.setAccessibleDescription(why)
