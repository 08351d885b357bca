"""Pieces of the qualification report: signs with words, figures, intervals against thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.reports import text
from packs import numbers
from packs.qualification.decision_wording import OPERATORS

Record = Mapping[str, Any]

STYLE = """
.verdict { display: inline-block; border-radius: 3px; padding: 1px 8px; font-size: 13px; font-weight: 600;
  white-space: nowrap; background: var(--track); }
.verdict.good { color: var(--good); background: var(--good-soft); }
.verdict.warn { color: var(--warn); background: var(--warn-soft); }
.verdict.bad { color: var(--bad); background: var(--bad-soft); }
.zone { fill: var(--accent-soft); } .foot-line { stroke: var(--accent); } .limit { stroke: var(--text); }
.toc { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13px; margin: 0 0 12px; padding: 0;
  list-style: none; }
.matrix td, .matrix th { text-align: center; padding: 5px 8px; }
.matrix tbody th { text-align: left; }
.matrix .right { background: var(--good-soft); font-weight: 600; }
.matrix .wrong { background: var(--bad-soft); font-weight: 600; }
.matrix .none { color: var(--muted); }
.case td { vertical-align: top; }
.case .out { max-width: 34em; }
code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
h4, h5, h6 { font-size: 14px; margin: 12px 0 0; }
"""

VERDICTS = {
    "met": ("good", "✓", "Met"),
    "missed": ("bad", "✗", "Missed"),
    "straddle": ("warn", "△", "Open"),
    "insufficient": ("warn", "△", "Too few cases"),
    "none": ("good", "✓", "None"),
    "observed": ("bad", "✗", "Seen"),
    "not_gated": ("", "–", "Shown only"),
}
TONES = {"QUALIFIED": "good", "NOT_QUALIFIED": "bad", "INDETERMINATE": "warn"}


def share(value: Any) -> str:
    return numbers.percent(value) if isinstance(value, int | float) else numbers.UNKNOWN


def bounds(interval: Any) -> str:
    """'83.9 – 100 %', or a dash."""
    if not isinstance(interval, Mapping) or interval.get("lower") is None:
        return numbers.UNKNOWN
    low, high = numbers.fixed(interval["lower"] * 100, 1), numbers.fixed(interval["upper"] * 100, 1)
    return f"{low} – {high} %"


def wanted(requirement: Record) -> str:
    """'at least 85 %'."""
    threshold = requirement["threshold"]
    return f"{OPERATORS.get(requirement['operator'], requirement['operator'])} {share(threshold)}"


@dataclass(frozen=True, slots=True)
class IntervalPicture:
    """All proportions 0..1; estimate and bounds None without cases. Zone: the side of success."""

    estimate: float | None
    lower: float | None
    upper: float | None
    threshold: float
    operator: str
    verdict: str

    def svg(self) -> str:
        """A line from 0 to 100 % with the interval, the threshold and the zone of success."""
        width, height, left = 220.0, 30, 6.0

        def x(value: float) -> float:
            return left + min(max(value, 0.0), 1.0) * width

        upward = self.operator in ("gte", "gt", "eq")
        start, end = (x(self.threshold), x(1.0)) if upward else (x(0.0), x(self.threshold))
        parts = [
            f'<rect class="zone" x="{start:.1f}" y="3" width="{max(0.0, end - start):.1f}" height="22"/>',
            f'<line class="foot-line" stroke-width="2" x1="{start:.1f}" y1="26" x2="{end:.1f}" y2="26"/>',
            f'<line class="axis" x1="{x(0):.1f}" y1="14" x2="{x(1):.1f}" y2="14"/>',
            f'<line class="limit" stroke-width="2" x1="{x(self.threshold):.1f}" y1="0" '
            f'x2="{x(self.threshold):.1f}" y2="28"/>',
        ]
        if self.estimate is not None and self.lower is not None and self.upper is not None:
            low, high, at = x(self.lower), x(self.upper), x(self.estimate)
            caps = "".join(f'<line x1="{e:.1f}" y1="9" x2="{e:.1f}" y2="19"/>' for e in (low, high))
            parts.append(
                f'<g class="ink" stroke-width="2"><line x1="{low:.1f}" y1="14" x2="{high:.1f}" y2="14"/>'
                f"{caps}</g>"
            )
            if self.verdict == "met":
                parts.append(f'<rect class="fill-ink" x="{at - 4:.1f}" y="10" width="8" height="8"/>')
            else:
                parts.append(
                    f'<path class="fill-ink" d="M{at:.1f} 8.5L{at + 5.5:.1f} 14L{at:.1f} 19.5'
                    f'L{at - 5.5:.1f} 14Z"/>'
                )
        message = f"estimate {share(self.estimate)}, threshold {share(self.threshold)}"
        return (
            f'<svg viewBox="0 0 232 {height}" width="232" height="{height}" role="img" '
            f'aria-label="{text.attribute(message)}">{"".join(parts)}</svg>'
        )


def picture_of(row: Record, threshold: float, operator: str, verdict: str) -> str:
    interval = row.get("confidence_interval") or {}
    return IntervalPicture(
        row.get("point_estimate"), interval.get("lower"), interval.get("upper"), threshold, operator, verdict
    ).svg()


def written(value: Any, limit: int = 400) -> str:
    """A value from evidence as short text."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        shown = value
    elif isinstance(value, Mapping):
        shown = "; ".join(f"{name}: {written(item, 120)}" for name, item in value.items())
    elif isinstance(value, list):
        shown = ", ".join(written(item, 80) for item in value)
    else:
        shown = str(value)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
