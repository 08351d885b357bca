"""A journal with one run of very many units, whole with answers and figures, filled in a few seconds."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from desktop import __version__
from desktop.reports.data import ReportData
from desktop.reports.loading import report_data
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord, RunStatus, UnitKey
from tests.fakes.run_service import ScriptedRunService

NOW = datetime(2026, 11, 30, 11, 0, tzinfo=UTC)
LABELS = ("billing", "delivery", "returns")


class LargeDesk(ScriptedRunService):
    """Its reports are gathered as the program does it."""

    def report(self, run_id: str) -> ReportData:
        return report_data(self.journal, run_id, NOW)


def add_large_run(journal: Path, run_id: str = "large", *, examples: int = 20_000, models: int = 5) -> str:
    """A finished run of a three-label task; about every third answer is wrong. Returns its id."""
    ids = [f"{number:05}" for number in range(examples)]
    run = RunRecord(
        run_id, "2026-11-30T10:00:00Z", "2026-11-30T10:50:00Z", "letters", "/packs/letters", "classification",
        "exact-label", "ab" * 32,
        {
            "name": "letters", "type": "classification", "scorer": "exact-label", "gates": [],
            "params": {"labels": list(LABELS)}, "prompt": "Which label?\n{{input}}", "provenance": None,
            "generation": {"context": 2048, "max_tokens": 8, "temperature": 0, "seed": 1,
                "runs_per_example": 1},
            "examples": [
                {"id": name, "input": f"Letter {name}: where should it go?", "expected": LABELS[int(name) % 3]}
                for name in ids
            ],
        },
        "embedded", "llama.cpp", {"program": f"Packbench {__version__}"}, "resident memory", None, {},
        status=RunStatus.FINISHED,
    )  # fmt: skip
    candidates = [
        CandidateRecord(
            run_id, index, f"model-{index}", None, "Q4_1", "1B", 10**9 * (index + 1), None,
            CandidateStatus.COMPLETED, "", "fits", 1200.0, {}, 1000.0 + 500 * index, "resident memory", 900.0,
            "llama.cpp",
        )
        for index in range(models)
    ]  # fmt: skip
    keys = [(place, UnitKey(model, name, 1)) for model in range(models) for place, name in enumerate(ids)]
    with JournalWriter(journal) as writer:
        writer.connection.execute("PRAGMA synchronous = OFF")
        writer.add_run(run, candidates, keys, examples=examples, repetitions=1)
        _answer_all(writer, run_id)
        for index in range(models):
            writer.update_candidate(
                run_id, index, status=CandidateStatus.COMPLETED, peak_mib=1000.0 + 500 * index, load_ms=900.0
            )
    return run_id


def _answer_all(writer: JournalWriter, run_id: str) -> None:
    """Straight into the tables: a hundred thousand single transactions would take half a minute."""
    db = writer.connection
    options = writer.options_id(db, json.dumps({"seed": 1, "temperature": 0}))
    (number,) = db.execute("SELECT number FROM runs WHERE id = ?", (run_id,)).fetchone()
    units = db.execute("SELECT id, candidate, position FROM units WHERE run = ?", (number,)).fetchall()
    answers, judgements, figures = [], [], []
    for unit, candidate, position in units:
        right = (position * 7 + candidate) % 3 > 0
        label = LABELS[(position + (0 if right else 1)) % 3]
        reason = "The label is the expected one." if right else f"'{label}' is not the expected label."
        answers.append((unit, label, "", options, 80.0, 3, "engine"))
        judgements.append((unit, reason, "", "[]", None, "", json.dumps({"resolved": label})))
        figures.append(
            ("correct" if right else "wrong", right, right, 120.0 + position % 50, 400.0 + position % 90, unit)
        )
    db.execute("BEGIN")
    db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", answers)
    db.executemany("INSERT INTO judgements VALUES (?, ?, ?, ?, ?, ?, ?)", judgements)
    db.executemany(
        "UPDATE units SET status = 'completed', cause = ?, score = ?, passed = ?, strict_score = score,"
        " strict_passed = passed, finish_reason = 'stop', ttft_ms = ?, wall_ms = ?, tokens_per_second = 30.0,"
        " prompt_tokens = 40, cached_tokens = 0, output_tokens = 3, cold = 1, attempts = 1,"
        " finished_at = '2026-11-30T10:30:00Z' WHERE id = ?",
        figures,
    )
    db.execute("COMMIT")
