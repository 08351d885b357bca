"""The whole run as one JSON document, for scripts. Nothing is rounded; unknown is null."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from desktop.reports.data import CandidateView, ReportData, Spread
from desktop.reports.text import utf8_safe
from desktop.runs.records import UnitRecord

FORMAT = "packbench-report/1"
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def render_json(data: ReportData) -> bytes:
    """UTF-8; see `json_bytes`."""
    return json_bytes(document(data))


def json_bytes(content: Mapping[str, Any] | Sequence[Any]) -> bytes:
    """One line an entry, lists below the top one line an item: made to be compared, and fast to write."""
    if isinstance(content, Mapping):
        shown = "{\n" + ",\n".join(f"{_line(key)}: {_listed(value)}" for key, value in content.items()) + "\n}"
    else:
        shown = _listed(content)
    return utf8_safe(shown + "\n")


def _listed(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _line(value)
    return "[\n" + ",\n".join(map(_line, value)) + "\n]"


def _line(value: object) -> str:
    return _ENCODER.encode(value)


def document(data: ReportData) -> dict[str, Any]:
    """Plain JSON values; also what `show --json` prints."""
    answer = data.answer
    return {
        "format": FORMAT,
        "program": data.program,
        "created_at": data.created_at,
        "answer": {
            "headline": answer.headline,
            "reason": answer.reason,
            "limits": list(answer.limits),
            "recommended": next((view.name for view in data.candidates if view.recommended), None),
            "runners_up": [{"model": entry.name, "why": entry.sentence} for entry in answer.runners_up],
            "arithmetic": list(answer.arithmetic),
        },
        "run": run_document(data),
        "candidates": [candidate_document(view) for view in data.candidates],
        "examples": [
            {"id": entry.id, "input": entry.input, "expected": entry.expected} for entry in data.examples
        ],
        "units": [unit_document(unit, with_text=True) for unit in data.units],
    }


def run_document(data: ReportData) -> dict[str, Any]:
    """The run without its candidates and units. No folder of this machine: reports are made to be handed on."""
    run, pack = data.run, data.pack
    return {
        "id": run.id,
        "state": data.state,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "elapsed_s": data.elapsed_s,
        "pack": {
            "name": pack.name,
            "type": pack.type,
            "scorer": pack.scorer,
            "gates": list(pack.gates),
            "generation": dict(pack.generation),
            "provenance": dict(pack.provenance),
            "fingerprint": pack.fingerprint,
        },
        "label": data.label or None,
        "repetitions": data.repetitions,
        "backend": {"name": run.backend, "version": run.backend_version},
        "machine": dict(run.machine),
        "memory": {"method": run.memory_method, "unknown_because": run.memory_unknown_because},
        "local": data.local,
        "notes": list(data.notes),
        "environment": dict(data.environment),
        "methodology": list(data.methodology),
        "repeat": list(data.repeat),
    }


def candidate_document(view: CandidateView) -> dict[str, Any]:
    record = view.record
    return {
        "index": record.index,
        "name": record.name,
        "digest": record.digest,
        "quantization": record.quantization,
        "parameter_count": record.parameter_count,
        "size_bytes": record.size_bytes,
        "status": record.status.value,
        "reason": record.reason or None,
        "recommended": view.recommended,
        "on_frontier": view.on_frontier,
        "why_not": view.why_not or None,
        "right": view.right,
        "judged": view.judged,
        "interval_95": [view.interval.lower, view.interval.upper] if view.interval else None,
        "quality": view.quality,
        "quality_spread": list(view.quality_spread) if view.quality_spread else None,
        "pass_rate": view.pass_rate,
        "causes": {cause.value: count for cause, count in view.causes.items()},
        "near_misses": [
            {"code": miss.code, "message": miss.message, "count": miss.count} for miss in view.near_misses
        ],
        "gates_failed": dict(view.gates_failed),
        "same_text": view.same_text,
        "cut_without_text": view.cut_without_text,
        "load_ms": record.load_ms,
        "shared_prefix": dict(record.prefix) or None,
        "measured_cold_ttft_ms": list(record.cold_ttft_ms),
        "ttft_cold_ms": _spread(view.ttft_cold),
        "ttft_warm_ms": _spread(view.ttft_warm),
        "tokens_per_second": _spread(view.tokens_per_second),
        "speed_source": view.speed_source or None,
        "wall_total_ms": view.wall_total_ms,
        "prompt_tokens": view.prompt_tokens,
        "output_tokens": view.output_tokens,
        "verdict": record.verdict,
        "predicted_mib": record.predicted_mib,
        "prediction": dict(record.prediction),
        "peak_mib": record.peak_mib,
        "memory_delta_percent": view.memory_delta_percent,
        "memory_method": record.memory_method,
        "engine": record.engine,
        "load_options": without_paths(record.load_options),
        "notes": list(view.notes),
    }


def unit_document(unit: UnitRecord, *, with_text: bool) -> dict[str, Any]:
    generation = unit.generation
    return {
        "candidate": unit.candidate,
        "example": unit.example,
        "repetition": unit.repetition,
        "status": unit.status.value,
        "attempts": unit.attempts,
        "failure": unit.failure or None,
        "cold": unit.cold,
        "retried": unit.retried,
        **(outcome_document(unit) if unit.outcome else {"cause": None, "score": None, "passed": None}),
        "generation": None
        if generation is None
        else {
            **({"text": generation.text, "reasoning": generation.reasoning} if with_text else {}),
            "finish_reason": generation.finish_reason,
            "ttft_ms": generation.timing.ttft_ms,
            "tokens_per_second": generation.timing.tokens_per_second,
            "timing_source": generation.timing.source,
            "wall_ms": generation.timing.wall_ms,
            "chunks": generation.timing.chunks,
            "prompt_ms": generation.timing.prompt_ms,
            "prompt_tokens": generation.timing.prompt_tokens,
            "cached_tokens": generation.timing.cached_tokens,
            "output_tokens": generation.timing.output_tokens,
            "request_options": without_paths(generation.request_options),
        },
    }


def outcome_document(unit: UnitRecord) -> dict[str, Any]:
    outcome = unit.outcome
    assert outcome is not None
    return {
        "cause": outcome.cause.value,
        "score": outcome.score,
        "passed": outcome.passed,
        "reason": outcome.reason,
        "strict_score": outcome.strict_score,
        "strict_passed": outcome.strict_passed,
        "failed_gate": outcome.failed_gate,
        "near_misses": [asdict(miss) for miss in outcome.near_misses],
        "detail": dict(outcome.detail),
    }


def without_paths(options: Any) -> dict[str, Any]:
    """Options as sent, with file names instead of the folders of this machine."""
    return {
        key: value.replace("\\", "/").rpartition("/")[2]
        if isinstance(value, str)
        and ("/" in value or "\\" in value)
        and key.endswith(("path", "model", "file"))
        else value
        for key, value in dict(options).items()
    }


def _spread(spread: Spread | None) -> dict[str, Any] | None:
    if spread is None:
        return None
    return {"median": spread.median, "low": spread.low, "high": spread.high, "count": spread.count}
