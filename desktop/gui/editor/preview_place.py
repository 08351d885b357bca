"""Where the preview is: beside the form, or a page of its own in a narrow window."""

from __future__ import annotations

from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from desktop.gui.editor.outline import OutlineEntry
from desktop.gui.editor.try_out.preview_panel import PreviewPanel
from desktop.gui.theme import Theme
from desktop.gui.widgets.scroll_page import ScrollPage

TITLE = "Preview"
WIDTH = 320
"""Beside the form, in design pixels, until the person moves the line between."""


class PreviewPlace:
    """`page` goes into the stack of pages as its last one; `entry` is the last of the outline."""

    def __init__(self, theme: Theme, preview: PreviewPanel, beside: QSplitter, entry: OutlineEntry) -> None:
        self._theme = theme
        self._preview = preview
        self._beside = beside
        self._entry = entry
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.page = ScrollPage(self._inside)
        self.is_narrow = False
        entry.hide()

    def set_narrow(self, narrow: bool) -> bool:
        """Returns whether anything moved."""
        if narrow == self.is_narrow:
            return False
        self.is_narrow = narrow
        if narrow:
            self._column.addWidget(self._preview)
        else:
            self._beside.addWidget(self._preview)
            # Else the splitter would share the room in halves.
            wanted = max(self._preview.minimumWidth(), self._theme.px(WIDTH))
            self._beside.setSizes([max(self._beside.width() - wanted, 1), wanted])
        self._preview.show()
        self._entry.setVisible(narrow)
        return True
