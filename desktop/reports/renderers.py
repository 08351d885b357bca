"""The kinds of report in one table, and the one function that writes them.

What needs more than this layer may have (PDF needs Qt) is handed in by the composition root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from desktop.reports.data import ReportData
from packs.documents.atomic import write_atomically
from packs.errors import AppError
from packs.registry import Registry


@dataclass(frozen=True, slots=True)
class Renderer:
    """name: as `--format` takes it. suffix: with its dot. words: for a file dialog. render: pure."""

    name: str
    suffix: str
    message: str
    render: Callable[[ReportData], bytes]


Renderers = Registry[Renderer]


def standard_renderers(more: Iterable[Renderer] = ()) -> Renderers:
    """Everything that this layer can write, then what was handed in."""
    own = (
        Renderer("html", ".html", "Web page, for reading and printing", _html),
        Renderer("md", ".md", "Markdown, for notes and wikis", _markdown),
        Renderer("json", ".json", "JSON, for scripts", _json),
        Renderer("csv", ".csv", "Table of all answers, for spreadsheets", _csv),
        Renderer("xlsx", ".xlsx", "Workbook of four sheets, for spreadsheets", _xlsx),
        Renderer("junit", ".xml", "JUnit XML, for build servers", _junit),
        Renderer("bundle", ".zip", "Bundle: everything, so that others can check it", _bundle),
    )
    return Registry("report format", [(entry.name, entry) for entry in (*own, *more)])


def write_report(data: ReportData, renderer: Renderer, target: Path) -> Path:
    """Render and write; see `write_bytes`."""
    return write_bytes(renderer.render(data), target)


def write_bytes(content: bytes, target: Path) -> Path:
    """Write atomically; missing folders are made. Returns the absolute target. Raises AppError."""
    target = target.expanduser().absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, content)
    except OSError as error:
        raise AppError(
            f"The report cannot be written to {target}: {error.strerror or error}.",
            "Choose another place, or make room on the disk.",
            code="disk",
        ) from error
    return target


def default_name(data: ReportData, renderer: Renderer) -> str:
    """'packbench-report-7f3a9c1e.md', 'packbench-bundle-7f3a9c1e.zip'."""
    kind = "bundle" if renderer.name == "bundle" else "report"
    return f"packbench-{kind}-{data.run.id[:8]}{renderer.suffix}"


def _html(data: ReportData) -> bytes:
    from desktop.reports.html import render_html

    return render_html(data)


def _markdown(data: ReportData) -> bytes:
    from desktop.reports.markdown import render_markdown

    return render_markdown(data)


def _json(data: ReportData) -> bytes:
    from desktop.reports.json import render_json

    return render_json(data)


def _csv(data: ReportData) -> bytes:
    from desktop.reports.csv import render_csv

    return render_csv(data)


def _xlsx(data: ReportData) -> bytes:
    from desktop.reports.xlsx import render_xlsx

    return render_xlsx(data)


def _junit(data: ReportData) -> bytes:
    from desktop.reports.junit import render_junit

    return render_junit(data)


def _bundle(data: ReportData) -> bytes:
    from desktop.reports.bundle import render_bundle

    return render_bundle(data)
