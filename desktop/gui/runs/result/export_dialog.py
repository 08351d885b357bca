"""Export of a result: which format, what goes into it, what it will look like, where it goes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.application.run_requests import ExportRequest
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.printing.pdf import first_page
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.difference_view import DifferenceView
from desktop.gui.widgets.label import TextLabel
from desktop.reports.data import ReportData
from desktop.reports.redaction import redacted
from desktop.reports.renderers import Renderer
from desktop.reports.text import plain

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

PREVIEW_CHARACTERS = 6_000
SETTLE_MS = 150
LEAST_PAGE_WIDTH = 320


class ExportDialog(QDialog):
    """Writes off the GUI thread; stays open afterwards with "Open" and "Show in folder"."""

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        report: ReportData,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._report = report
        self._written: Path | None = None
        self._asked: CancelToken | None = None
        self._own_target = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Export the result")
        px = theme.px

        self.formats = QListWidget()
        self.formats.setAccessibleName("Format")
        for renderer in service.renderers:
            item = QListWidgetItem(renderer.message)
            item.setData(Qt.ItemDataRole.UserRole, renderer.name)
            item.setToolTip(renderer.message)
            self.formats.addItem(item)
        self.formats.setFixedWidth(self.formats.sizeHintForColumn(0) + px(32))
        self.texts = QCheckBox("With &inputs and answers")
        self.texts.setChecked(True)
        self.fields: list[QCheckBox] = []
        for name in field_names(report):
            box = QCheckBox(f"Leave out {plain(name)}".replace("&", "&&"))
            box.setProperty("field", name)
            box.toggled.connect(self._changed)
            self.fields.append(box)
        self.preview = DifferenceView(theme, "Preview", lines=18)
        self.page = QLabel()
        self.page.setAccessibleName("First page")
        self.page.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self._paper = QScrollArea()
        self._paper.setWidget(self.page)
        self._paper.setWidgetResizable(True)
        self._paper.setAccessibleName("First page")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.preview)
        self._stack.addWidget(self._paper)
        self.target = QLineEdit()
        self.target.setAccessibleName("File")
        self.browse = Button(theme, "&Browse…", icon="folder")
        self.message = TextLabel(theme, wrap=True, selectable=True)
        self.open_button = Button(theme, "&Open it", icon="open")
        self.folder_button = Button(theme, "Show in &folder", icon="folder")
        self.close_button = Button(theme, "&Close")
        self.write_button = Button(theme, "&Write the file", icon="export", primary=True)
        self.write_button.setDefault(True)
        for button in (self.open_button, self.folder_button):
            button.hide()

        left = QVBoxLayout()
        left.addWidget(TextLabel(theme, "Format", kind=Type.SMALL, tone=Tone.MUTED, bold=True))
        left.addWidget(self.formats, 1)
        left.addWidget(self.texts)
        for box in self.fields:
            left.addWidget(box)
        right = QVBoxLayout()
        right.addWidget(TextLabel(theme, "How it begins", kind=Type.SMALL, tone=Tone.MUTED, bold=True))
        right.addWidget(self._stack, 1)
        upper = QHBoxLayout()
        upper.setSpacing(px(16))
        upper.addLayout(left)
        upper.addLayout(right, 1)
        place = QHBoxLayout()
        label = TextLabel(theme, "File")
        label.setBuddy(self.target)
        place.addWidget(label)
        place.addWidget(self.target, 1)
        place.addWidget(self.browse)
        below = QHBoxLayout()
        below.addWidget(self.message, 1)
        for button in (self.open_button, self.folder_button, self.close_button, self.write_button):
            below.addWidget(button)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(20), px(16), px(20), px(16))
        outer.setSpacing(px(12))
        outer.addLayout(upper, 1)
        outer.addLayout(place)
        outer.addLayout(below)
        self.resize(theme.chars(150), px(620))

        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._ask_preview)
        self.formats.currentRowChanged.connect(self._format_changed)
        self.texts.toggled.connect(self._changed)
        self.target.textEdited.connect(self._target_edited)
        self.browse.clicked.connect(self._browse)
        self.write_button.clicked.connect(self._write)
        self.close_button.clicked.connect(self.reject)
        self.open_button.clicked.connect(self._open)
        self.folder_button.clicked.connect(self._show_folder)
        self.formats.setCurrentRow(0)
        self.formats.setFocus()

    @property
    def renderer(self) -> Renderer:
        item = self.formats.currentItem()
        return self._service.renderers[str(item.data(Qt.ItemDataRole.UserRole))]

    def request(self) -> ExportRequest:
        hidden = tuple(str(box.property("field")) for box in self.fields if box.isChecked())
        return ExportRequest(
            self.renderer.name,
            Path(self.target.text()).expanduser(),
            with_texts=self.texts.isChecked(),
            hidden_fields=hidden,
        )

    @property
    def written(self) -> Path | None:
        return self._written

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._settle.start()

    @Slot()
    def _format_changed(self) -> None:
        renderer = self.renderer
        if self._own_target:
            # Only the ending follows the format; folder and name are the person's.
            self.target.setText(str(Path(self.target.text()).with_suffix(renderer.suffix)))
        else:
            self.target.setText(str(self._service.default_target(self._report, renderer)))
        self._changed()

    @Slot()
    def _changed(self) -> None:
        self._written = None
        self.open_button.hide()
        self.folder_button.hide()
        self.message.setText("")
        self.write_button.setEnabled(bool(self.target.text().strip()))
        self._settle.start()

    @Slot()
    def _target_edited(self) -> None:
        self._own_target = True
        self._changed()

    @Slot()
    def _ask_preview(self) -> None:
        if self._asked is not None:
            self._asked.cancel()
        request = self.request()
        report, text_preview = self._report, self.renderer.preview
        width = max(LEAST_PAGE_WIDTH, self._stack.width() - self._theme.px(24))
        pixels = round(width * self.devicePixelRatioF())
        if text_preview is not None:
            self._asked = self._tasks.start(
                lambda _cancel: text_preview(
                    redacted(report, with_texts=request.with_texts, hidden_fields=request.hidden_fields)
                ),
                self._show_preview,
                self._no_preview,
            )
            return
        self._asked = self._tasks.start(
            lambda _cancel: first_page(
                redacted(report, with_texts=request.with_texts, hidden_fields=request.hidden_fields), pixels
            ),
            self._show_page,
            self._no_preview,
        )

    def _show_page(self, image: QImage) -> None:
        ratio = self.devicePixelRatioF()
        image.setDevicePixelRatio(max(1.0, ratio))
        self.page.setPixmap(QPixmap.fromImage(image))
        self._stack.setCurrentIndex(1)

    def _show_preview(self, content: bytes) -> None:
        text = content[: PREVIEW_CHARACTERS * 4].decode("utf-8", errors="replace")
        cut = "" if len(text) <= PREVIEW_CHARACTERS else "\n…"
        self.preview.show_plain(text[:PREVIEW_CHARACTERS].replace("\r\n", "\n") + cut)
        self._stack.setCurrentIndex(0)

    def _no_preview(self, error: Exception) -> None:
        self.preview.show_plain("")
        self.message.set_tone(Tone.BAD)
        self.message.setText(str(sentence_for(error)))

    @Slot()
    def _browse(self) -> None:
        renderer = self.renderer
        dialog = QFileDialog(self, "Where to write it", self.target.text(), f"*{renderer.suffix}")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._browsed)
        dialog.open()

    @Slot(str)
    def _browsed(self, name: str) -> None:
        self.target.setText(name)
        self._target_edited()

    @Slot()
    def _write(self) -> None:
        request = self.request()
        self.write_button.setEnabled(False)
        self.message.set_tone(Tone.MUTED)
        self.message.setText("Writing…")
        self._tasks.start(
            lambda _cancel: self._service.export(self._report, request),
            self._done,
            partial(self._not_done, request),
        )

    def _done(self, written: Path) -> None:
        self._written = written
        self.write_button.setEnabled(True)
        self.message.set_tone(Tone.GOOD)
        self.message.setText(f"Written: {written.name}")
        self.message.setToolTip(str(written))
        self.open_button.show()
        self.folder_button.show()
        self.open_button.setFocus()

    def _not_done(self, request: ExportRequest, error: Exception) -> None:
        self.write_button.setEnabled(True)
        self.message.set_tone(Tone.BAD)
        self.message.setText(str(sentence_for(error)))
        self.target.setFocus()

    @Slot()
    def _open(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written)))

    @Slot()
    def _show_folder(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.parent)))


def field_names(report: ReportData, maximum: int = 12) -> list[str]:
    """Fields of expected objects, in the order in which they are met; empty for other tasks."""
    names: dict[str, None] = {}
    for example in report.examples:
        if isinstance(example.expected, Mapping):
            for name in example.expected:
                names.setdefault(str(name))
                if len(names) >= maximum:
                    return list(names)
    return list(names)
