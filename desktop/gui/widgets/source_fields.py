"""The fields that say where models are: engine or server, its address, is another computer allowed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit

from desktop.inference.backends.source import BUILT_IN, ModelSource
from desktop.inference.backends.table import all_records


class SourceFields(QObject):
    """Three fields for whoever lays them out; address and consent are of no use for the built-in engine."""

    changed = Signal()
    """The source is another one now."""
    engine_chosen = Signal()

    def __init__(self, remote_text: str, parent: QObject, *, built_in: bool = True) -> None:
        """remote_text: of the box that allows another computer. built_in: offer the built-in engine."""
        super().__init__(parent)
        self._records = [record for record in all_records() if built_in or not record.built_in]
        self.engine = QComboBox()
        self.engine.setAccessibleName("Engine or server")
        for record in self._records:
            self.engine.addItem(record.label, record.name)
        self.address = QLineEdit()
        self.address.setAccessibleName("Address of the server")
        self.remote = QCheckBox(remote_text)
        self.engine.currentIndexChanged.connect(self._engine_chosen)
        self.address.editingFinished.connect(self._notify)
        self.remote.toggled.connect(self._notify)
        self._reported = self.source
        self._show_example()

    @property
    def with_address(self) -> bool:
        return bool(self.engine.currentData() != BUILT_IN.kind)

    @property
    def source(self) -> ModelSource:
        """Where the models are."""
        if not self.with_address:
            return BUILT_IN
        address = self.address.text().strip()
        return ModelSource(str(self.engine.currentData()), address or None, self.remote.isChecked())

    def set_source(self, source: ModelSource) -> None:
        """Without telling."""
        widgets = (self.engine, self.address, self.remote)
        for widget in widgets:
            widget.blockSignals(True)
        self.engine.setCurrentIndex(max(self.engine.findData(source.kind), 0))
        self.address.setText(source.endpoint or "")
        self.remote.setChecked(source.remote_allowed)
        for widget in widgets:
            widget.blockSignals(False)
        self._reported = self.source
        self._show_example()

    @Slot()
    def _engine_chosen(self) -> None:
        self.address.clear()
        self._show_example()
        self.engine_chosen.emit()
        self._notify()

    @Slot()
    def _notify(self) -> None:
        if self.source != self._reported:
            self._reported = self.source
            self.changed.emit()

    def _show_example(self) -> None:
        self.address.setPlaceholderText(self._records[max(self.engine.currentIndex(), 0)].example)
