"""What runs now and what waits behind it, on every page of the Runs place but the live view."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.gui.runs.live.controller import QueuedRun, RunsController
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button, LinkButton
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.text_runs import Run, Runs, RunsLabel


class QueueStrip(Panel):
    """Hidden while nothing runs. `show_asked` leads to the live view."""

    show_asked = Signal()

    def __init__(
        self,
        theme: Theme,
        controller: RunsController,
        *,
        waiting_only: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """waiting_only: in the live view, where the present run fills the page."""
        super().__init__(theme, parent=parent)
        self._theme = theme
        self._controller = controller
        self._waiting_only = waiting_only
        self._now = QWidget()
        now = QHBoxLayout(self._now)
        now.setContentsMargins(0, 0, 0, 0)
        self.message = RunsLabel(theme)
        self.show_button = Button(theme, "Show i&t", icon="runs")
        now.addWidget(self.message, 1)
        now.addWidget(self.show_button)
        self.body.addWidget(self._now)
        self._lines = QVBoxLayout()
        self.body.addLayout(self._lines)
        self.withdraw_buttons: list[LinkButton] = []
        self.setAccessibleName("Runs at work and waiting")
        self.show_button.clicked.connect(self.show_asked)
        controller.queue_changed.connect(self.notify)
        controller.begun.connect(self.notify)
        self.notify()

    @Slot()
    def notify(self) -> None:
        current, waiting = self._controller.current, self._controller.waiting
        show_now = current is not None and not self._waiting_only
        self._now.setVisible(show_now)
        if current is not None:
            self.message.set_runs(
                Runs((Run(f"Run of {current.title}", bold=True), Run(" is going on.", tone=Tone.MUTED)))
            )
        while (item := self._lines.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.withdraw_buttons = []
        for queued in waiting:
            self._lines.addWidget(self._line(queued))
        self.setVisible(show_now or bool(waiting))

    def _line(self, queued: QueuedRun) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        message = RunsLabel(
            self._theme, Runs((Run(f"Run of {queued.title}"), Run(" waits for its turn.", tone=Tone.MUTED)))
        )
        link = LinkButton(self._theme, "Take it out")
        link.setAccessibleName(f"Take the run of {queued.title} out of the queue")
        link.clicked.connect(partial(self._controller.withdraw, queued))
        self.withdraw_buttons.append(link)
        row.addWidget(message, 1)
        row.addWidget(link)
        return line
