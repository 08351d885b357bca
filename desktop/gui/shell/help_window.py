"""The bundled help: pages in Markdown, read offline. F1 opens the page of the place that is shown."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QKeySequence,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextTable,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from desktop.application.help_pages import FIRST_PAGE, page_names, page_text, picture, search
from desktop.gui.core.place import PlaceName
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel

PICTURES = "pictures/"
_IMAGE = 2
"""QTextDocument.ResourceType.ImageResource, as Qt hands it over."""
_OBJECT = "\ufffc"
"""What stands in a text for a picture."""
PAGE_OF_PLACE = {
    PlaceName.START: "start.md",
    PlaceName.PACK: "editor.md",
    PlaceName.MODELS: "models.md",
    PlaceName.RUNS: "runs.md",
    PlaceName.EVIDENCE: "evidence.md",
}


PAGE_OF_DIALOG = {
    "NewPackDialog": "packs.md",
    "ImportAssistant": "import.md",
    "DraftingAssistant": "drafting.md",
    "CorrectDialog": "models.md",
    "SourcesDialog": "models.md",
    "ExportDialog": "results.md",
    "FiguresDialog": "results.md",
    "UnitDialog": "results.md",
    "WhyDialog": "results.md",
    "CrashDialog": "trouble.md",
    "PlacesDialog": "privacy.md",
}
"""By the name of the class; any other dialog has the page of the place below it."""


class _Pages(QTextBrowser):
    """Shows pages of ours and our pictures, and nothing else: whatever else a page asks to load is refused."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        path = name.toString() if isinstance(name, QUrl) else name
        if int(kind) != _IMAGE or not path.startswith(PICTURES):
            return None
        data = picture(path.removeprefix(PICTURES))
        if data is None:
            return None
        image = QImage.fromData(data)
        room = self.viewport().width() - 3 * int(self.document().documentMargin())
        if image.width() > room > 100:
            image = image.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)
        return image


class HelpWindow(QDialog):
    """help.show_page("results.md"); links between pages are followed, Alt+Left goes back."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._history: list[str] = []
        self.setWindowTitle("Help – Packbench")
        self.pages = _Pages()
        self.pages.setOpenLinks(False)
        self.pages.setAccessibleName("Help page")
        self.pages.anchorClicked.connect(self._follow)
        self.back = Button(theme, "&Back", icon="arrow-left")
        self.back.clicked.connect(self._go_back)
        self.home = Button(theme, "&First page", icon="home")
        self.home.clicked.connect(self._go_home)
        self.search_label = TextLabel(theme, "F&ind")
        self.search = QLineEdit()
        self.search.setAccessibleName("Find on all pages")
        self.search.setPlaceholderText("words on any page")
        self.search.setClearButtonEnabled(False)
        self.search.returnPressed.connect(self._find_next)
        self.search_label.setBuddy(self.search)
        self.close_button = Button(theme, "&Close")
        self.close_button.clicked.connect(self.close)
        self.found = TextLabel(theme, "", kind=Type.SMALL)
        self._row = QHBoxLayout()
        for widget in (self.back, self.home, self.search_label, self.search, self.found):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self._row.addWidget(self.close_button)
        self._layout = QVBoxLayout(self)
        self._layout.addLayout(self._row)
        self.results = QListWidget()
        self.results.setAccessibleName("Pages with these words")
        self.results.setWordWrap(True)
        self.results.currentRowChanged.connect(self._open_result)
        self.results.hide()
        self._searched = ""
        self._middle = QHBoxLayout()
        self._middle.addWidget(self.results, 1)
        self._middle.addWidget(self.pages, 3)
        self._layout.addLayout(self._middle, 1)
        for key, slot in (
            (QKeySequence.StandardKey.Find, self._to_find),
            (QKeySequence.StandardKey.Back, self._go_back),
        ):
            QShortcut(QKeySequence(key), self).activated.connect(slot)
        theme.changed.connect(self._restyle)
        self.show_page(FIRST_PAGE)
        self._restyle()

    @property
    def page(self) -> str:
        return self._history[-1]

    def show_page(self, name: str) -> None:
        """A page by its file name; the first page for a name that is none of ours."""
        name = name if name in page_names() else FIRST_PAGE
        if not self._history or self._history[-1] != name:
            self._history.append(name)
        self._write()

    def come_with(self, name: str) -> None:
        """To the front, with this page."""
        self.show_page(name)
        self.show()
        self.raise_()
        self.activateWindow()

    def _write(self) -> None:
        text = page_text(self._history[-1])
        document = self.pages.document()
        document.setDefaultFont(self._theme.font())
        document.setDocumentMargin(self._theme.px(20))
        document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        self._set_type()
        self.pages.moveCursor(QTextCursor.MoveOperation.Start)
        self.back.setEnabled(len(self._history) > 1)
        self.found.setText("")

    def _set_type(self) -> None:
        """Sizes of the type scale in place of the document's own, and room between lines."""
        kinds = {1: Type.ANSWER, 2: Type.SECTION, 3: Type.PAGE}
        block = self.pages.document().begin()
        while block.isValid():
            cursor = QTextCursor(block)
            shape = block.blockFormat()
            level = shape.headingLevel()
            # In a line with a picture the percentage would be of the picture's height.
            height = 100 if _OBJECT in block.text() else 140
            shape.setLineHeight(height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            shape.setTopMargin(self._theme.px(18 if level > 1 else 4))
            shape.setBottomMargin(self._theme.px(6))
            cursor.setBlockFormat(shape)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            if level:
                letters = cursor.charFormat()
                letters.setFont(self._theme.font(kinds.get(level, Type.PAGE)))
                letters.clearProperty(letters.Property.FontSizeAdjustment)
                cursor.mergeCharFormat(letters)
            block = block.next()

        for inner in self.pages.document().rootFrame().childFrames():
            if isinstance(inner, QTextTable):
                table = inner.format()
                # The usual style shades the lines by itself: in the light scheme most of them were white.
                table.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
                table.setBorderBrush(QColor(self._theme.tokens.border))
                table.setBorderCollapse(True)
                table.setCellPadding(self._theme.px(5))
                inner.setFormat(table)

    @Slot(QUrl)
    def _follow(self, url: QUrl) -> None:
        if url.isRelative():
            self.show_page(url.path())

    @Slot()
    def _go_back(self) -> None:
        if len(self._history) > 1:
            self._history.pop()
            self._write()

    @Slot()
    def _go_home(self) -> None:
        self.show_page(FIRST_PAGE)

    @Slot()
    def _to_find(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    @Slot()
    def _find_next(self) -> None:
        """New words: the pages that hold them, the first of them opened. The same once more: the next place."""
        message = self.search.text().strip()
        if message != self._searched:
            self._searched = message
            self._list_results(message)
        elif message and not self._mark(message, on=True):
            self._mark(message)

    def _list_results(self, message: str) -> None:
        found = search(message)
        self.results.blockSignals(True)
        self.results.clear()
        for entry in found:
            item = QListWidgetItem(f"{entry.title}\n{entry.around}")
            item.setData(Qt.ItemDataRole.UserRole, entry.page)
            self.results.addItem(item)
        here = next((row for row, entry in enumerate(found) if entry.page == self.page), 0)
        self.results.blockSignals(False)
        self.results.setVisible(bool(found))
        count = f"{len(found)} page{'' if len(found) == 1 else 's'}" if found else "found nowhere"
        if found:
            self.results.setCurrentRow(here)
        self.found.setText(count if message else "")

    @Slot(int)
    def _open_result(self, row: int) -> None:
        if not 0 <= row < self.results.count():
            return
        item = self.results.item(row)
        count = self.found.text()
        self.show_page(str(item.data(Qt.ItemDataRole.UserRole)))
        self.found.setText(count)
        self._mark(self._searched)

    def _mark(self, message: str, *, on: bool = False) -> bool:
        """Select the words, or else the first of them that is there; on: from the cursor, else from the top."""
        for wanted in (message, *message.split()):
            if not on:
                self.pages.moveCursor(QTextCursor.MoveOperation.Start)
            if self.pages.find(wanted):
                return True
        return False

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._layout.setContentsMargins(px(16), px(12), px(16), px(16))
        self._layout.setSpacing(px(12))
        self._row.setSpacing(px(8))
        self._middle.setSpacing(px(12))
        self.results.setFont(self._theme.font(Type.SMALL))
        self.search.setMinimumWidth(self._theme.chars(18))
        self.resize(self._theme.chars(110), self._theme.px(620))
        font: QFont = self._theme.font()
        self.pages.setFont(font)
        self._write()
