"""The tables of the HTML report: models, speed and memory, environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from desktop.reports import drawings, text
from desktop.reports.data import CandidateView, ReportData, Spread
from desktop.reports.latency import HINT
from desktop.reports.latency_svg import latency_figures
from packs import numbers


def panel(heading: str, body: str, *, sub: str = "", mark: str = "") -> str:
    """A section with its heading. `heading` and `sub` are plain text, `body` is HTML, `mark` an id."""
    under = f'<p class="sub">{text.html(sub)}</p>' if sub else ""
    anchor = f' id="{mark}"' if mark else ""
    return f'<section class="panel"{anchor}><h2>{text.html(heading)}</h2>{under}{body}</section>'


def table(headings: Sequence[str], rows: Iterable[str], *, figures: Sequence[int] = ()) -> str:
    """Scrolls sideways where it is too wide. figures: columns that are right aligned; rows: whole `<tr>`s."""
    cells = "".join(
        f'<th scope="col"{" class=num" if column in figures else ""}>{text.html(name)}</th>'
        for column, name in enumerate(headings)
    )
    body = "".join(rows)
    return f'<div class="scroll"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def candidates_section(data: ReportData) -> str:
    """The models side by side, then why not the others, then the arithmetic on demand."""
    if not data.candidates:
        return panel("Models", "<p>No model was run.</p>", mark="models")
    headings = (
        "Model",
        "Quantization",
        "Right",
        "0 to 100 %",
        "95 % interval",
        "Quality",
        "First token",
        "Speed",
        "Peak memory",
    )
    parts = [table(headings, map(_candidate, data.candidates), figures=(2, 5, 6, 7, 8))]
    reported = {view.name for view in data.candidates if view.why_not}
    others = "".join(
        f"<li><strong>{text.html(entry.name)}</strong>: {text.html(entry.sentence)}</li>"
        for entry in data.answer.runners_up
        if entry.name not in reported
    )
    if others:
        parts.append(f'<h3>Why not the others</h3><ul class="list">{others}</ul>')
    steps = "".join(f"<li>{text.html(line)}</li>" for line in data.answer.arithmetic)
    if steps:
        parts.append(f'<details><summary>The arithmetic</summary><ul class="list">{steps}</ul></details>')
    return panel(
        "Models",
        "".join(parts),
        sub="Right: of the answers that count. Quality: mean score, 0 to 1.",
        mark="models",
    )


def _candidate(view: CandidateView) -> str:
    unknown = numbers.UNKNOWN
    between = numbers.interval(view.interval.lower, view.interval.upper) if view.interval else unknown
    tag = ' <span class="quiet">(recommended)</span>' if view.recommended else ""
    if view.why_not:
        tag = f'<span class="who-not small">not ranked: {text.html(view.why_not)}</span>'
    first = view.ttft_warm or view.ttft_cold
    return "".join(
        (
            f"<tr{' class=chosen' if view.recommended else ''}>",
            f'<th scope="row">{text.html(view.name)}{tag}</th>',
            f'<td class="quiet">{text.html(view.record.quantization or unknown)}</td>',
            _figure(f"{view.right} of {view.judged}" if view.judged else unknown),
            f'<td>{drawings.interval_line(view)}</td><td class="small">{between}</td>',
            _figure(_quality(view)),
            _figure(numbers.milliseconds(first.median) if first else unknown),
            _figure(numbers.rate(view.tokens_per_second.median) if view.tokens_per_second else unknown),
            _figure(numbers.gibibytes(view.record.peak_mib)),
            "</tr>",
        )
    )


def _figure(html: str) -> str:
    return f'<td class="num">{html}</td>'


def _quality(view: CandidateView) -> str:
    shown = numbers.quality(view.quality)
    if view.quality_spread is None:
        return shown
    low, high = view.quality_spread
    return f'{shown} <span class="small">{numbers.quality(low)} – {numbers.quality(high)}</span>'


def speed_section(data: ReportData) -> str:
    """Times and memory of every model, with the way they were measured."""
    if not data.candidates:
        return ""
    headings = (
        "Model",
        "Load",
        "First token, cold",
        "First token, warm",
        "Speed",
        "All answers",
        "Peak memory",
        "Predicted",
    )
    methods = dict.fromkeys(view.record.memory_method for view in data.candidates if view.record.memory_method)
    how = "; ".join(methods) or data.run.memory_unknown_because or "was not measured"
    sub = (
        "Medians, below them the smallest and the largest. Cold: the whole prompt was read from nothing; warm: "
        f"the part that all examples share was held ready. Memory: {how}"
    )
    notes = "".join(
        f"<li><strong>{text.html(view.name)}</strong>: {text.html(note)}</li>"
        for view in data.candidates
        for note in view.notes
    )
    listed = f'<ul class="list small">{notes}</ul>' if notes else ""
    rows = table(headings, map(_speed, data.candidates), figures=range(1, 8))
    figures = latency_figures(data.candidates)
    hint = f'<p class="small">{HINT}</p>' if figures else ""
    return panel("Speed and memory", figures + hint + rows + listed, sub=sub, mark="speed")


def _speed(view: CandidateView) -> str:
    record = view.record
    return "".join(
        (
            f'<tr><th scope="row">{text.html(view.name)}</th>',
            _figure(numbers.seconds(record.load_ms)),
            _figure(_range(view.ttft_cold, numbers.milliseconds)),
            _figure(_range(view.ttft_warm, numbers.milliseconds)),
            _figure(_range(view.tokens_per_second, numbers.rate)),
            _figure(numbers.seconds(view.wall_total_ms)),
            _figure(numbers.gibibytes(record.peak_mib)),
            _figure(_predicted(view)),
            "</tr>",
        )
    )


def _range(spread: Spread | None, write: numbers.Writer) -> str:
    """Median, and the range where there is one."""
    if spread is None:
        return numbers.UNKNOWN
    if spread.count < 2 or write(spread.low) == write(spread.high):
        return write(spread.median)
    return f'{write(spread.median)} <span class="small">{write(spread.low)} – {write(spread.high)}</span>'


def _predicted(view: CandidateView) -> str:
    shown = numbers.gibibytes(view.record.predicted_mib)
    if view.memory_delta_percent is None:
        return shown
    delta = numbers.signed_percent(view.memory_delta_percent)
    return f'{shown} <span class="small">measured {delta}</span>'


def environment_section(data: ReportData) -> str:
    """Where it was run, with what, and the prompt."""
    facts = "".join(
        f"<dt>{text.html(name)}</dt><dd>{text.html(value)}</dd>" for name, value in data.environment
    )
    prompt = (
        f"<details><summary>The prompt</summary><pre>{text.html(data.pack.prompt[:50_000])}</pre></details>"
    )
    section = panel("Environment", f"<dl>{facts}</dl>{prompt if data.pack.prompt else ''}", mark="environment")
    if not data.candidates:
        return section
    headings = ("Model", "Quantization", "Parameters", "Weights", "Digest")
    return section + panel("Model files", table(headings, map(_model, data.candidates), figures=(3,)))


def _model(view: CandidateView) -> str:
    record, unknown = view.record, numbers.UNKNOWN
    return "".join(
        (
            f'<tr><th scope="row">{text.html(view.name)}</th>',
            f"<td>{text.html(record.quantization or unknown)}</td>",
            f"<td>{text.html(record.parameter_count or unknown)}</td>",
            _figure(numbers.mebibytes(view.weights_mib)),
            f'<td class="out">{text.html(short_digest(record.digest))}</td></tr>',
        )
    )


def short_digest(digest: str | None) -> str:
    """The first 12 characters behind the kind of hash."""
    if not digest:
        return numbers.UNKNOWN
    kind, colon, value = digest.rpartition(":")
    return f"{kind}{colon}{value[:12]}"
