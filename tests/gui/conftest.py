"""For tests of the window: one theme on the one application object, light at 100 % unless a test changes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from desktop.gui.theme import Scheme, Theme


@pytest.fixture(scope="session")
def _theme_of_session(qapp: QApplication) -> Theme:
    return Theme(qapp, scheme=Scheme.LIGHT)


@pytest.fixture
def theme(_theme_of_session: Theme) -> Iterator[Theme]:
    """The program's theme; set back to light, 100 %, dense after each test."""
    _theme_of_session.use(scheme=Scheme.LIGHT, zoom=100, roomy=False)
    yield _theme_of_session
    _theme_of_session.use(scheme=Scheme.LIGHT, zoom=100, roomy=False)
