"""Takes over from finished runs what they measured, so that the next prediction is better.

The journal stays the source: whatever it holds and the history lacks is added, whenever models are looked at.
"""

from __future__ import annotations

import logging
import sqlite3
import statistics
from collections.abc import Mapping
from pathlib import Path

from desktop.inference.backends.base import JsonValue
from desktop.inference.machine.machine import Machine
from desktop.inference.memory_fit.estimator import Estimator, card_key
from desktop.inference.memory_fit.fit import FitModel
from desktop.inference.memory_fit.history import History, Measurement
from desktop.inference.memory_fit.speed import token_cost
from desktop.inference.model_files.file_card import read_card
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import CandidateRecord, CandidateStatus, RunSummary
from packs.errors import AppError

log = logging.getLogger(__name__)

_NEWEST_RUNS = 50


def learn_from_runs(journal: Path, history: History, machine: Machine) -> int:
    """How many loads were new. Reads headers of models that are still there. Never raises."""
    try:
        return _learn(journal, history, machine)
    except (AppError, OSError, sqlite3.Error) as error:
        log.warning("nothing was learned from the runs: %s", error)
        return 0


def _learn(journal: Path, history: History, machine: Machine) -> int:
    if not journal.is_file():
        return 0
    known = history.origins()
    # The plain prediction, so that a correction is not learned on top of itself.
    plain = Estimator(machine)
    added = 0
    with JournalReader(journal) as reader:
        for run in reader.runs(limit=_NEWEST_RUNS):
            try:
                candidates = reader.candidates(run.id)
            except AppError as error:
                log.warning("nothing was learned from a run: %s", error)
                continue
            for candidate in candidates:
                origin = f"{run.id}:{candidate.index}"
                if origin in known or candidate.status is not CandidateStatus.COMPLETED:
                    continue
                try:
                    measurement = _measurement(run, candidate, reader, plain, origin)
                except AppError as error:
                    log.warning("nothing was learned from a load: %s", error)
                    continue
                if measurement is not None:
                    history.add(measurement)
                    added += 1
    return added


def _measurement(
    run: RunSummary, candidate: CandidateRecord, reader: JournalReader, plain: Estimator, origin: str
) -> Measurement | None:
    """None for models without a file here, or without a figure worth keeping."""
    options = candidate.load_options
    context, threads = _whole(options, "context_tokens"), _whole(options, "threads")
    if candidate.path is None or candidate.peak_mib is None or context is None or threads is None:
        return None
    card = read_card(Path(candidate.path))
    if card.facts is None or card.size_bytes != candidate.size_bytes:
        return None
    model = FitModel.of(card.facts)
    cache_type = str(options.get("kv_cache_type", "f16"))
    slots = _whole(options, "slots") or 1
    settings = plain.settings(model, context, slots=slots, cache_type=cache_type)
    cost = token_cost(model, cache_type=cache_type)
    speeds = [
        row.tokens_per_second
        for row in reader.units(run.id, candidate.index)
        if row.tokens_per_second and not row.retried
    ]
    return Measurement(
        model=card_key(card),
        name=candidate.name,
        engine=candidate.engine or "unknown",
        context_tokens=context,
        slots=slots,
        cache_type=cache_type,
        threads=threads,
        predicted_mib=plain.estimate(model, settings).prediction.peak,
        base_mib=plain.base_mib,
        peak_mib=candidate.peak_mib,
        tokens_per_second=statistics.median(speeds) if speeds else None,
        layers=cost.layers,
        fast_bytes=cost.fast_bytes,
        slow_bytes=cost.slow_bytes,
        at=run.started_at,
        origin=origin,
    )


def _whole(options: Mapping[str, JsonValue], key: str) -> int | None:
    value = options.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
