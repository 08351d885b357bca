"""The report as the small HTML that Qt's text engine lays out: see `resources/templates/print.html`.

Text from packs and models is data: escaped, and what cannot be seen is named.
"""

from __future__ import annotations

from desktop.foundation.colours import CAUSE_ORDER, LIGHT
from desktop.reports.data import CandidateView, ReportData, Spread
from desktop.reports.failures import as_text, failed_examples
from desktop.reports.latency import HINT
from desktop.reports.templates import rendered
from packs import numbers

MAX_EXAMPLES = 150
"""Failing examples on paper; the others are counted. The web page and the bundle hold all."""
MAX_CHARACTERS = 1_500
"""Of one input or answer on paper."""

PLOT = "plot"
CAUSES = "causes"
LATENCY = "latency"
"""Names of the empty pictures that keep the drawings' places."""


def print_html(
    data: ReportData, *, plot: tuple[int, int], causes: tuple[int, int], latency: tuple[int, int]
) -> str:
    """plot, causes, latency: width and height of the drawings in points of the page; (0, 0) leaves one out."""
    return rendered(
        "print.html",
        data=data,
        colours=LIGHT,
        plot=plot,
        causes=causes,
        latency=latency,
        models=[{"view": view, "cells": _cells(view)} for view in data.candidates],
        in_use=[cause for cause in CAUSE_ORDER if any(view.causes.get(cause) for view in data.candidates)],
        hint=HINT,
        failed=list(failed_examples(data)),
        most=MAX_EXAMPLES,
        longest=MAX_CHARACTERS,
        as_text=as_text,
    )


def _cells(view: CandidateView) -> tuple[str, ...]:
    interval, peak = view.interval, view.record.peak_mib
    return (
        f"{view.right} of {view.judged}" if view.judged else numbers.UNKNOWN,
        numbers.UNKNOWN if interval is None else numbers.interval(interval.lower, interval.upper),
        _spread(view.ttft_warm or view.ttft_cold, "ms"),
        _spread(view.tokens_per_second, ""),
        numbers.UNKNOWN if peak is None else numbers.fixed(peak / 1024, 2),
        "recommended" if view.recommended else view.why_not,
    )


def _spread(spread: Spread | None, unit: str) -> str:
    if spread is None:
        return numbers.UNKNOWN
    places = 0 if unit or spread.median >= 10 else 1
    return f"{numbers.fixed(spread.median, places)} {unit}".strip()
