"""For everything of the application but the window."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(scope="session", autouse=True)
def one_qt_application(qapp: QApplication) -> QApplication:
    """A process has one Qt application; a PDF alone would make a smaller kind that no window could join."""
    return qapp
