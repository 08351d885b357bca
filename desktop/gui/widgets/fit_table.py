"""Tables that are as high as their rows, in pages that scroll themselves."""

from __future__ import annotations

from desktop.gui.widgets.table import Table


def fit_table(table: Table, max_rows: int) -> None:
    """Up to `most_rows`; a scroll bar below must not lie over the last row. To be called after a resize."""
    table.fit_height(max_rows)
    if table.horizontalHeader().length() > table.width() > 0:
        bar = table.horizontalScrollBar().sizeHint().height()
        table.setFixedHeight(table.height() + bar)
