"""The report as one HTML file: no script, nothing from outside, for screens in light and dark and for paper.

The answer stands first, then its evidence. The words are in `resources/templates/report*.html`.
"""

from __future__ import annotations

from desktop.foundation.colours import CAUSE_ORDER
from desktop.reports import drawings, plot
from desktop.reports.data import NearMissCount, ReportData
from desktop.reports.html_examples import examples_shown
from desktop.reports.latency import HINT
from desktop.reports.latency_svg import latency_figures
from desktop.reports.style import style_sheet
from desktop.reports.templates import rendered
from packs import numbers


def render_html(data: ReportData) -> bytes:
    """UTF-8. Larger texts are folded; the bundle has them whole."""
    return rendered(
        "report.html",
        data=data,
        style=style_sheet(),
        drawings=drawings,
        plot=plot,
        facts=_facts(data),
        contents=_contents(data),
        in_use=[cause for cause in CAUSE_ORDER if any(view.causes.get(cause) for view in data.candidates)],
        causes_sub=_causes_sub(data),
        with_plot=plot.can_plot(data.candidates),
        plot_sub=_plot_sub(data),
        near_misses=_near_misses(data),
        examples=examples_shown(data),
        memory_how=_memory_how(data),
        latency={"figures": latency_figures(data.candidates), "hint": HINT},
    ).encode("utf-8", "replace")


def _facts(data: ReportData) -> str:
    models, examples = len(data.candidates), len(data.examples)
    size = f"{numbers.count(models, 'model')} × {numbers.count(examples, 'example')}"
    if data.repetitions > 1:
        size += f" × {data.repetitions} repetitions"
    took = f" in {numbers.duration(data.elapsed_s)}" if data.elapsed_s is not None else ""
    return f"{numbers.moment(data.run.started_at)} · {size} · {data.state}{took}"


def _contents(data: ReportData) -> list[tuple[str, str]]:
    """Ways into a long page; not on paper."""
    parts = [("#models", "Models"), ("#examples", "What went wrong"), ("#speed", "Speed and memory")]
    parts += [("#environment", "Environment"), ("#method", "How it was measured"), ("#again", "Do it again")]
    return parts if data.candidates else [part for part in parts if part[0] != "#speed"]


def _causes_sub(data: ReportData) -> str:
    if data.repetitions < 2:
        return ""
    return f"Counted in answers: {len(data.examples)} examples × {data.repetitions} repetitions."


def _plot_sub(data: ReportData) -> str:
    base = plot.axis_base(data.candidates)
    begins = f" · axis from {numbers.whole_percent(base)}" if base else ""
    return f"bars: 95 % interval · dashed: nothing smaller does better{begins}"


def _near_misses(data: ReportData) -> list[NearMissCount]:
    """Small things that kept answers from being read, the most frequent first: the pack can often mend them."""
    counted: dict[str, NearMissCount] = {}
    for view in data.candidates:
        for miss in view.near_misses:
            before = counted.get(miss.code)
            total = miss.count + (before.count if before else 0)
            counted[miss.code] = NearMissCount(miss.code, miss.message, total)
    return sorted(counted.values(), key=lambda miss: -miss.count)[:4]


def _memory_how(data: ReportData) -> str:
    methods = dict.fromkeys(view.record.memory_method for view in data.candidates if view.record.memory_method)
    return "; ".join(methods) or data.run.memory_unknown_because or "was not measured"
