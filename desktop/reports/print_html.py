"""The report as the small HTML that Qt's text engine lays out: tables, no style sheet rules it does not know.

Text from packs and models is data: escaped, and what cannot be seen is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from desktop.foundation.colours import CAUSE_ORDER, LIGHT
from desktop.reports.data import CandidateView, ReportData, Spread
from desktop.reports.failures import AnswerGroup, FailedExample, as_text, failed_examples
from desktop.reports.latency import HINT
from desktop.reports.text import attribute as safe
from packs import numbers

MAX_EXAMPLES = 150
"""Failing examples on paper; the others are counted. The web page and the bundle hold all."""
MAX_CHARACTERS = 1_500
"""Of one input or answer on paper."""

PLOT = "plot"
CAUSES = "causes"
LATENCY = "latency"
"""Names of the empty pictures that keep the drawings' places."""

_HEAD = f'bgcolor="{LIGHT.alt}" style="color:{LIGHT.muted}; font-size:8pt"'


def print_html(
    data: ReportData, *, plot: tuple[int, int], causes: tuple[int, int], latency: tuple[int, int]
) -> str:
    """plot, causes, latency: width and height of the drawings in points of the page; (0, 0) leaves one out."""
    parts = [f'<h1 style="font-size:15pt">{safe(data.title)}</h1>']
    if data.label:
        parts.append(_banner(data.label.removeprefix("Not reviewed. ")))
    answer = data.answer
    parts.append(f'<p style="font-size:13pt; font-weight:600">{safe(answer.headline)}</p>')
    if answer.reason:
        parts.append(f"<p>{safe(answer.reason)}</p>")
    parts += [f'<p style="color:{LIGHT.muted}">{safe(limit)}</p>' for limit in (*answer.limits, *data.notes)]
    parts.append(_candidates(data.candidates))
    if plot[0]:
        parts.append("<h2>Right answers against memory</h2>")
        parts.append(f'<p><img src="{PLOT}" width="{plot[0]}" height="{plot[1]}"></p>')
    if causes[0]:
        parts.append("<h2>What became of the examples</h2>")
        parts.append(f'<p><img src="{CAUSES}" width="{causes[0]}" height="{causes[1]}"></p>')
        parts.append(f'<p style="color:{LIGHT.muted}; font-size:8pt">{_legend(data.candidates)}</p>')
    if latency[0]:
        parts.append("<h2>How long it takes</h2>")
        parts.append(f'<p><img src="{LATENCY}" width="{latency[0]}" height="{latency[1]}"></p>')
        parts.append(f'<p style="color:{LIGHT.muted}; font-size:8pt">{HINT}</p>')
    parts += _runners_up(data)
    parts += _failures(data)
    parts.append(_facts("Where and with what", data.environment))
    parts.append(_list("How it was measured", data.methodology))
    if data.repeat:
        lines = "<br>".join(safe(line) for line in data.repeat)
        parts.append(f'<h2>How to repeat it</h2><p style="font-family:monospace">{lines}</p>')
    parts.append(f'<p style="color:{LIGHT.muted}">{safe(data.local)} Run {safe(data.run.id)}.</p>')
    return "".join(parts)


def _legend(views: Sequence[CandidateView]) -> str:
    seen = {cause for view in views for cause, count in view.causes.items() if count}
    return " · ".join(
        f"<b>{LIGHT.causes[cause].letter}</b> {cause.message}" for cause in CAUSE_ORDER if cause in seen
    )


def _banner(message: str) -> str:
    return (
        f'<table width="100%" cellpadding="6" bgcolor="{LIGHT.warn_soft}"><tr><td>'
        f"<b>Not reviewed.</b> {safe(message)}</td></tr></table>"
    )


def _candidates(views: Sequence[CandidateView]) -> str:
    heads = ("Model", "Right", "95 % interval", "First token", "Tokens/s", "Peak, GiB", "Remark")
    rows = []
    for view in views:
        name = f"<b>{safe(view.name)}</b> {safe(view.record.quantization or '')}"
        interval = numbers.UNKNOWN
        if view.interval is not None:
            interval = numbers.interval(view.interval.lower, view.interval.upper)
        peak = view.record.peak_mib
        remark = "recommended" if view.recommended else view.why_not
        rows.append(
            (
                name,
                f"{view.right} of {view.judged}" if view.judged else numbers.UNKNOWN,
                interval,
                _spread(view.ttft_warm or view.ttft_cold, "ms"),
                _spread(view.tokens_per_second, ""),
                numbers.UNKNOWN if peak is None else numbers.fixed(peak / 1024, 2),
                safe(remark),
            )
        )
    return _table(heads, rows)


def _spread(spread: Spread | None, unit: str) -> str:
    if spread is None:
        return numbers.UNKNOWN
    places = 0 if unit or spread.median >= 10 else 1
    return f"{numbers.fixed(spread.median, places)} {unit}".strip()


def _runners_up(data: ReportData) -> list[str]:
    if not data.answer.runners_up:
        return []
    rows = [(f"<b>{safe(other.name)}</b>", safe(other.sentence)) for other in data.answer.runners_up]
    return ["<h2>The others</h2>", _table(("Model", "Why not"), rows)]


def _failures(data: ReportData) -> list[str]:
    parts: list[str] = []
    count = 0
    for example in failed_examples(data):
        count += 1
        if count <= MAX_EXAMPLES:
            parts.append(_failure(example))
    if not count:
        return ["<h2>Failing examples</h2><p>Every example was answered rightly.</p>"]
    # On a page of its own: Qt cannot keep a heading with what follows.
    heading = f'<h2 style="page-break-before:always">Failing examples ({count:,})</h2>'
    if count > MAX_EXAMPLES:
        parts.append(f"<p>{count - MAX_EXAMPLES:,} more are in the web page and in the bundle.</p>")
    return [heading, *parts]


def _failure(failed: FailedExample) -> str:
    rows = [
        ("Input", _text(failed.example.input)),
        ("Expected", _text(as_text(failed.example.expected))),
    ]
    for view, groups in failed.answers:
        rows.append((f"<b>{safe(view.name)}</b>", "<br>".join(_answer(group) for group in groups)))
    body = "".join(
        f'<tr><td width="18%" valign="top" style="color:{LIGHT.muted}">{name}</td>'
        f'<td valign="top">{content}</td></tr>'
        for name, content in rows
    )
    return (
        f'<p style="margin-bottom:2px"><b>Example {safe(failed.example.id)}</b></p>'
        f'<table width="100%" border="1" cellspacing="0" cellpadding="3" style="border-color:{LIGHT.border}">'
        f"{body}</table>"
    )


def _answer(group: AnswerGroup) -> str:
    message = "not run" if group.cause is None else group.cause.message
    reason = group.unit.outcome.reason if group.unit.outcome is not None else ""
    shown = f"<b>{message}</b>"
    if group.text:
        shown += f" · {_text(group.text)}"
    if reason and not group.right:
        shown += f'<br><span style="color:{LIGHT.muted}">{safe(reason)}</span>'
    return shown


def _text(text: str) -> str:
    """In a fixed font, line feeds kept."""
    cut = text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
    lines = safe(cut).replace("\n", "<br>").replace("  ", "&nbsp; ")
    return f'<span style="font-family:monospace">{lines}</span>'


def _facts(title: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = [(safe(name), safe(value)) for name, value in facts]
    return f"<h2>{title}</h2>{_table(('What', 'Value'), rows)}" if rows else ""


def _list(title: str, lines: Sequence[str]) -> str:
    items = "".join(f"<li>{safe(line)}</li>" for line in lines)
    return f"<h2>{title}</h2><ul>{items}</ul>" if items else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already. The head is repeated on every page."""
    head = "".join(f'<th align="left" {_HEAD}>{message}</th>' for message in heads)
    lines = ["".join(f'<td valign="top">{cell}</td>' for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<table width="100%" border="1" cellspacing="0" cellpadding="4" style="border-color:{LIGHT.border}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
