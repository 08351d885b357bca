"""What finished runs measured becomes part of the next prediction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.application.calibrate_fit import learn_from_runs
from desktop.inference.memory_fit.estimator import Estimator, card_key, settings_as_measured
from desktop.inference.memory_fit.fit import FitModel, predict
from desktop.inference.memory_fit.history import History
from desktop.inference.model_files.file_card import read_card
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord
from tests.fakes.gguf_writer import small_llama, small_tensors, write_gguf
from tests.fakes.model_service import MACHINE


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "m-Q4_0.gguf", small_llama(), small_tensors())


def _run(run_id: str) -> RunRecord:
    return RunRecord(
        id=run_id,
        started_at="2026-11-30T10:15:00Z",
        finished_at=None,
        pack_name="p",
        pack_folder="/p",
        pack_type="classification",
        scorer="exact-label",
        fingerprint="f",
        pack_snapshot={"examples": []},
        backend="embedded",
        backend_version="1",
        machine={},
        memory_method=None,
        memory_unknown_because=None,
        settings={},
    )


def _candidate(run_id: str, file: Path, **changes: object) -> CandidateRecord:
    record = CandidateRecord(
        run_id=run_id,
        index=0,
        name=file.stem,
        digest=None,
        quantization="Q4_0",
        parameter_count=None,
        size_bytes=file.stat().st_size,
        path=str(file),
        status=CandidateStatus.COMPLETED,
        reason="",
        verdict="fits",
        predicted_mib=None,
        prediction={},
        peak_mib=60.0,
        memory_method="m",
        load_ms=10.0,
        engine="llama.cpp b1",
        load_options={"context_tokens": 2048, "threads": 7, "slots": 1, "kv_cache_type": "f16"},
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def _journal(folder: Path, *candidates: CandidateRecord) -> Path:
    path = folder / "runs.db"
    with JournalWriter(path) as writer:
        for candidate in candidates:
            run_id = candidate.run_id
            writer.add_run(_run(run_id), [candidate], [], examples=0, repetitions=1)
            writer.update_candidate(
                run_id,
                0,
                status=candidate.status,
                peak_mib=candidate.peak_mib,
                engine=candidate.engine,
                load_options=candidate.load_options,
            )
    return path


def test_that_a_finished_load_is_learned_once(tmp_path: Path, model_file: Path) -> None:
    journal = _journal(tmp_path, _candidate("a" * 26, model_file))
    history = History(tmp_path / "data")
    assert learn_from_runs(journal, history, MACHINE) == 1
    assert learn_from_runs(journal, history, MACHINE) == 0
    (learned,) = history.latest()[card_key(read_card(model_file))]
    assert (learned.peak_mib, learned.context_tokens, learned.threads) == (60.0, 2048, 7)
    assert learned.engine == "llama.cpp b1"
    assert learned.tokens_per_second is None


def test_that_loads_without_a_figure_or_a_file_teach_nothing(tmp_path: Path, model_file: Path) -> None:
    journal = _journal(
        tmp_path,
        _candidate("a" * 26, model_file, peak_mib=None),
        _candidate("b" * 26, model_file, path=None),
        _candidate("c" * 26, model_file, path=str(tmp_path / "gone.gguf")),
        _candidate("d" * 26, model_file, size_bytes=17),
        _candidate("e" * 26, model_file, load_options={}),
        _candidate("f" * 26, model_file, status=CandidateStatus.OOM),
    )
    assert learn_from_runs(journal, History(tmp_path / "data"), MACHINE) == 0


def test_that_a_missing_or_damaged_journal_is_no_fault(tmp_path: Path) -> None:
    history = History(tmp_path / "data")
    assert learn_from_runs(tmp_path / "none.db", history, MACHINE) == 0
    (tmp_path / "bad.db").write_bytes(b"nothing like a journal" * 100)
    assert learn_from_runs(tmp_path / "bad.db", history, MACHINE) == 0


def test_that_the_measured_peak_replaces_the_predicted_one(tmp_path: Path, model_file: Path) -> None:
    card = read_card(model_file)
    assert card.facts is not None
    model = FitModel.of(card.facts)
    plain = Estimator(MACHINE)
    settings = plain.settings(model, 2048)
    peak = predict(model, settings).peak + 3.0
    history = History(tmp_path / "data")
    learn_from_runs(_journal(tmp_path, _candidate("a" * 26, model_file, peak_mib=peak)), history, MACHINE)
    estimator = Estimator(MACHINE, history)
    # The engine's process is known better, for every model …
    assert estimator.base_mib == pytest.approx(plain.base_mib + 3.0)
    # … and this one at these settings exactly.
    measurements = estimator.measured(card_key(card))
    shifted, measured = settings_as_measured(model, estimator.settings(model, 2048), measurements)
    assert measured is not None
    assert predict(model, shifted).peak == pytest.approx(peak)
    other, none = settings_as_measured(model, estimator.settings(model, 4096), measurements)
    assert none is None
    assert other == estimator.settings(model, 4096)


def test_that_a_peak_from_other_conditions_is_only_shown(tmp_path: Path, model_file: Path) -> None:
    card = read_card(model_file)
    assert card.facts is not None
    model = FitModel.of(card.facts)
    history = History(tmp_path / "data")
    learn_from_runs(_journal(tmp_path, _candidate("a" * 26, model_file, peak_mib=900.0)), history, MACHINE)
    estimator = Estimator(MACHINE, history)
    settings = estimator.settings(model, 2048)
    kept, measured = settings_as_measured(model, settings, estimator.measured(card_key(card)))
    assert kept == settings
    assert measured is not None
    assert measured.peak_mib == 900.0
