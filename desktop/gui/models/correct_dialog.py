"""The person's word against a probe's: three figures, each of which may be left to the probe."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QDoubleSpinBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.dialog_size import open_as_wide_as
from desktop.gui.widgets.label import TextLabel
from desktop.inference.machine.corrections import Corrections
from desktop.inference.machine.machine import Machine


class CorrectDialog(QDialog):
    corrected = Signal(object)
    """Corrections."""

    def __init__(
        self, theme: Theme, machine: Machine, current: Corrections, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Correct this computer")
        heading = TextLabel(theme, "What is wrong about this computer?", bold=True)
        note = TextLabel(
            theme,
            "What you set here counts instead of the probe's answer, and is printed in reports.",
            tone=Tone.MUTED,
            wrap=True,
        )
        memory = machine.memory
        total = (memory.total_mib or 8192) / 1024
        self.memory = _field(" GiB", 0.25, 4096, current.memory_mib and current.memory_mib / 1024, total)
        self.cores = _field(
            "", 1, 512, current.physical_cores, machine.processor.physical_cores or 2, decimals=0
        )
        speed = machine.bandwidth.gbps if machine.bandwidth else 20
        self.speed = _field(" GB/s", 0.5, 10_000, current.bandwidth_gbps, speed, decimals=0)
        grid = QGridLayout()
        grid.setColumnStretch(0, 1)
        self.boxes: list[QCheckBox] = []
        for number, (text, field, value) in enumerate(
            (
                ("Models may use at &most", self.memory, current.memory_mib),
                ("Physical &cores", self.cores, current.physical_cores),
                ("Memory &speed", self.speed, current.bandwidth_gbps),
            )
        ):
            box = QCheckBox(text)
            box.setChecked(value is not None)
            field.setEnabled(value is not None)
            field.setAccessibleName(text.replace("&", ""))
            box.toggled.connect(field.setEnabled)
            grid.addWidget(box, number, 0)
            grid.addWidget(field, number, 1)
            self.boxes.append(box)
        hint = TextLabel(theme, "Without a tick the probe counts.", kind=Type.SMALL, tone=Tone.MUTED)
        keep = Button(theme, "&Keep", primary=True)
        keep.clicked.connect(self._keep)
        cancel = Button(theme, "&Leave as it is")
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(keep)
        outer = QVBoxLayout(self)
        for widget in (heading, note):
            outer.addWidget(widget)
        outer.addLayout(grid)
        outer.addWidget(hint)
        outer.addLayout(buttons)
        margin = theme.px(16)
        outer.setContentsMargins(margin, margin, margin, margin)
        outer.setSpacing(theme.px(12))
        open_as_wide_as(self, theme, 440)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def corrections(self) -> Corrections:
        memory, cores, speed = (
            field.value() if box.isChecked() else None
            for box, field in zip(self.boxes, (self.memory, self.cores, self.speed), strict=True)
        )
        return Corrections(memory * 1024 if memory else None, cores, speed)

    @Slot()
    def _keep(self) -> None:
        self.corrected.emit(self.corrections())
        self.accept()


def _field(
    unit: str, least: float, maximum: float, value: float | None, probe: float, *, decimals: int = 2
) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setDecimals(decimals)
    field.setRange(least, maximum)
    field.setSuffix(unit)
    field.setValue(probe if value is None else value)
    return field
