"""Under the history: deleted runs that can still be brought back, what they take, and how to free it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.application.wording import counted, size
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import LinkButton
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.questions import Question
from desktop.runs.records import RunSummary


class DeletedStrip(Panel):
    """Hidden while nothing is deleted."""

    bring_back = Signal(str)
    """Run id: the one that was deleted last."""
    free = Signal()
    """All of them are to be removed for good; the person was asked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, padding=8, parent=parent)
        self._theme = theme
        self._last: RunSummary | None = None
        self._taken = ""
        self.message = TextLabel(theme, tone=Tone.MUTED, wrap=True)
        self.back = LinkButton(theme, "Bring it back")
        self.remove = LinkButton(theme, "Remove for good…")
        row = QHBoxLayout()
        row.setSpacing(theme.px(12))
        row.addWidget(self.message, 1)
        row.addWidget(self.back)
        row.addWidget(self.remove)
        self.body.addLayout(row)
        self.setAccessibleName("Deleted runs")
        self.back.clicked.connect(self._back)
        self.remove.clicked.connect(self._ask)
        self.hide()

    def show_deleted(self, runs: Sequence[RunSummary], taken_bytes: int, kept_days: int) -> None:
        """taken_bytes: of all of them. kept_days: after so many they are removed with the next run."""
        self._last = max(runs, key=lambda run: run.deleted_at or "", default=None)
        self.setVisible(bool(runs))
        if self._last is None:
            return
        one = len(runs) == 1
        takes, them = ("takes", "it") if one else ("take", "them")
        self._taken = f"{counted(len(runs), 'deleted run')} still {takes} {size(taken_bytes)}"
        self.message.setText(f"{self._taken}, kept for {kept_days} days in case you want {them} back.")
        self.setAccessibleDescription(self.message.text())
        self.back.setText("Bring it back" if one else "Bring the last one back")
        self.back.setAccessibleName(f"Bring back the run of {self._last.pack_name}")

    @Slot()
    def _back(self) -> None:
        if self._last is not None:
            self.bring_back.emit(self._last.id)

    @Slot()
    def _ask(self) -> None:
        Question(
            self._theme,
            "Remove what is deleted for good?",
            f"{self._taken}. Nothing of this can be brought back afterwards; the room is free again.",
            (("&Remove for good", "delete", self.free.emit),),
            "&Keep for now",
            self.window(),
        ).open()
