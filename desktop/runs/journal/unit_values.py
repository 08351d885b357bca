"""How records become columns of the journal: the statements that write them, and their values in order."""

from __future__ import annotations

from desktop.inference.backends.base import Generation
from desktop.runs.journal.storable import finite, storable_text, to_json
from desktop.runs.records import CandidateRecord, RunRecord
from packs.task.outcome import Outcome


def run_values(run: RunRecord, examples: int, repetitions: int) -> tuple[object, ...]:
    return (
        run.id,
        run.started_at,
        run.finished_at,
        run.status.value,
        run.message,
        storable_text(run.pack_name),
        storable_text(run.pack_folder),
        storable_text(run.pack_type),
        run.scorer,
        run.fingerprint,
        to_json(run.pack_snapshot),
        run.backend,
        run.backend_version,
        to_json(run.machine),
        run.memory_method,
        run.memory_unknown_because,
        to_json(run.settings),
        examples,
        repetitions,
        to_json(list(run.notices)),
        run.note,
        int(run.pinned),
    )


def candidate_values(number: int, entry: CandidateRecord) -> tuple[object, ...]:
    return (
        number,
        entry.index,
        storable_text(entry.name),
        entry.digest,
        entry.quantization,
        entry.parameter_count,
        entry.size_bytes,
        None if entry.path is None else storable_text(entry.path),
        entry.status.value,
        entry.reason,
        entry.verdict,
        finite(entry.predicted_mib),
        to_json(entry.prediction),
        to_json(list(entry.notes)),
    )


def score_values(outcome: Outcome) -> tuple[object, ...]:
    """The judgement's columns of `units`, in the order of the statements below."""
    return (
        outcome.cause.value,
        finite(outcome.score),
        outcome.passed,
        finite(outcome.strict_score),
        outcome.strict_passed,
        outcome.failed_gate,
        ",".join(miss.code for miss in outcome.near_misses) or None,
    )


def judgement_values(
    unit: int, outcome: Outcome, failure: str, generation: Generation | None
) -> tuple[object, ...]:
    scored = storable_text(outcome.scored_text)
    same = generation is not None and scored == storable_text(generation.text)
    misses = [[miss.code, miss.message, miss.start, miss.end] for miss in outcome.near_misses]
    return (
        unit,
        storable_text(outcome.reason),
        storable_text(failure),
        to_json(misses),
        None if same else scored,
        storable_text(outcome.reasoning),
        to_json(outcome.detail),
    )


INSERT_RUN = f"""
INSERT INTO runs (id, started_at, finished_at, status, message, pack_name, pack_folder, pack_type, scorer,
  fingerprint, pack_snapshot, backend, backend_version, machine, memory_method, memory_unknown_because,
  settings, examples, repetitions, notices, note, pinned)
VALUES ({", ".join("?" * 22)})
"""

INSERT_CANDIDATE = f"""
INSERT INTO candidates (run, position, name, digest, quantization, parameter_count, size_bytes, path, status,
  reason, verdict, predicted_mib, prediction, notes)
VALUES ({", ".join("?" * 14)})
"""

FINISH_UNIT = """
UPDATE units SET status = ?, cause = ?, score = ?, passed = ?, strict_score = ?, strict_passed = ?,
  failed_gate = ?, near_misses = ?, finish_reason = ?, ttft_ms = ?, wall_ms = ?, tokens_per_second = ?,
  prompt_tokens = ?, cached_tokens = ?, output_tokens = ?, cold = ?, retried = ?, attempts = attempts + ?,
  finished_at = ?
WHERE run = ? AND candidate = ? AND example = ? AND repetition = ? RETURNING id
"""

JUDGE_AGAIN = """
UPDATE units SET cause = ?, score = ?, passed = ?, strict_score = ?, strict_passed = ?, failed_gate = ?,
  near_misses = ?
WHERE run = ? AND candidate = ? AND example = ? AND repetition = ? AND status = 'completed' RETURNING id
"""

STORE_ANSWER = """
INSERT OR REPLACE INTO answers (unit, text, reasoning, options, prompt_ms, chunks, timing_source)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""

STORE_JUDGEMENT = """
INSERT OR REPLACE INTO judgements (unit, reason, failure, near_misses, scored_text, reasoning, detail)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
