"""The pages of the editor, made one by one: when they are asked for, else one a turn of the event loop.

Making all at once would hold up the window for longer than a blink when a pack is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.gui.editor.form.section import Section
from desktop.gui.widgets.page_stack import PageStack
from desktop.gui.widgets.scroll_page import ScrollPage


class LazySections(QObject):
    """Puts its pages into `stack`, each at its number; empty pages stand there until then."""

    made_one = Signal(object)
    """A Section that was just made."""
    completed = Signal()
    """All are made now; comes once."""

    def __init__(self, stack: PageStack, makers: Sequence[Callable[[], Section]], parent: QObject) -> None:
        super().__init__(parent)
        self._stack = stack
        self._makers = list(makers)
        self._sections: list[Section | None] = [None] * len(self._makers)
        self._empty = [QWidget() for _ in self._makers]
        for page in self._empty:
            stack.addWidget(page)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._next)
        self._timer.start()

    def __len__(self) -> int:
        return len(self._makers)

    @property
    def complete(self) -> bool:
        return all(section is not None for section in self._sections)

    @property
    def made(self) -> list[Section]:
        """Those that there are already, in their order."""
        return [section for section in self._sections if section is not None]

    def at(self, number: int) -> Section:
        """The page of this number, made now if there is none yet."""
        section = self._sections[number]
        return section if section is not None else self._make(number)

    def all(self) -> list[Section]:
        return [self.at(number) for number in range(len(self._makers))]

    def stop(self) -> None:
        """Make no more on its own."""
        self._timer.stop()

    @Slot()
    def _next(self) -> None:
        number = next((at for at, section in enumerate(self._sections) if section is None), None)
        if number is not None:
            self._make(number)

    def _make(self, number: int) -> Section:
        section = self._makers[number]()
        self._sections[number] = section
        current = self._stack.currentIndex()
        empty = self._empty[number]
        self._stack.insertWidget(number, ScrollPage(section))
        self._stack.removeWidget(empty)
        empty.deleteLater()
        self._stack.setCurrentIndex(current)
        self.made_one.emit(section)
        if self.complete:
            self._timer.stop()
            self.completed.emit()
        return section
