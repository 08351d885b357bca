"""Words that assistive tools speak at once, for what appears without the focus moving."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, message: str) -> None:
    """Costs nothing while no assistive tool listens."""
    if message and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, message))
