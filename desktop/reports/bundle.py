"""A run as one zip that a stranger can check again without a network (task-pack format, section 18).

The same run gives the same bytes: entries in a fixed order, time stamps of the run's start, and no folder of
this machine. Beside what the format asks for it holds inputs, prompt and a manifest of SHA-256.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
import zipfile
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from desktop.reports.data import ReportData
from desktop.reports.json import candidate_document, json_bytes, run_document, unit_document
from desktop.reports.markdown import render_markdown

Key = TypeVar("Key", bound=Hashable)

FORMAT = "packbench-bundle/1"
MANIFEST = "manifest.json"
SCORING = "scoring.json"
SCORES = "scores.json"
UNITS = "units.json"
_STORED_UP_TO = 256
"""Bytes: packing a short answer takes time and makes it longer."""
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip can hold."""


def render_bundle(data: ReportData, *, with_inputs: bool = True) -> bytes:
    """The zip's bytes. with_inputs: whether examples' inputs and the prompt go along (the author's choice)."""
    stamp = _stamp(data.run.started_at)
    hashes: dict[str, str] = {}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in _entries(data, with_inputs):
            hashes[name] = hashlib.sha256(content).hexdigest()
            archive.writestr(_entry(name, stamp, len(content)), content)
        told = {"run": data.run.id, "program": data.program, "choice": dict(data.choice)}
        manifest = {"format": FORMAT, **told, "sha256": hashes}
        listed = json_bytes(manifest)
        archive.writestr(_entry(MANIFEST, stamp, len(listed)), listed)
    return buffer.getvalue()


def _entries(data: ReportData, with_inputs: bool) -> Iterator[tuple[str, bytes]]:
    # The moment of rendering is not the run's; the run's own start keeps the bytes the same.
    yield "report.md", render_markdown(replace(data, created_at=data.run.started_at))
    run = {**run_document(data), "candidates": [candidate_document(view) for view in data.candidates]}
    yield "run.json", json_bytes(run)
    paths = output_paths(data)
    for unit in data.units:
        if unit.generation is not None:
            path = paths[unit.candidate, unit.example, unit.repetition]
            yield path, unit.generation.text.encode("utf-8", "surrogatepass")
    units: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    for unit in data.units:
        path_or_none = paths.get((unit.candidate, unit.example, unit.repetition)) if unit.generation else None
        entry = unit_document(unit, with_text=False)
        if entry["generation"] is not None:
            entry["generation"]["path"] = path_or_none
            entry["generation"]["reasoning"] = unit.generation.reasoning if unit.generation else ""
        units.append(entry)
        if unit.outcome is not None and unit.generation is not None:
            scores.append(
                {
                    "candidate": unit.candidate,
                    "example": unit.example,
                    "repetition": unit.repetition,
                    "path": path_or_none,
                    "scorer": data.pack.scorer,
                    "score": unit.outcome.score,
                    "passed": unit.outcome.passed,
                    "cause": unit.outcome.cause.value,
                    "detail": dict(unit.outcome.detail),
                }
            )
    yield UNITS, json_bytes(units)
    yield SCORES, json_bytes(scores)
    if data.pack.scoring is not None:
        expected = [{"id": example.id, "expected": example.expected} for example in data.examples]
        strict = bool(data.run.settings.get("strict"))
        generation = {"max_tokens": data.pack.generation.get("max_tokens")}
        yield (
            SCORING,
            json_bytes({**data.pack.scoring, "strict": strict, "generation": generation, "examples": expected}),
        )
    if with_inputs:
        yield "prompt.md", data.pack.prompt.encode("utf-8", "surrogatepass")
        yield (
            "inputs.json",
            json_bytes([{"id": example.id, "input": example.input} for example in data.examples]),
        )


def output_paths(data: ReportData) -> dict[tuple[int, str, int], str]:
    """A file name for the answer of every unit, unique for any script, even where capitals do not count.

    Key: candidate, example, repetition. Names keep letters and digits of every script; what collides after that
    gets a number.
    """
    folders = _unique({view.record.index: view.name for view in data.candidates})
    examples = _unique(
        {example.id: example.id for example in data.examples} | {u.example: u.example for u in data.units}
    )
    return {
        (unit.candidate, unit.example, unit.repetition): (
            f"outputs/{folders[unit.candidate]}/{examples[unit.example]}-rep{unit.repetition}.txt"
        )
        for unit in data.units
    }


def _unique(names: Mapping[Key, str]) -> dict[Key, str]:
    taken: set[str] = set()
    result = {}
    for key, name in names.items():
        base = safe_name(name)
        chosen, number = base, 2
        while chosen.casefold() in taken:
            chosen, number = f"{base}-{number}", number + 1
        taken.add(chosen.casefold())
        result[key] = chosen
    return result


def safe_name(name: str) -> str:
    """A file name that every system takes: letters and digits of any script, `. _ -`, at most 80 characters."""
    kept = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", name)).strip(".-") or "unnamed"
    kept = "".join(character for character in kept if not 0xD800 <= ord(character) <= 0xDFFF) or "unnamed"
    # Names that Windows keeps for devices.
    if re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", kept):
        kept = f"_{kept}"
    return kept[:80].rstrip(".-") or "unnamed"


def _entry(name: str, stamp: tuple[int, int, int, int, int, int], size: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, stamp)
    info.compress_type = zipfile.ZIP_DEFLATED if size > _STORED_UP_TO else zipfile.ZIP_STORED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return info


def _stamp(started_at: str) -> tuple[int, int, int, int, int, int]:
    try:
        start = datetime.fromisoformat(started_at.replace("Z", "+00:00"))
    except ValueError:
        return _EARLIEST
    moment = (start.year, start.month, start.day, start.hour, start.minute, start.second)
    return max(moment, _EARLIEST)
