"""Many examples asked of one model: those whose answer is not known, or all for a second opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.gui.core.tasks import TaskRunner
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.try_out.opinion_dialog import OpinionDialog
from desktop.gui.editor.try_out.try_panel import TryPanel
from desktop.gui.theme import Theme
from packs.task.trial import is_unknown

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


class ManyAsked(QObject):
    """Opens the dialog for it over the window of `page`; nothing happens without service or examples."""

    example_asked = Signal(str)
    """Id of the example to go to."""
    sent_to = Signal(str)
    """A computer that examples are sent to from now on."""

    def __init__(
        self,
        theme: Theme,
        service: RunService | None,
        tasks: TaskRunner,
        document: PackDocument,
        try_panel: TryPanel | None,
        page: QWidget,
    ) -> None:
        """try_panel: has the models of servers that were found before."""
        super().__init__(page)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._document = document
        self._try_panel = try_panel
        self._page = page

    @Slot()
    def ask_unknown(self) -> None:
        content = self._document.content
        self._ask(
            [file for file in content.example_files() if is_unknown(content, file)],
            "What does a model answer where no answer is known?",
        )

    @Slot()
    def ask_all(self) -> None:
        self._ask(list(self._document.content.example_files()), "What does another model answer?")

    def _ask(self, files: list[str], title: str) -> None:
        if self._service is None or not files:
            return
        others = self._try_panel.models.others if self._try_panel is not None else None
        dialog = OpinionDialog(
            self._theme, self._service, self._tasks, self._document, files, title, others, self._page.window()
        )
        dialog.asked.connect(self._show)
        dialog.trying.sent_to.connect(self.sent_to)
        dialog.open()

    @Slot(str)
    def _show(self, file: str) -> None:
        self.example_asked.emit(file.rsplit("/", 1)[-1].removesuffix(".json"))
