"""A bundle that somebody else made, read back into report data, so that it can be shown in any form.

The bundle is taken for hostile: bounded sizes, nothing is unpacked, every value is checked for its kind.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from desktop.inference.backends.base import Generation, Timing
from desktop.reports.answer import RecommendationOptions
from desktop.reports.bundle import SCORING, UNITS
from desktop.reports.data import ReportData
from desktop.reports.gather import DEFAULT, compose
from desktop.reports.verify import MAX_ENTRY_BYTES, verify_bundle
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord, RunStatus, UnitRecord, UnitStatus
from packs.documents.zip_faults import ZIP_FAULTS
from packs.documents.zip_opening import opened_zip
from packs.errors import AppError
from packs.task.outcome import Cause, NearMiss, Outcome
from packs.task.reasoning import split_reasoning
from packs.task.scoring import Scoring

T = TypeVar("T")


def report_of_bundle(path: Path, *, created_at: str, choice: RecommendationOptions = DEFAULT) -> ReportData:
    """The run in a bundle. A bundle that does not prove itself says so among its notes.

    Raises AppError when the file is no bundle of a task pack or is damaged.
    """
    checked = verify_bundle(path)
    data = read_bundle(path, created_at=created_at, choice=choice)
    return data if checked.good else replace(data, notes=(checked.message, *data.notes))


def read_bundle(path: Path, *, created_at: str, choice: RecommendationOptions) -> ReportData:
    """The run in a bundle that was checked before. Raises AppError."""
    try:
        with opened_zip(path) as archive:
            return _Reader(archive).read(created_at, choice)
    except (*ZIP_FAULTS, KeyError, TypeError, ValueError) as error:
        raise AppError(
            f"{path.name} is not as a bundle should be: {error}.", "Get the bundle again.", code="damaged"
        ) from None


class _Reader:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())

    def read(self, created_at: str, choice: RecommendationOptions) -> ReportData:
        reported = _mapping(self._json("run.json"))
        run = self._run(reported)
        listed = [_mapping(entry) for entry in _listed(reported["candidates"])]
        records = [_candidate(run.id, entry) for entry in listed]
        scoring = Scoring.from_snapshot(run.pack_snapshot)
        units = tuple(self._unit(run.id, _mapping(entry), scoring) for entry in _listed(self._json(UNITS)))
        known = {record.index for record in records}
        if any(unit.candidate not in known for unit in units):
            raise ValueError("a unit belongs to no model")
        data = compose(run, records, units, created_at=created_at, choice=choice)
        views = tuple(
            replace(view, notes=_texts(entry.get("notes")))
            for view, entry in zip(data.candidates, listed, strict=True)
        )
        # What the run's own computer said of itself cannot be made again here.
        return replace(
            data,
            candidates=views,
            label=str(reported.get("label") or ""),
            notes=_texts(reported.get("notes")),
            local=str(reported.get("local") or ""),
            environment=tuple(
                (str(name), str(value)) for name, value in _mapping(reported["environment"]).items()
            ),
            methodology=_texts(reported.get("methodology")),
            repeat=_texts(reported.get("repeat")),
        )

    def _run(self, reported: Mapping[str, Any]) -> RunRecord:
        pack, backend, memory = (
            _mapping(reported["pack"]),
            _mapping(reported["backend"]),
            _mapping(reported["memory"]),
        )
        scoring = _mapping(self._json(SCORING))
        inputs = {}
        if "inputs.json" in self._names:
            inputs = {
                entry.get("id"): entry.get("input")
                for entry in map(_mapping, _listed(self._json("inputs.json")))
            }
        examples = [
            {
                "id": str(entry["id"]),
                "input": str(inputs.get(entry["id"], "[not in this bundle]")),
                "expected": entry.get("expected"),
            }
            for entry in map(_mapping, _listed(scoring["examples"]))
        ]
        snapshot = {
            "name": pack["name"],
            "type": pack["type"],
            **{name: scoring[name] for name in ("scorer", "params", "gates")},
            "generation": _mapping(pack["generation"]),
            "prompt": self._text("prompt.md") if "prompt.md" in self._names else "",
            "prompt_path": "prompt.md",
            "examples": examples,
            "provenance": _mapping(pack["provenance"]) or None,
            "files": [],
            "fingerprint": pack["fingerprint"],
        }
        return RunRecord(
            id=str(reported["id"]),
            started_at=str(reported["started_at"]),
            finished_at=_optional(reported.get("finished_at"), str),
            pack_name=str(pack["name"]),
            pack_folder=str(pack["name"]),
            pack_type=str(pack["type"]),
            scorer=str(pack["scorer"]),
            fingerprint=str(pack["fingerprint"]),
            pack_snapshot=snapshot,
            backend=str(backend["name"]),
            backend_version=str(backend["version"]),
            machine=_mapping(reported["machine"]),
            memory_method=_optional(memory.get("method"), str),
            memory_unknown_because=_optional(memory.get("unknown_because"), str),
            settings={"strict": scoring.get("strict") is True},
            status=RunStatus(reported["state"]),
        )

    def _unit(self, run_id: str, reported: Mapping[str, Any], scoring: Scoring) -> UnitRecord:
        generation = None
        if reported.get("generation") is not None:
            generation = self._generation(_mapping(reported["generation"]))
        outcome = None
        if reported.get("cause") is not None:
            outcome = _outcome(reported, generation, scoring)
        return UnitRecord(
            run_id,
            _whole(reported["candidate"]),
            str(reported["example"]),
            _whole(reported["repetition"]),
            UnitStatus(reported["status"]),
            _whole(reported["attempts"]),
            str(reported.get("failure") or ""),
            generation,
            outcome,
            _optional(reported.get("cold"), bool),
            reported.get("retried") is True,
        )

    def _generation(self, reported: Mapping[str, Any]) -> Generation:
        timing = Timing(
            ttft_ms=_number(reported.get("ttft_ms")),
            wall_ms=_number(reported.get("wall_ms")) or 0.0,
            tokens_per_second=_number(reported.get("tokens_per_second")),
            prompt_tokens=_optional(reported.get("prompt_tokens"), int),
            cached_tokens=_optional(reported.get("cached_tokens"), int),
            output_tokens=_optional(reported.get("output_tokens"), int),
            prompt_ms=_number(reported.get("prompt_ms")),
            chunks=_optional(reported.get("chunks"), int) or 0,
            source=str(reported.get("timing_source") or "chunks"),
        )
        return Generation(
            self._text(str(reported["path"])),
            str(reported.get("reasoning") or ""),
            str(reported.get("finish_reason") or ""),
            timing,
            _mapping(reported.get("request_options") or {}),
        )

    def _json(self, name: str) -> Any:
        return json.loads(self._text(name))

    def _text(self, name: str) -> str:
        with self._archive.open(name) as stream:
            content = stream.read(MAX_ENTRY_BYTES + 1)
        if len(content) > MAX_ENTRY_BYTES:
            raise ValueError(f"{name} is too large")
        return content.decode("utf-8", "replace")


def _candidate(run_id: str, reported: Mapping[str, Any]) -> CandidateRecord:
    return CandidateRecord(
        run_id=run_id,
        index=_whole(reported["index"]),
        name=str(reported["name"]),
        digest=_optional(reported.get("digest"), str),
        quantization=_optional(reported.get("quantization"), str),
        parameter_count=_optional(reported.get("parameter_count"), str),
        size_bytes=_optional(reported.get("size_bytes"), int),
        path=None,
        status=CandidateStatus(reported["status"]),
        reason=str(reported.get("reason") or ""),
        verdict=str(reported.get("verdict") or "unknown"),
        predicted_mib=_number(reported.get("predicted_mib")),
        prediction=_mapping(reported.get("prediction") or {}),
        peak_mib=_number(reported.get("peak_mib")),
        memory_method=_optional(reported.get("memory_method"), str),
        load_ms=_number(reported.get("load_ms")),
        engine=_optional(reported.get("engine"), str),
        load_options=_mapping(reported.get("load_options") or {}),
        prefix=_mapping(reported.get("shared_prefix") or {}),
        cold_ttft_ms=tuple(
            number
            for value in _listed(reported.get("measured_cold_ttft_ms") or [])
            if (number := _number(value))
        ),
    )


def _outcome(reported: Mapping[str, Any], generation: Generation | None, scoring: Scoring) -> Outcome:
    split = split_reasoning(generation.text, generation.reasoning, scoring) if generation else None
    return Outcome(
        cause=Cause(reported["cause"]),
        score=_number(reported.get("score")),
        passed=_optional(reported.get("passed"), bool),
        reason=str(reported.get("reason") or ""),
        strict_score=_number(reported.get("strict_score")),
        strict_passed=_optional(reported.get("strict_passed"), bool),
        near_misses=tuple(
            NearMiss(
                str(miss["code"]),
                str(miss["message"]),
                _optional(miss.get("start"), int),
                _optional(miss.get("end"), int),
            )
            for miss in map(_mapping, _listed(reported.get("near_misses") or []))
        ),
        scored_text=split.visible if split else "",
        reasoning=split.reasoning if split else "",
        failed_gate=_optional(reported.get("failed_gate"), str),
        detail=_mapping(reported.get("detail") or {}),
    )


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("a mapping is missing")
    return value


def _listed(value: object) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is missing")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(entry) for entry in value) if isinstance(value, list) else ()


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("a whole number is missing")
    return value


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _optional(value: object, kind: type[T]) -> T | None:
    """The value when it is of this very kind; None for null and for anything else."""
    return value if type(value) is kind else None
