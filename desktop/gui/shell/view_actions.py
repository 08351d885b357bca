"""The menu View and what it changes: size, roominess, colours, full screen. Every change is kept."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from desktop.foundation.settings import SettingsFile
from desktop.gui.shell.menus import Menus
from desktop.gui.theme import Scheme, Theme


class ViewActions(QObject):
    def __init__(self, menus: Menus, theme: Theme, settings: SettingsFile, window: QMainWindow) -> None:
        super().__init__(window)
        self._theme = theme
        self._settings = settings
        self._window = window
        menus.larger.triggered.connect(self._larger)
        menus.smaller.triggered.connect(self._smaller)
        menus.usual.triggered.connect(self._usual)
        menus.roomy.setChecked(theme.roomy)
        menus.roomy.toggled.connect(self._roomy)
        for scheme, action in menus.schemes.items():
            action.setChecked(scheme is theme.scheme)
            action.setData(scheme.value)
            action.triggered.connect(self._scheme)
        menus.minimise.triggered.connect(window.showMinimized)
        menus.full_screen.toggled.connect(self._full_screen)

    @Slot()
    def _larger(self) -> None:
        self._theme.zoom_by(1)
        self._settings.change(zoom_percent=self._theme.zoom)

    @Slot()
    def _smaller(self) -> None:
        self._theme.zoom_by(-1)
        self._settings.change(zoom_percent=self._theme.zoom)

    @Slot()
    def _usual(self) -> None:
        self._theme.use(zoom=100)
        self._settings.change(zoom_percent=100)

    @Slot(bool)
    def _roomy(self, roomy: bool) -> None:
        self._theme.use(roomy=roomy)
        self._settings.change(roomy=roomy)

    @Slot()
    def _scheme(self) -> None:
        sender: QObject | None = self.sender()
        if isinstance(sender, QAction):
            scheme = Scheme(sender.data())
            self._theme.use(scheme=scheme)
            self._settings.change(theme=scheme.value)

    @Slot(bool)
    def _full_screen(self, full: bool) -> None:
        if full:
            self._window.showFullScreen()
        else:
            self._window.showNormal()
