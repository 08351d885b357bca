"""The kinds of report in one table, of task runs and of qualifications, and the one function that writes them.

What needs more than this layer may have (PDF needs Qt) is handed in by the composition root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.reports.data import ReportData
from packs.documents.atomic import write_atomically
from packs.errors import AppError
from packs.registry import Registry

BundleView = Mapping[str, Any]
"""What `qualification.bundle_folder.view_of` makes of a bundle."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """One kind of report. name: as `--format` takes it. suffix: with its dot. message: for a file dialog.
    render: pure, of a run of a task pack."""

    name: str
    suffix: str
    message: str
    render: Callable[[ReportData], bytes]
    render_qualification: Callable[[BundleView], bytes] | None = None
    """The same of a qualification's bundle; None: there is none."""
    preview: Callable[[ReportData], bytes] | None = None
    """UTF-8 text that shows what it will be; None: best shown as the drawn page."""
    render_redacted: Callable[[ReportData], bytes] | None = None
    """Of data that texts were taken out of, where this is not `render`."""
    kind: str = "report"
    """What the file is called: 'report', 'bundle'."""

    def rendered(self, data: ReportData, *, with_texts: bool) -> bytes:
        """with_texts: nothing was taken out of `data`, and nothing is to be."""
        render = self.render if with_texts or self.render_redacted is None else self.render_redacted
        return render(data)


Renderers = Registry[Renderer]


def standard_renderers(more: Iterable[Renderer] = ()) -> Renderers:
    """Everything that this layer can write, then what was handed in."""
    own = (
        Renderer("html", ".html", "Web page, for reading and printing", _html, _qualification_html),
        Renderer("md", ".md", "Markdown, for notes and wikis", _markdown, _qualification_markdown, _markdown),
        Renderer("json", ".json", "JSON, for scripts", _json, _qualification_json, _json),
        Renderer("csv", ".csv", "Table of all answers, for spreadsheets", _csv, _qualification_csv, _csv),
        Renderer("xlsx", ".xlsx", "Workbook of four sheets, for spreadsheets", _xlsx, preview=_xlsx_preview),
        Renderer("junit", ".xml", "JUnit XML, for build servers", _junit, _qualification_junit, _junit),
        Renderer(
            "bundle",
            ".zip",
            "Bundle: everything, so that others can check it",
            _bundle,
            render_redacted=_bundle_without_inputs,
            kind="bundle",
        ),
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
        write_atomically(target, content, private=True)
    except OSError as error:
        raise AppError(
            f"The report cannot be written to {target}: {error.strerror or error}.",
            "Choose another place, or make room on the disk.",
            code="disk",
        ) from error
    return target


def default_name(data: ReportData, renderer: Renderer) -> str:
    """'packbench-report-7f3a9c1e.md', 'packbench-bundle-7f3a9c1e.zip'."""
    return f"packbench-{renderer.kind}-{data.run.id[:8]}{renderer.suffix}"


def of_qualifications(renderers: Renderers) -> tuple[str, ...]:
    """Names of the formats that a qualification's bundle has too."""
    return tuple(entry.name for entry in renderers if entry.render_qualification is not None)


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


def _xlsx_preview(data: ReportData) -> bytes:
    from desktop.reports.xlsx import preview

    return preview(data).encode("utf-8", "replace")


def _junit(data: ReportData) -> bytes:
    from desktop.reports.junit import render_junit

    return render_junit(data)


def _bundle(data: ReportData) -> bytes:
    from desktop.reports.bundle import render_bundle

    return render_bundle(data)


def _bundle_without_inputs(data: ReportData) -> bytes:
    from desktop.reports.bundle import render_bundle

    return render_bundle(data, with_inputs=False)


def _qualification_html(view: BundleView) -> bytes:
    from desktop.reports.qualification.html import render_qualification

    return render_qualification(view)


def _qualification_markdown(view: BundleView) -> bytes:
    from desktop.reports.qualification.formats import markdown

    return markdown(view)


def _qualification_json(view: BundleView) -> bytes:
    from packs.documents.jsonlines import document

    return document(dict(view))


def _qualification_csv(view: BundleView) -> bytes:
    from desktop.reports.qualification.formats import table

    return table(view)


def _qualification_junit(view: BundleView) -> bytes:
    from desktop.reports.qualification.formats import junit

    return junit(view)
