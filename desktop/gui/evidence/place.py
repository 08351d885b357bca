"""The Evidence place: open a bundle, see whether it is untouched and who signed it, and what it decides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import Sentence, sentence_for
from desktop.gui.core.file_dialogs import ask_for_bundle
from desktop.gui.core.place import Place
from desktop.gui.core.window_services import WindowServices
from desktop.gui.evidence.check_dialog import CheckDialog
from desktop.gui.evidence.page import EvidencePage
from desktop.gui.evidence.reading_dialogs import BundlesDialog, CaseDialog
from desktop.gui.evidence.sign_dialog import SignDialog
from desktop.gui.theme import Tone, Type
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.list_entries import EntryList, ListEntry
from desktop.gui.widgets.page_stack import PageStack
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.gui.widgets.toast import Toast

if TYPE_CHECKING:
    from desktop.application.evidence.cases import FailedCase
    from desktop.application.evidence.look import Evidence
    from desktop.application.evidence.work import ComparedBundles

EMPTY = (
    "Open a bundle that somebody sent, or drop it here: whether it is untouched, who signed it and what it "
    "decides is checked on this computer."
)
MAX_KEPT = 8


class EvidencePlace(Place):
    """Empty with what was looked into before, or one bundle."""

    open_asked = Signal()
    reported = Signal(object)
    """Sentence: why a bundle could not be looked into."""

    def __init__(self, services: WindowServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        theme = services.theme
        self._theme = theme
        self._looking: CancelToken | None = None
        self._path: Path | None = None
        self.evidence: Evidence | None = None
        self.toast: Toast | None = None
        self.empty = EmptyState(theme, EMPTY, "&Open a bundle…", icon="evidence")
        self.empty.asked.connect(self.open_asked)
        self.before = EntryList(theme, "Bundles looked into before", removable=True)
        self.before.opened.connect(self._open_again)
        self.before.removed.connect(self._forget)
        self._before_panel = QWidget()
        column = QVBoxLayout(self._before_panel)
        column.addWidget(TextLabel(theme, "Looked into before", bold=True))
        panel = Panel(theme, padding=0)
        panel.body.addWidget(self.before)
        column.addWidget(panel)
        self._empty_page = QWidget()
        empty = QVBoxLayout(self._empty_page)
        empty.addWidget(self.empty, 1)
        self._before_row = QHBoxLayout()
        self._before_row.addStretch(1)
        self._before_row.addWidget(self._before_panel, 4)
        self._before_row.addStretch(1)
        empty.addLayout(self._before_row, 1)
        self.page = EvidencePage(theme)
        self.page.open_asked.connect(self.open_asked)
        self.page.again_asked.connect(self._look_again)
        self.page.close_asked.connect(self.close_bundle)
        self.page.sign_asked.connect(self.open_sign)
        self.page.compare_asked.connect(self._ask_other)
        self.page.check_asked.connect(self.open_check)
        self.page.export_asked.connect(self._ask_target)
        self.page.case_asked.connect(self.open_case)
        self._waiting = TextLabel(theme, "", kind=Type.PAGE, tone=Tone.MUTED, wrap=True)
        self._wait_page = QWidget()
        waiting = QVBoxLayout(self._wait_page)
        waiting.setContentsMargins(theme.px(24), theme.px(24), theme.px(24), theme.px(24))
        waiting.addWidget(self._waiting)
        waiting.addStretch(1)
        self._stack = PageStack()
        for page in (self._empty_page, self._wait_page, self.page):
            self._stack.addWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._show_before()

    def panes(self) -> Sequence[QWidget]:
        if self.evidence is not None:
            return self.page.panes()
        button = self.empty.button
        assert button is not None
        return (button, self.before) if self.before.isVisible() else (button,)

    def title(self) -> str:
        return self.evidence.title if self.evidence is not None else ""

    @Slot(object)
    def show_bundle(self, path: Path) -> None:
        """Check it off the GUI thread; only the newest answer counts."""
        if self._looking is not None:
            self._looking.cancel()
        self._path = path
        self._waiting.setText(f"Checking {path.name}: every file, the signature, and every score again …")
        self._stack.setCurrentWidget(self._wait_page)

        def job(_cancel: CancelToken) -> Evidence:
            # Not at the top: what checks bundles is a tenth of the time until the first window.
            from desktop.application.evidence.look import look_into

            return look_into(path)

        self._looking = self._services.tasks.start(job, self._show, self._failed)

    @Slot()
    def close_bundle(self) -> None:
        """Back to the empty place with the list."""
        self.evidence = None
        self._show_before()
        self._stack.setCurrentWidget(self._empty_page)
        self.title_changed.emit("")
        if self.empty.button is not None:
            self.empty.button.setFocus()

    @Slot()
    def _look_again(self) -> None:
        if self._path is not None:
            self.show_bundle(self._path)

    @Slot(object)
    def _show(self, evidence: Evidence) -> None:
        self._looking = None
        self.evidence = evidence
        self._remember(str(evidence.path.absolute()))
        self.page.show_evidence(evidence)
        self._stack.setCurrentWidget(self.page)
        self.title_changed.emit(evidence.title)

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        self._looking = None
        self._stack.setCurrentWidget(self._empty_page if self.evidence is None else self.page)
        said: Sentence = sentence_for(error)
        self.reported.emit(said)

    # What is done with a bundle

    @Slot()
    def open_sign(self) -> None:
        if self.evidence is not None:
            services = self._services
            folder = services.paths.documents
            dialog = SignDialog(self._theme, services.tasks, self.evidence.path, folder, self.window())
            dialog.signed.connect(self._look_again)
            dialog.open()

    @Slot()
    def open_check(self) -> None:
        if self.evidence is not None:
            CheckDialog(
                self._theme,
                self._services.tasks,
                self.evidence.path,
                self.evidence.model,
                now=self._services.now,
                parent=self.window(),
            ).open()

    @Slot(object)
    def open_case(self, case: FailedCase) -> None:
        CaseDialog(self._theme, case, self.window()).open()

    @Slot()
    def _ask_other(self) -> None:
        ask_for_bundle(self.window(), self._services, self._other_chosen)

    @Slot(list)
    def _other_chosen(self, paths: list[str]) -> None:
        """A folder is chosen by a file in it."""
        for path in [Path(path) for path in paths[:1]]:
            self.compare_with(path.parent if path.name == "manifest.json" else path)

    def compare_with(self, other: Path) -> None:
        if self.evidence is None:
            return
        present = self.evidence.path

        def job(_cancel: CancelToken) -> ComparedBundles:
            from desktop.application.evidence.work import compare_two

            return compare_two(other, present)

        self._services.tasks.start(job, self._compared, self._refused)

    def _compared(self, compared: ComparedBundles) -> None:
        BundlesDialog(self._theme, compared, self.window()).open()

    @Slot()
    def _ask_target(self) -> None:
        if self.evidence is None:
            return
        target = self._services.paths.documents / f"{self.evidence.path.stem}-for-the-auditor"
        dialog = QFileDialog(self.window(), "Name a new folder for the auditor", str(target.parent))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.selectFile(target.name)
        dialog.fileSelected.connect(self.export_to)
        dialog.open()

    @Slot(str)
    def export_to(self, name: str) -> None:
        if self.evidence is None:
            return
        path, target = self.evidence.path, Path(name)

        def job(_cancel: CancelToken) -> bool:
            from desktop.application.evidence.work import export_bundle

            return export_bundle(path, target)

        self._services.tasks.start(job, partial(self._exported, target), self._refused)

    def _exported(self, target: Path, untouched: bool) -> None:
        if self.toast is None:
            self.toast = Toast(self._theme, self.window(), fade=False)
        doubt = "" if untouched else " It says on top that the bundle is not intact."
        self.toast.show_text(f"Written to {target}.{doubt}")

    def _refused(self, error: Exception) -> None:
        self.reported.emit(sentence_for(error))

    # What was looked into before

    def _remember(self, path: str) -> None:
        settings = self._services.settings
        others = [entry for entry in settings.current.recent_bundles if entry != path]
        settings.change(recent_bundles=(path, *others)[:MAX_KEPT])
        self._show_before()

    def _show_before(self) -> None:
        kept = self._services.settings.current.recent_bundles
        self.before.set_things(
            [
                ListEntry(
                    key=entry,
                    title=Path(entry).name,
                    icon="evidence",
                    detail=Runs((Run(str(Path(entry).parent), kind=Type.SMALL, tone=Tone.MUTED),)),
                    tooltip=entry,
                )
                for entry in kept
            ]
        )
        self._before_panel.setVisible(bool(kept))

    @Slot(str)
    def _open_again(self, path: str) -> None:
        self.show_bundle(Path(path))

    @Slot(str)
    def _forget(self, path: str) -> None:
        settings = self._services.settings
        settings.change(
            recent_bundles=tuple(entry for entry in settings.current.recent_bundles if entry != path)
        )
        self._show_before()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._before_row.setContentsMargins(px(32), 0, px(32), px(24))
