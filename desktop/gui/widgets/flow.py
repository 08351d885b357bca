"""A layout that goes on in the next line when there is no room: rows of buttons, legends, chips."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QStyle, QWidget


class FlowLayout(QLayout):
    """Items from the side where reading starts; `centred` puts each line in the middle."""

    def __init__(
        self, parent: QWidget | None = None, *, across: int = 8, down: int = 8, centred: bool = False
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._across = across
        self._down = down
        self._centred = centred
        self._width = 0
        self.setContentsMargins(0, 0, 0, 0)

    def set_gaps(self, across: int, down: int) -> None:
        self._across, self._down = across, down
        self.invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)
        if rect.width() != self._width:
            # What it needs at least depends on the width it got; those around it have to ask again.
            self._width = rect.width()
            self.update()

    def sizeHint(self) -> QSize:
        """All on one line."""
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self._across * max(len(hints) - 1, 0)
        height = max((hint.height() for hint in hints), default=0)
        return self._with_margins(QSize(width, height))

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        size = self._with_margins(size)
        if self._width > 0:
            size.setHeight(max(size.height(), self.heightForWidth(self._width)))
        return size

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _place(self, rect: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        lines: list[list[tuple[QLayoutItem, QSize]]] = [[]]
        used = 0
        for item in self._shown():
            size = item.sizeHint().boundedTo(QSize(max(room.width(), 1), 1 << 20))
            if lines[-1] and used + self._across + size.width() > room.width():
                lines.append([])
                used = 0
            used += size.width() + (self._across if lines[-1] else 0)
            lines[-1].append((item, size))
        y = room.top()
        parent = self.parentWidget()
        direction = parent.layoutDirection() if parent is not None else Qt.LayoutDirection.LeftToRight
        for line in lines:
            height = max((size.height() for _, size in line), default=0)
            width = sum(size.width() for _, size in line) + self._across * max(len(line) - 1, 0)
            x = room.left() + ((room.width() - width) // 2 if self._centred else 0)
            for item, size in line:
                if move:
                    box = QRect(QPoint(x, y + (height - size.height()) // 2), size)
                    item.setGeometry(QStyle.visualRect(direction, room, box))
                x += size.width() + self._across
            y += height + self._down
        return y - self._down - rect.top() + margins.bottom()


def wraps(widget: QWidget) -> QWidget:
    """Tell a widget with a flow layout that its height follows its width."""
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    widget.setSizePolicy(policy)
    return widget
