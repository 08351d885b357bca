"""The settings that every bar and verdict follows: context, slots, chat memory; and the filters."""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QSlider, QSpinBox, QVBoxLayout, QWidget

from desktop.application.model_entries import FitOptions
from desktop.application.model_wording import CACHE_TEXT
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.elided_box import ElidedBox
from desktop.gui.widgets.flow import FlowLayout, wraps
from desktop.gui.widgets.label import TextLabel
from desktop.inference.memory_fit.verdict import FitVerdict

LEAST, MAX = 512, 131_072
_STEPS = 160
"""Of the slider, which goes by powers: half of it lies below 8,192 tokens."""
_MAX_SLOTS = 8
VERDICTS: tuple[tuple[str, frozenset[FitVerdict] | None], ...] = (
    ("All verdicts", None),
    ("Fits", frozenset({FitVerdict.COMFORTABLE, FitVerdict.FITS})),
    ("Fits or tight", frozenset({FitVerdict.COMFORTABLE, FitVerdict.FITS, FitVerdict.TIGHT})),
    ("Does not fit", frozenset({FitVerdict.NO})),
)
ALL_FAMILIES, ALL_QUANTIZATIONS = "All families", "All quantizations"
PLACES = (("Here and catalogue", "all"), ("Here", "here"), ("Catalogue", "catalogue"))


class ContextSlider(QSlider):
    """From 512 to 131,072 tokens by powers, in steps of 256. A mark shows what the open pack needs."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._needed: int | None = None
        self.setRange(0, _STEPS)
        self.setPageStep(_STEPS // 8)
        self.setAccessibleName("Context, tokens")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def tokens(self) -> int:
        return tokens_at(self.value())

    def set_tokens(self, tokens: int) -> None:
        self.setValue(step_of(tokens))

    def set_needed(self, tokens: int | None) -> None:
        self._needed = tokens
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._needed is None:
            return
        handle = self._theme.px(16)
        share = step_of(self._needed) / _STEPS
        x = handle / 2 + share * (self.width() - handle)
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            x = self.width() - x
        painter = QPainter(self)
        middle, half = self.height() / 2, self._theme.px(6)
        painter.fillRect(QRectF(round(x) - 1, middle - half, 2, 2 * half), QColor(self._theme.tokens.text))
        painter.end()


def tokens_at(step: int) -> int:
    exact = LEAST * math.pow(MAX / LEAST, step / _STEPS)
    return max(LEAST, round(exact / 256) * 256)


def step_of(tokens: int) -> int:
    bounded = min(max(tokens, LEAST), MAX)
    return round(_STEPS * math.log(bounded / LEAST) / math.log(MAX / LEAST))


class Controls(QWidget):
    """`changed` when a bar or verdict would change, `filtered` when only other rows are shown."""

    changed = Signal()
    filtered = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preset: tuple[str, int | None] = ("", None)
        self.slider = ContextSlider(theme)
        self.context = QSpinBox()
        self.context.setRange(LEAST, MAX)
        self.context.setSingleStep(256)
        self.context.setGroupSeparatorShown(True)
        self.context.setAccessibleName("Context in tokens")
        self.note = TextLabel(theme, "tokens", kind=Type.SMALL, tone=Tone.MUTED)
        self.slots_box = QSpinBox()
        self.slots_box.setRange(1, _MAX_SLOTS)
        self.slots_box.setAccessibleName("Answers at once (slots)")
        self.cache = QComboBox()
        for message, name in CACHE_TEXT:
            self.cache.addItem(f"Chat memory: {message}", name)
        self.cache.setAccessibleName("Chat memory")
        self.verdicts = QComboBox()
        for message, _ in VERDICTS:
            self.verdicts.addItem(message)
        self.verdicts.setAccessibleName("Which verdicts")
        self.places = QComboBox()
        for message, name in PLACES:
            self.places.addItem(message, name)
        self.places.setAccessibleName("Which models")
        self.families = _kind_box("Which family", ALL_FAMILIES, 14)
        self.quantizations = _kind_box("Which quantization", ALL_QUANTIZATIONS, 12)
        context_label = TextLabel(theme, "Con&text")
        context_label.setTextFormat(Qt.TextFormat.PlainText)
        context_label.setBuddy(self.slider)
        slots_label = TextLabel(theme, "&Slots")
        slots_label.setBuddy(self.slots_box)
        group = QWidget()
        self._row = QHBoxLayout(group)
        self._row.setContentsMargins(0, 0, 0, 0)
        for part in (context_label, self.slider, self.context, self.note):
            self._row.addWidget(part)
        slots = QWidget()
        self._slots_row = QHBoxLayout(slots)
        self._slots_row.setContentsMargins(0, 0, 0, 0)
        self._slots_row.addWidget(slots_label)
        self._slots_row.addWidget(self.slots_box)
        filters = (self.verdicts, self.places, self.families, self.quantizations)
        self._flows: list[FlowLayout] = []
        self._lines = QVBoxLayout(self)
        self._lines.setContentsMargins(0, 0, 0, 0)
        # What every bar follows, and below it which rows are shown.
        for parts in ((group, slots, self.cache), filters):
            line = QWidget()
            flow = FlowLayout(line)
            for widget in parts:
                flow.addWidget(widget)
            self._flows.append(flow)
            self._lines.addWidget(wraps(line))
        self.set_context(4096)
        self.slider.valueChanged.connect(self._slid)
        self.context.valueChanged.connect(self._typed)
        self.slots_box.valueChanged.connect(self.changed)
        self.cache.currentIndexChanged.connect(self.changed)
        for box in filters:
            box.currentIndexChanged.connect(self.filtered)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def choice(self) -> FitOptions:
        return FitOptions(self.context.value(), self.slots_box.value(), str(self.cache.currentData()))

    @property
    def verdict_filter(self) -> frozenset[FitVerdict] | None:
        return VERDICTS[self.verdicts.currentIndex()][1]

    @property
    def place_filter(self) -> str:
        return str(self.places.currentData())

    @property
    def family_filter(self) -> str | None:
        chosen: str | None = self.families.currentData()
        return chosen

    @property
    def quantization_filter(self) -> str | None:
        chosen: str | None = self.quantizations.currentData()
        return chosen

    def set_kinds(self, families: Iterable[str], quantizations: Iterable[str]) -> None:
        """What there is to choose from now. A choice that is gone becomes 'all'; then `filtered` is emitted."""
        _offer(self.families, families)
        _offer(self.quantizations, quantizations)

    def set_context(self, tokens: int) -> None:
        self.context.setValue(tokens)
        self._sync_slider(tokens)

    def set_cache(self, name: str) -> None:
        self.cache.setCurrentIndex(max(self.cache.findData(name), 0))

    def show_all(self) -> None:
        """Without filters."""
        for box in (self.verdicts, self.places, self.families, self.quantizations):
            box.setCurrentIndex(0)

    def set_pack(self, name: str, context_tokens: int | None, needed: int | None) -> None:
        """The open pack's own context, and what its longest prompt and answer need; None without a pack."""
        preset = (name, context_tokens)
        # The same pack comes again after every check; what the person has set meanwhile stays.
        if context_tokens is not None and preset != self._preset:
            self.set_context(context_tokens)
        self._preset = preset
        self.slider.set_needed(needed)
        if needed is None:
            self.note.setText("tokens")
            self.note.setToolTip("")
        else:
            self.note.setText(f"tokens · the pack needs {needed:,} (mark)")
            self.note.setToolTip(f"What the longest prompt of “{name}” and its answer take, about.")

    @Slot(int)
    def _slid(self, step: int) -> None:
        self.context.blockSignals(True)
        self.context.setValue(tokens_at(step))
        self.context.blockSignals(False)
        self.changed.emit()

    @Slot(int)
    def _typed(self, tokens: int) -> None:
        self._sync_slider(tokens)
        self.changed.emit()

    def _sync_slider(self, tokens: int) -> None:
        self.slider.blockSignals(True)
        self.slider.set_tokens(tokens)
        self.slider.blockSignals(False)

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setSpacing(px(10))
        self._slots_row.setSpacing(px(8))
        self._lines.setSpacing(px(8))
        for flow in self._flows:
            flow.set_gaps(px(8), px(8))
        self.slider.setFixedWidth(px(180))
        self.context.setMinimumWidth(self._theme.chars(9) + px(32))
        self.slots_box.setMinimumWidth(self._theme.chars(3) + px(32))
        for box in (self.cache, self.verdicts, self.places):
            box.setMinimumWidth(box.sizeHint().width())


def _kind_box(name: str, all_text: str, characters: int) -> QComboBox:
    box: QComboBox = ElidedBox(name, characters)
    box.addItem(all_text, None)
    return box


def _offer(box: QComboBox, names: Iterable[str]) -> None:
    wanted = [name for name in sorted(set(names), key=str.casefold) if name]
    if wanted == [box.itemData(number) for number in range(1, box.count())]:
        return
    chosen = box.currentData()
    box.blockSignals(True)
    while box.count() > 1:
        box.removeItem(1)
    for name in wanted:
        box.addItem(name, name)
    box.setCurrentIndex(max(box.findData(chosen), 0) if chosen else 0)
    box.blockSignals(False)
    if box.currentData() != chosen:
        box.currentIndexChanged.emit(box.currentIndex())
