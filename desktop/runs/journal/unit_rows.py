"""How the columns of a unit become records: the statements that read them stand beside the code that does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from desktop.inference.backends.base import Generation, JsonValue, Timing
from desktop.runs.journal.storable import from_json_object
from desktop.runs.records import StoredAnswer, UnitKey, UnitRecord, UnitRow, UnitStatus
from packs.task.outcome import Cause, NearMiss, Outcome

UNITS_SQL = """
SELECT id, candidate, position, example, repetition, status, cause, score, passed, strict_score, strict_passed,
  failed_gate, near_misses, finish_reason, ttft_ms, wall_ms, tokens_per_second, prompt_tokens, cached_tokens,
  output_tokens, cold, retried
FROM units
"""

_DETAIL = """
SELECT u.status, u.cause, u.score, u.passed, u.strict_score, u.strict_passed, u.finish_reason, u.ttft_ms,
  u.wall_ms, u.tokens_per_second, u.prompt_tokens, u.cached_tokens, u.output_tokens, u.cold, u.attempts,
  u.retried, a.text, a.reasoning, a.prompt_ms, a.chunks, a.timing_source, o.content,
  j.reason, j.failure, j.near_misses, j.scored_text, j.reasoning, u.failed_gate, j.detail, u.finished_at,
  u.id, u.candidate, u.example, u.repetition
FROM units u LEFT JOIN answers a ON a.unit = u.id LEFT JOIN request_options o ON o.id = a.options
  LEFT JOIN judgements j ON j.unit = u.id
"""
DETAIL_SQL = f"{_DETAIL} WHERE u.run = ? AND u.candidate = ? AND u.example = ? AND u.repetition = ?"
WHOLE_SQL = f"{_DETAIL} WHERE u.id > ? AND u.id <= ? AND +u.run = ? ORDER BY u.id LIMIT ?"
"""All units of a run, whole; the id and the key stand behind the columns of one."""

ANSWERS_SQL = """
SELECT u.id, u.candidate, u.example, u.repetition, a.text, a.reasoning, u.finish_reason, u.prompt_tokens,
  u.output_tokens, u.cause, u.score, u.passed
FROM units u JOIN answers a ON a.unit = u.id
WHERE u.id > ? AND u.id <= ? AND +u.run = ? AND u.status = 'completed' ORDER BY u.id LIMIT ?
"""

_STATUSES = {status.value: status for status in UnitStatus}
_CAUSES: dict[str | None, Cause | None] = {None: None, **{cause.value: cause for cause in Cause}}
_FLAGS: dict[int | None, bool | None] = {None: None, 0: False, 1: True}


@lru_cache(maxsize=64)
def _options(content: str | None) -> Mapping[str, JsonValue]:
    """Most units of a run were asked for with the same options. Not to be changed by who gets them."""
    return from_json_object(content)


def unit_row(row: Sequence[Any]) -> UnitRow:
    """One row of UNITS_SQL. Positional throughout: this runs a hundred thousand times."""
    return UnitRow(
        row[1],
        row[2],
        row[3],
        row[4],
        _STATUSES[row[5]],
        _CAUSES[row[6]],
        row[7],
        _FLAGS[row[8]],
        row[9],
        _FLAGS[row[10]],
        row[11],
        tuple(row[12].split(",")) if row[12] else (),
        row[13],
        row[14],
        row[15],
        row[16],
        row[17],
        row[18],
        row[19],
        _FLAGS[row[20]],
        bool(row[21]),
    )


def unit_record(run_id: str, key: UnitKey, row: Sequence[Any]) -> UnitRecord:
    """The row of DETAIL_SQL."""
    generation: Generation | None = None
    if row[16] is not None:
        generation = Generation(
            text=row[16],
            reasoning=row[17],
            finish_reason=row[6] or "",
            timing=Timing(
                ttft_ms=row[7],
                wall_ms=row[8] or 0.0,
                tokens_per_second=row[9],
                prompt_tokens=row[10],
                cached_tokens=row[11],
                output_tokens=row[12],
                prompt_ms=row[18],
                chunks=row[19],
                source=row[20],
            ),
            request_options=_options(row[21]),
        )
    outcome: Outcome | None = None
    cause = _CAUSES[row[1]]
    if cause is not None and row[22] is not None:
        scored = row[25] if row[25] is not None else (row[16] or "")
        outcome = Outcome(
            cause=cause,
            score=row[2],
            passed=_FLAGS[row[3]],
            reason=row[22],
            strict_score=row[4],
            strict_passed=_FLAGS[row[5]],
            near_misses=tuple(NearMiss(*miss) for miss in json.loads(row[24])) if row[24] != "[]" else (),
            scored_text=scored,
            reasoning=row[26],
            failed_gate=row[27],
            detail=from_json_object(row[28]),
        )
    return UnitRecord(
        run_id,
        key.candidate,
        key.example,
        key.repetition,
        _STATUSES[row[0]],
        row[14],
        row[23] or "",
        generation,
        outcome,
        _FLAGS[row[13]],
        bool(row[15]),
        row[29],
    )


def stored_answer(row: Sequence[Any]) -> StoredAnswer:
    """One row of ANSWERS_SQL."""
    return StoredAnswer(
        UnitKey(row[1], row[2], row[3]),
        row[4],
        row[5],
        row[6] or "",
        row[7],
        row[8],
        Cause(row[9]),
        row[10],
        _FLAGS[row[11]],
    )
