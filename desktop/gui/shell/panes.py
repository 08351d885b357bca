"""Walking with F6 from pane to pane."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def walk(panes: Sequence[QWidget], step: int) -> None:
    """Put the focus into the next pane (step 1) or the one before (-1), round and round.

    Panes that are hidden, cannot be used or have nothing that takes the focus are passed over.
    """
    usable = [pane for pane in panes if pane.isVisible() and pane.isEnabled() and _first(pane) is not None]
    if not usable:
        return
    focused: QWidget | None = QApplication.focusWidget()
    at = next((i for i, pane in enumerate(usable) if focused is not None and _holds(pane, focused)), -1)
    focus_first(usable[(at + step) % len(usable)] if at >= 0 else usable[0 if step > 0 else -1])


def focus_first(pane: QWidget) -> None:
    """The pane itself when it takes the focus, else the first thing in it that does."""
    first = _first(pane)
    if first is not None:
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _first(pane: QWidget) -> QWidget | None:
    if pane.focusPolicy() != Qt.FocusPolicy.NoFocus:
        return pane
    for child in pane.findChildren(QWidget):
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isVisibleTo(pane) and child.isEnabled():
            return child
    return None


def _holds(pane: QWidget, focused: QWidget) -> bool:
    return pane is focused or pane.isAncestorOf(focused)
