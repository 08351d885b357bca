"""A task run's bundle checked as a whole: scored again, then written anew from its units and compared."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop.reports.answer import RecommendationOptions
from desktop.reports.bundle import MANIFEST, SCORES, UNITS, render_bundle
from desktop.reports.from_bundle import read_bundle
from desktop.reports.verify import MAX_DIFFERENCES, Checked, ScoreDifference, verify_bundle
from packs.documents.zip_opening import opened_zip
from packs.errors import AppError
from packs.task.recommendation import Rule

OTHERWISE = "Written anew from the answers in the bundle, it says something else."
FIGURES = ("index", "name", "recommended", "right", "judged", "interval_95", "quality", "pass_rate", "causes")


def verify_whole(path: Path) -> Checked:
    """As `verify_bundle`; what this version wrote is written anew too, and what differs is named.

    Prompt and inputs are what was asked: nothing else in a bundle could show them to be others.

    Raises AppError as `verify_bundle` does.
    """
    checked = verify_bundle(path)
    try:
        found = list(_differences(path))
    except AppError as error:
        found = [ScoreDifference("run.json", f"The report cannot be made anew: {error.message}")]
    told = {difference.place for difference in checked.differences}
    further = [difference for difference in found if difference.place not in told]
    listed = (*checked.differences, *further)[:MAX_DIFFERENCES]
    return replace(checked, differences=listed, count=checked.count + len(further))


def _differences(path: Path) -> Iterator[ScoreDifference]:
    with opened_zip(path) as archive:
        recorded = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(recorded[MANIFEST])
    data = read_bundle(path, created_at="", choice=_choice(manifest.get("choice")))
    if manifest.get("program") != data.program:
        return
    with_inputs = "inputs.json" in recorded
    with zipfile.ZipFile(io.BytesIO(render_bundle(data, with_inputs=with_inputs))) as archive:
        computed = {name: archive.read(name) for name in archive.namelist()}
    for name in sorted(computed.keys() - recorded.keys()):
        yield ScoreDifference(name, "It belongs to the bundle and is not there.")
    for name in (UNITS, SCORES):
        if recorded.get(name) != computed[name]:
            yield ScoreDifference(name, OTHERWISE)
    if _figures(recorded["run.json"]) != _figures(computed["run.json"]):
        yield ScoreDifference("run.json", OTHERWISE)
    if manifest.get("run") != data.run.id:
        yield ScoreDifference(MANIFEST, "It names another run than run.json.")
    if _rows(recorded.get("report.md", b"")) != _rows(computed["report.md"]) and with_inputs:
        yield ScoreDifference("report.md", OTHERWISE)


def _figures(run: bytes) -> list[dict[str, Any]]:
    """What run.json says of each model that follows from its units; times of the run itself do not."""
    return [{name: entry.get(name) for name in FIGURES} for entry in json.loads(run)["candidates"]]


def _rows(report: bytes) -> list[bytes]:
    """Heading and tables: the answer and every figure."""
    return [line for line in report.split(b"\n") if line.startswith((b"#", b"|"))]


def _choice(stored: object) -> RecommendationOptions:
    """How the recommendation was made; the default where nothing usable is said."""
    found: Mapping[str, Any] = stored if isinstance(stored, dict) else {}
    try:
        return RecommendationOptions(**{**found, "rule": Rule(found.get("rule", Rule.PAIRED))})
    except (TypeError, ValueError):
        return RecommendationOptions()
