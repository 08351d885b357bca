"""How long a person waits, as small multiples: the figures and words that window, page and paper draw.

Three panels with a row for every candidate, in the same order; each panel has a scale of its own that begins
at 0. Unknown is a dash with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from desktop.reports.data import CandidateView, Spread
from desktop.reports.shapes import Bar, Box, Letters, Line, Shape, Words
from desktop.reports.text import plain
from desktop.runs.records import CandidateStatus
from packs import numbers


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One candidate in one panel. spread: in the panel's unit, None when unknown; why: then the reason."""

    name: str
    recommended: bool
    spread: Spread | None
    message: str
    """The middle value without its unit, or a dash."""
    why: str

    @property
    def plain(self) -> str:
        spread = self.spread
        if spread is None:
            return f"{self.name} not known, {self.why}"
        if spread.count < 2:
            return f"{self.name} {self.message}"
        return f"{self.name} {self.message} ({_figure(spread.low)} to {_figure(spread.high)})"


@dataclass(frozen=True, slots=True)
class LatencyPanel:
    """title: what; unit: as it is written. reach: end of the axis, above 0, in that unit."""

    title: str
    unit: str
    rows: tuple[LatencyRow, ...]
    reach: float

    @property
    def heading(self) -> str:
        return f"{self.title}, {self.unit}"

    @property
    def plain(self) -> str:
        return f"{self.heading}: {'; '.join(row.plain for row in self.rows)}"


HINT = "bar: middle value · line: smallest to largest · every scale begins at 0"


def latency_panels(views: Sequence[CandidateView]) -> tuple[LatencyPanel, ...]:
    """First token cold and warm in ms, speed in tokens per second; empty when nothing was measured at all."""
    if not any(view.ttft_cold or view.ttft_warm or view.tokens_per_second for view in views):
        return ()
    return (
        _panel(
            "First token, cold",
            "ms",
            [(view, view.ttft_cold, "no cold prompts") for view in views],
        ),
        _panel(
            "First token, warm",
            "ms",
            [(view, view.ttft_warm, "no shared start") for view in views],
        ),
        _panel(
            "Speed",
            "tokens/s",
            [(view, view.tokens_per_second, "too short, or in one piece") for view in views],
        ),
    )


def _panel(title: str, unit: str, cells: Sequence[tuple[CandidateView, Spread | None, str]]) -> LatencyPanel:
    rows = tuple(
        LatencyRow(
            view.name,
            view.recommended,
            spread,
            numbers.UNKNOWN if spread is None else _figure(spread.median),
            "" if spread is not None else _why(view, missing),
        )
        for view, spread, missing in cells
    )
    reach = max((row.spread.high for row in rows if row.spread), default=0.0)
    return LatencyPanel(title, unit, rows, reach if reach > 0 else 1.0)


def _why(view: CandidateView, missing: str) -> str:
    """A candidate that gave no figure at all tells how it ended."""
    if view.ttft_cold or view.ttft_warm or view.tokens_per_second:
        return missing
    status = view.record.status
    if status is CandidateStatus.OOM:
        return "ran out of memory"
    if status is not CandidateStatus.COMPLETED:
        return f"not measured: {status.value}"
    return "no times were told"


def _figure(value: float) -> str:
    """Whole numbers from ten on, one place below."""
    return f"{value:,.0f}" if value >= 10 else numbers.fixed(value, 1)


def name_shapes(row: LatencyRow, cell: Box, letters: Letters, scale: float = 1.0) -> Iterator[Shape]:
    """The name of a candidate in its cell."""
    bold = row.recommended
    name = letters.cut(plain(row.name), cell.width - 8 * scale, bold)
    yield Words(cell.left, letters.baseline(cell), name, "accent" if bold else "text", bold=bold)


def bar_shapes(
    row: LatencyRow, cell: Box, panel: LatencyPanel, letters: Letters, scale: float = 1.0
) -> Iterator[Shape]:
    """One row of a panel: the bar to the middle value, the range over it, and the figure at the end."""
    baseline, spread = letters.baseline(cell), row.spread
    if spread is None:
        words = letters.cut(f"{row.message} {row.why}", cell.width - 8 * scale, False)
        yield Words(cell.left + 6 * scale, baseline, words, "muted", title=row.plain)
        return
    figures = max(letters.width(other.message, False) for other in panel.rows) + 8 * scale
    factor = (cell.width - figures) / panel.reach
    low, high = cell.left + spread.low * factor, cell.left + spread.high * factor
    middle, half = cell.middle, 6 * scale
    bar = Box(cell.left, middle - half, max(1.0, spread.median * factor), 2 * half)
    yield Bar(bar, "accent" if row.recommended else "control", row.plain)
    if spread.count > 1 and spread.high > spread.low:
        yield Line(low, middle, high, middle, "text", 1.2 * scale)
        for x in (low, high):
            yield Line(x, middle - 4 * scale, x, middle + 4 * scale, "text", 1.2 * scale)
    yield Words(cell.right, baseline, row.message, "text", "end")
