"""Choosing the model that is to be tried: those found on this computer, and those of any other server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.application.try_examples import TryModel
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.try_out.other_models_dialog import OtherModelsDialog
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.elided_box import ElidedBox
from desktop.gui.widgets.label import TextLabel

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


class ModelBox(QWidget):
    """`fill` looks for the models; those of the built-in engine come first and at once.

    other_button: for whoever lays it out, beside the box or below it.
    """

    changed = Signal()
    """Another model is chosen, or there is one now."""
    failed = Signal(str)
    """Why the models could not be listed, as a sentence."""

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        document: PackDocument,
        name: str,
        others: list[TryModel] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """name: of the box, for a screen reader. others: models that were found before, shared by several."""
        super().__init__(parent)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._document = document
        self.others = others if others is not None else []
        self.box = ElidedBox(name, 12)
        self.other_button = Button(theme, "Other…", icon="server")
        self.other_button.setAccessibleName("Models of another server")
        self.other_button.setToolTip("Models of another server…")
        self.note = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.WARN, wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.box)
        column.addWidget(self.note)
        self.other_button.clicked.connect(self._ask_for_others)
        self.box.currentIndexChanged.connect(self._show)
        self._show()

    @property
    def model(self) -> TryModel | None:
        """What is chosen; None while there is none."""
        chosen = self.box.currentData()
        return chosen if isinstance(chosen, TryModel) else None

    def fill(self) -> None:
        """List the models, off the GUI thread. To be called once."""
        folder = self._document.folder

        def look_here(_cancel: CancelToken) -> list[TryModel]:
            return self._service.models_to_try()

        def look_at_servers(_cancel: CancelToken) -> list[TryModel]:
            return self._service.servers_to_try(folder)

        self._tasks.start(look_here, self._show_built_in, self._failed)
        self._tasks.start(look_at_servers, self.add, self._failed)

    def _show_built_in(self, models: list[TryModel]) -> None:
        """First of all, also where a server was quicker to answer."""
        before = self.model
        served = self._listed()
        self.box.blockSignals(True)
        self.box.clear()
        for model in (*models, *served):
            self._append(model)
        if before is not None:
            self._choose(before)
        self.box.blockSignals(False)
        self.add(self.others)

    def add(self, models: Sequence[TryModel]) -> None:
        """Those that are not in the list yet, after the others."""
        known = self._listed()
        self.box.blockSignals(True)
        if not known:
            self.box.clear()
        for model in models:
            if model not in known:
                self._append(model)
        if not self.box.count():
            self.box.addItem("No model is here")
        self.box.blockSignals(False)
        self._show()

    def _append(self, model: TryModel) -> None:
        self.box.addItem(model.message, model)

    def _listed(self) -> list[TryModel]:
        data = [self.box.itemData(place) for place in range(self.box.count())]
        return [entry for entry in data if isinstance(entry, TryModel)]

    def _choose(self, model: TryModel) -> None:
        listed = self._listed()
        if model in listed:
            self.box.setCurrentIndex(listed.index(model))

    def _failed(self, error: Exception) -> None:
        self.failed.emit(str(sentence_for(error)))

    @Slot()
    def _show(self) -> None:
        model = self.model
        self.box.setEnabled(model is not None)
        sent_to = model.sent_to if model is not None else ""
        self.note.setText(f"Examples that you try are sent to {sent_to}." if sent_to else "")
        self.note.setVisible(bool(sent_to))
        self.box.setAccessibleDescription(self.note.text())
        self.changed.emit()

    @Slot()
    def _ask_for_others(self) -> None:
        dialog = OtherModelsDialog(self._theme, self._service, self._tasks, self.window())
        dialog.found.connect(self._take_others)
        dialog.open()

    @Slot(object)
    def _take_others(self, models: list[TryModel]) -> None:
        """What is allowed now replaces what was listed of the same place before."""
        self.others[:] = [entry for entry in self.others if entry.source != models[0].source] + models
        self.add(models)
        self._choose(models[0])
        self.box.setFocus()
