"""Where a model goes wrong: labels mixed up, fields missed, numbers off; one model at a time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop.application.run_figures import Confusion, FieldCount, confusion, error_histogram, field_counts
from desktop.gui.runs.result.histogram import Histogram, histogram_text
from desktop.gui.runs.result.result_data import ResultData
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.confusion_columns import MatrixRow, confusion_columns
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table


class FiguresDialog(QDialog):
    """Opens with the best model chosen."""

    def __init__(self, theme: Theme, result: ResultData, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._result = result
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Where it goes wrong")
        px = theme.px
        self.models = QComboBox()
        self.models.setAccessibleName("Model")
        for place in result.order:
            self.models.addItem(result.names[place], place)
        self.message = TextLabel(theme, tone=Tone.MUTED, wrap=True)
        self.model: RowsModel[MatrixRow] = RowsModel(())
        self.table = Table(theme, "Where it goes wrong")
        self.table.setModel(self.model)
        self.histogram = Histogram(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.histogram)
        close = Button(theme, "&Close", primary=True)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        head = QHBoxLayout()
        label = TextLabel(theme, "Model")
        label.setBuddy(self.models)
        head.addWidget(label)
        head.addWidget(self.models, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(20), px(16), px(20), px(16))
        outer.setSpacing(px(12))
        outer.addLayout(head)
        outer.addWidget(self.message)
        outer.addWidget(self._stack, 1)
        outer.addLayout(row)
        self.resize(theme.chars(130), px(440))
        self.models.currentIndexChanged.connect(self.show_model)
        self.show_model()

    @Slot()
    def show_model(self) -> None:
        place = self.models.currentData()
        report = self._result.report
        units = [unit for unit in report.units if unit.candidate == place]
        expected = {example.id: example.expected for example in report.examples}
        labels = confusion(units, expected)
        fields = field_counts(units)
        errors = error_histogram(units, expected)
        if labels is not None:
            self._show_labels(labels)
        elif fields:
            self._show_fields(fields)
        elif errors is not None:
            self.message.setText(histogram_text(errors))
            self.histogram.show_value(errors)
            self._stack.setCurrentIndex(1)
        else:
            self.message.setText("This model has no answers that can be told apart in this way.")
            self.model.set_columns((), ())
            self._stack.setCurrentIndex(0)

    def _show_labels(self, labels: Confusion) -> None:
        self.message.setText(
            "Rows: the expected label. Columns: what the model answered. Right answers lie where both agree."
        )
        rows: list[MatrixRow] = list(zip(labels.labels, labels.counts, strict=True))
        self._show_table(confusion_columns(self._theme, labels.columns), rows, (18, *[9] * len(labels.columns)))

    def _show_fields(self, fields: Sequence[FieldCount]) -> None:
        self.message.setText("How often each field was right, differed, or was missing.")
        rows: list[MatrixRow] = [
            (entry.field, (entry.match, entry.mismatch, entry.missing, round(100 * entry.match / entry.total)))
            for entry in fields
        ]
        columns: list[Column[MatrixRow]] = [Column("Field", lambda row: row[0])]
        columns += [_count_column(name, place) for place, name in enumerate(("Right", "Differs", "Missing"))]
        columns.append(
            Column("Share right", lambda row: f"{row[1][3]} %", right=True, sort=lambda row: row[1][3])
        )
        self._show_table(columns, rows, (None, 12, 12, 12, 14))

    def _show_table(
        self, columns: list[Column[MatrixRow]], rows: list[MatrixRow], widths: Sequence[float | None]
    ) -> None:
        self.model.set_columns(columns, rows)
        self.table.set_widths(widths)
        self._stack.setCurrentIndex(0)


def _count_column(name: str, place: int) -> Column[MatrixRow]:
    return Column(name, lambda row: f"{row[1][place]:,}", right=True, sort=lambda row: row[1][place])
