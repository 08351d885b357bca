"""The report as one HTML file: no script, nothing from outside, for screens in light and dark and for paper.

The answer stands first, then its evidence. Every text from a pack or a model passes through `text.html`.
"""

from __future__ import annotations

from desktop.foundation.colours import CAUSE_ORDER
from desktop.reports import drawings, plot, text
from desktop.reports.data import NearMissCount, ReportData
from desktop.reports.html_examples import examples_section
from desktop.reports.html_tables import candidates_section, environment_section, panel, speed_section
from desktop.reports.style import style_sheet
from packs import numbers
from packs.task.outcome import Cause

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Even if something slipped through, a browser runs and loads nothing."""


def render_html(data: ReportData) -> bytes:
    """UTF-8. Larger texts are folded; the bundle has them whole."""
    in_use = [cause for cause in CAUSE_ORDER if any(view.causes.get(cause) for view in data.candidates)]
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{text.attribute(data.title)} – Packbench</title>",
        f"<style>{style_sheet()}</style></head>\n<body>",
        drawings.cause_symbols(in_use),
        '<a class="skip" href="#answer">To the answer</a><main>',
        _head(data),
        _contents(data),
        _label(data),
        _answer(data),
        _pictures(data, in_use),
        candidates_section(data),
        examples_section(data),
        speed_section(data),
        environment_section(data),
        panel("How it was measured", bullets(data.methodology), mark="method"),
        panel("Do it again", f"<pre>{text.html(chr(10).join(data.repeat))}</pre>", mark="again"),
        _foot(data),
        "</main></body></html>\n",
    ]
    return "\n".join(part for part in parts if part).encode("utf-8", "replace")


def bullets(lines: tuple[str, ...]) -> str:
    """An unordered list of sentences; empty without any."""
    items = "".join(f"<li>{text.html(line)}</li>" for line in lines)
    return f'<ul class="list">{items}</ul>' if items else ""


def _head(data: ReportData) -> str:
    models, examples = len(data.candidates), len(data.examples)
    size = f"{numbers.count(models, 'model')} × {numbers.count(examples, 'example')}"
    if data.repetitions > 1:
        size += f" × {data.repetitions} repetitions"
    took = f" in {numbers.duration(data.elapsed_s)}" if data.elapsed_s is not None else ""
    facts = f"{numbers.moment(data.run.started_at)} · {size} · {data.state}{took}"
    title = text.html(data.title)
    return f'<header class="head"><h1>{title}</h1><span class="small">{text.html(facts)}</span></header>'


def _contents(data: ReportData) -> str:
    """Ways into a long page; not on paper."""
    parts = [("#models", "Models"), ("#examples", "What went wrong"), ("#speed", "Speed and memory")]
    parts += [("#environment", "Environment"), ("#method", "How it was measured"), ("#again", "Do it again")]
    if not data.candidates:
        parts = [part for part in parts if part[0] != "#speed"]
    links = "".join(f'<a href="{target}">{message}</a>' for target, message in parts)
    return f'<nav class="contents" aria-label="Parts of this report">{links}</nav>'


def _label(data: ReportData) -> str:
    if not data.label:
        return ""
    return (
        '<div class="panel label" role="note"><strong>Not reviewed.</strong> '
        f"{text.html(data.label.removeprefix('Not reviewed. '))}</div>"
    )


def _answer(data: ReportData) -> str:
    answer = data.answer
    limits = "".join(f"<li>{text.html(line)}</li>" for line in (*answer.limits, *data.notes))
    reason = f"<p>{text.html(answer.reason)}</p>" if answer.reason else ""
    small = f'<ul class="small">{limits}</ul>' if limits else ""
    return (
        f'<section class="panel answer {answer.tone.value}" id="answer" aria-label="The answer">'
        f'<p class="headline">{text.html(answer.headline)}</p>{reason}{small}</section>'
    )


def _pictures(data: ReportData, in_use: list[Cause]) -> str:
    if not in_use:
        return ""
    legend = "".join(f"<li>{drawings.cause_mark(cause)}{cause.message}</li>" for cause in in_use)
    examples = len(data.examples)
    sub = ""
    if data.repetitions > 1:
        sub = f"Counted in answers: {examples} examples × {data.repetitions} repetitions."
    bars = panel(
        f"What became of the {numbers.count(examples, 'example')}",
        f'<figure>{drawings.cause_bars(data.candidates)}</figure><ul class="legend">{legend}</ul>'
        + _near_misses(data),
        sub=sub,
    )
    if not plot.can_plot(data.candidates):
        return bars
    base = plot.axis_base(data.candidates)
    begins = f" · axis from {numbers.whole_percent(base)}" if base else ""
    drawn = panel(
        "Right answers against memory",
        f"<figure>{plot.size_quality_plot(data.candidates)}</figure>",
        sub=f"bars: 95 % interval · dashed: nothing smaller does better{begins}",
    )
    return f'<div class="two">{drawn}{bars}</div>'


def _near_misses(data: ReportData) -> str:
    """Small things that kept answers from being read: the pack author can often mend them."""
    counted: dict[str, NearMissCount] = {}
    for view in data.candidates:
        for miss in view.near_misses:
            before = counted.get(miss.code)
            total = miss.count + (before.count if before else 0)
            counted[miss.code] = NearMissCount(miss.code, miss.message, total)
    if not counted:
        return ""
    maximum = sorted(counted.values(), key=lambda miss: -miss.count)[:4]
    lines = "; ".join(f"{text.html(miss.message.rstrip('.'))} ({miss.count} ×)" for miss in maximum)
    return f'<p class="hint"><strong>Near misses.</strong> {lines}.</p>'


def _foot(data: ReportData) -> str:
    return (
        f'<footer class="foot"><span><strong>{text.html(data.local)}</strong></span>'
        f"<span>Run {text.html(data.run.id)}</span>"
        f"<span>{text.html(data.program)}, report of {numbers.moment(data.created_at)}</span></footer>"
    )
