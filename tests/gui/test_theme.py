"""Palette, type, icons and style of the window."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSlider,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.foundation.colours import DARK, LIGHT, contrast
from desktop.gui.theme import Scheme, Theme, Type, TypeScale
from desktop.gui.theme.palette import tokens_of_high_contrast


class _Bell(QObject):
    rung = Signal(bool)


def test_that_signals_do_not_lose_references_to_true(qapp: QApplication) -> None:
    bell = _Bell()
    before = sys.getrefcount(True)
    for _ in range(200):
        bell.rung.emit(True)
    assert abs(sys.getrefcount(True) - before) < 100


def test_that_the_palette_switches_with_the_scheme(theme: Theme, qapp: QApplication) -> None:
    role = QPalette.ColorRole
    for scheme, tokens in ((Scheme.DARK, DARK), (Scheme.LIGHT, LIGHT)):
        theme.use(scheme=scheme)
        palette = qapp.palette()
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            assert palette.color(group, role.Window) == QColor(tokens.window)
            assert palette.color(group, role.Base) == QColor(tokens.panel)
            assert palette.color(group, role.Highlight) == QColor(tokens.selection)
            assert palette.color(group, role.Accent) == QColor(tokens.accent)
        assert palette.color(QPalette.ColorGroup.Disabled, role.Text).alphaF() == pytest.approx(0.6, abs=0.01)


def test_that_widgets_hear_of_a_change(theme: Theme, qtbot: QtBot) -> None:
    with qtbot.waitSignal(theme.changed):
        theme.use(scheme=Scheme.DARK)
    assert theme.tokens is DARK


@pytest.mark.parametrize(("asked", "given"), [(40, 80), (80, 80), (137, 137), (200, 200), (900, 200)])
def test_that_zoom_stays_within_80_and_200_percent(theme: Theme, asked: int, given: int) -> None:
    theme.use(zoom=asked)
    assert theme.zoom == given
    assert theme.px(100) == given


def test_that_zoom_steps_end_at_both_ends(theme: Theme) -> None:
    seen = []
    for _ in range(12):
        theme.zoom_by(1)
        seen.append(theme.zoom)
    assert seen == sorted(seen)
    assert seen[-1] == 200
    for _ in range(12):
        theme.zoom_by(-1)
    assert theme.zoom == 80


def test_that_nothing_is_smaller_than_8_points() -> None:
    for system_size in (6.0, 9.0, 10.0, 13.0, 20.0):
        base = QFont()
        base.setPointSizeF(system_size)
        scale = TypeScale(base, QFont(), 100)
        assert 9 <= scale.body_pt <= 13
        assert all(scale.points(kind) >= 8 for kind in Type)
        assert scale.points(Type.ANSWER) > scale.points(Type.PAGE) > scale.points(Type.BODY)


def test_that_every_icon_file_can_be_drawn(theme: Theme) -> None:
    names = [file.stem for file in (Path(__file__).parents[2] / "resources" / "icons").glob("*.svg")]
    assert len(names) > 40
    for name in names:
        picture = theme.icons.pixmap(name, size=20).toImage()
        assert picture.size() == QSize(20, 20)
        inked = sum(picture.pixelColor(x, y).alpha() > 100 for x in range(20) for y in range(20))
        assert inked >= 3, name


def test_that_icons_take_the_colour_of_the_scheme_and_are_kept(theme: Theme) -> None:
    light = theme.icons.icon("folder")
    assert theme.icons.icon("folder") is light
    theme.use(scheme=Scheme.DARK)
    picture = theme.icons.pixmap("stop", size=20).toImage()
    strongest = max((picture.pixelColor(x, y) for x in range(20) for y in range(20)), key=QColor.alpha)
    assert abs(strongest.lightness() - QColor(DARK.text).lightness()) < 8


def test_that_an_unknown_icon_is_an_error(theme: Theme) -> None:
    with pytest.raises(FileNotFoundError):
        theme.icons.pixmap("no-such-thing")


@pytest.mark.parametrize("zoom", [80, 100, 150, 200])
@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_that_every_kind_of_control_paints_at_its_size(
    theme: Theme, qtbot: QtBot, scheme: Scheme, zoom: int
) -> None:
    theme.use(scheme=scheme, zoom=zoom)
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    primary = QPushButton("Run it")
    primary.setProperty("primary", True)
    fault = QLineEdit("x")
    fault.setProperty("problem", True)
    combo = QComboBox()
    combo.addItems(["Donaudampfschifffahrtsgesellschaft", "b"])
    tabs = QTabWidget()
    tabs.addTab(QWidget(), "Form")
    kinds = [primary, fault, combo, tabs, QPushButton("Stop"), QLineEdit("x"), QSpinBox(), QSlider()]
    for widget in [*kinds, QPlainTextEdit("text"), QCheckBox("Tick"), QRadioButton("Dot")]:
        layout.addWidget(widget)
    window.show()
    for button in window.findChildren(QPushButton):
        button.setFocus()
        assert button.height() >= theme.px(28)
    assert not window.grab().isNull()
    metrics = combo.fontMetrics()
    assert combo.sizeHint().width() >= metrics.horizontalAdvance(combo.currentText()) + theme.px(30)


@pytest.mark.parametrize(("ground", "ink"), [("white", "black"), ("black", "white"), ("black", "yellow")])
def test_that_high_contrast_takes_the_systems_own_colours(ground: str, ink: str) -> None:
    system = QPalette()
    role = QPalette.ColorRole
    for which in (role.Window, role.Base):
        system.setColor(which, QColor(ground))
    for which in (role.Text, role.WindowText):
        system.setColor(which, QColor(ink))
    system.setColor(role.Highlight, QColor("cyan"))
    system.setColor(role.HighlightedText, QColor("black"))
    tokens = tokens_of_high_contrast(system, DARK)
    for text in (tokens.text, tokens.muted, tokens.good, tokens.warn, tokens.bad, tokens.info):
        for under in (tokens.window, tokens.panel, tokens.selection, tokens.track, tokens.bad_soft):
            assert contrast(text, under) >= 7
    assert len(tokens.causes) == 16
    for cause, look in tokens.causes.items():
        assert look.letter == DARK.causes[cause].letter
        assert look.shape is DARK.causes[cause].shape
        assert contrast(look.ink, look.fill) >= 7
