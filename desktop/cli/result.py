"""What a run found, for a terminal: the answer first, then the models, then what limits it."""

from __future__ import annotations

from desktop.cli.terminal import Terminal
from desktop.reports import text
from desktop.reports.data import AnswerTone, CandidateView, ReportData
from desktop.reports.drawings import causes_in_text, remarks_on
from packs import numbers

_TONES = {AnswerTone.ACCENT: "accent", AnswerTone.GOOD: "good", AnswerTone.WARN: "warn", AnswerTone.BAD: "bad"}
_COLUMNS = ("Model", "Quantization", "Right", "95 % interval", "First token", "Speed", "Peak memory")


def print_result(data: ReportData, out: Terminal) -> None:
    """The answer, the table, the reasons; everything else is in the reports."""
    out.line(out.style(text.one_line(data.title), "bold"))
    if data.label:
        out.paragraph(out.style("Not reviewed.", "warn") + f" {text.one_line(data.label)}")
    out.line()
    out.paragraph(out.style(text.one_line(data.answer.headline), _TONES[data.answer.tone]))
    if data.answer.reason:
        out.paragraph(text.one_line(data.answer.reason))
    out.line()
    _table(data, out)
    reported = {view.name for view in data.candidates if view.why_not}
    for entry in data.answer.runners_up:
        if entry.name in reported:
            continue
        out.paragraph(f"{text.one_line(entry.name, 60)}: {text.one_line(entry.sentence)}", "  ")
    for line in (*data.answer.limits, *data.notes):
        out.paragraph(text.one_line(line), "  ")
    out.line()
    out.line(text.one_line(data.local))


def _table(data: ReportData, out: Terminal) -> None:
    if not data.candidates:
        out.line("No model was run.")
        return
    rows = [_COLUMNS, *(_row(view) for view in data.candidates)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for number, row in enumerate(rows):
        cells = [
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = "  ".join(cells).rstrip()
        out.line(out.style(line, "muted") if number == 0 else line)
        if number:
            view = data.candidates[number - 1]
            out.paragraph(causes_in_text(view) or "nothing was answered", "    ")
            if view.why_not:
                out.paragraph(f"not ranked: {text.one_line(view.why_not)}", "    ")
            for note in remarks_on(view):
                out.paragraph(text.one_line(note), "    ")


def _row(view: CandidateView) -> tuple[str, ...]:
    unknown = numbers.UNKNOWN
    first = view.ttft_warm or view.ttft_cold
    mark = "* " if view.recommended else "  "
    return (
        mark + text.one_line(view.name, 40),
        text.one_line(view.record.quantization or unknown, 12),
        f"{view.right} of {view.judged}" if view.judged else unknown,
        numbers.interval(view.interval.lower, view.interval.upper) if view.interval else unknown,
        numbers.milliseconds(first.median if first else None),
        numbers.rate(view.tokens_per_second.median if view.tokens_per_second else None),
        numbers.gibibytes(view.record.peak_mib),
    )
