"""The Models place's services, with the real engine where a model is tried."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.application.model_service import ModelService
from desktop.application.services import Services
from desktop.foundation.cancel import Cancelled, CancelToken
from desktop.foundation.paths import user_paths
from desktop.inference.machine.corrections import Corrections
from desktop.inference.memory_fit.estimator import card_key
from desktop.inference.memory_fit.fit import FitModel, FitSettings
from desktop.inference.memory_fit.history import FILE_NAME
from desktop.inference.model_files.file_card import read_card
from packs.errors import AppError
from tests.fakes.gguf_writer import small_llama, small_tensors, write_gguf


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelService:
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "person")
    services = Services(user_paths(), os.environ)
    return ModelService(services, lambda: datetime(2026, 11, 30, 10, 0, tzinfo=UTC))


def test_that_the_models_folder_is_scanned_and_copies_are_put_together(service: ModelService) -> None:
    folder = user_paths().models
    first = write_gguf(folder / "a.gguf", small_llama(), small_tensors())
    (folder / "b.gguf").write_bytes(first.read_bytes())
    seen: list[str] = []
    found = service.scan(lambda model: seen.append(model.name), CancelToken())
    assert seen == ["a", "b"]
    (one,) = service.merge(found, CancelToken())
    assert [place.path.name for place in one.places] == ["a.gguf", "b.gguf"]


def test_that_a_stopped_scan_ends(service: ModelService) -> None:
    write_gguf(user_paths().models / "a.gguf", small_llama(), small_tensors())
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        service.scan(lambda model: None, cancel)


def test_that_added_files_are_found_where_they_lie(service: ModelService, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "elsewhere" / "m.gguf", small_llama(), small_tensors())
    service.add_files([file])
    service.add_files([file])
    (found,) = service.scan(lambda model: None, CancelToken())
    assert found.places[0].path == file
    assert file.is_file()


def test_that_an_added_folder_is_looked_into_until_it_is_taken_off_the_list(
    service: ModelService, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    file = write_gguf(folder / "below" / "m.gguf", small_llama(), small_tensors())
    service.add_folder(folder)
    service.add_folder(folder)
    (found,) = service.scan(lambda model: None, CancelToken())
    assert found.places[0].path == file and found.places[0].owner == "added by you"
    (source,) = [source for source in service.sources() if source.by_user]
    assert source.path == folder and source.is_there
    assert any(not source.is_there for source in service.sources())
    service.forget(folder)
    assert not service.scan(lambda model: None, CancelToken())
    assert file.is_file() and not any(source.by_user for source in service.sources())


def test_that_corrections_hold_for_estimates_and_the_live_memory(service: ModelService) -> None:
    service.correct(Corrections(memory_mib=300))
    assert service.corrections().memory_mib == 300
    assert (service.memory().available_mib or 0) <= 300
    assert service.estimator().machine.corrected


def test_that_the_memorys_speed_is_measured_once(
    service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from desktop.inference.machine import bandwidth

    monkeypatch.setattr(bandwidth, "_BLOCK", 1 << 20)
    service.measure_memory_speed(CancelToken())
    assert service.estimator().machine.bandwidth is not None


def test_that_a_file_that_answers_no_prompt_is_not_tried(service: ModelService, tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "mmproj.gguf", {"general.architecture": "clip"}, small_tensors())
    with pytest.raises(AppError, match="cannot run alone"):
        service.try_out(path, FitSettings(512), "x", lambda state, piece: None, CancelToken())


@pytest.mark.engine
def test_that_a_trial_answers_measures_and_is_learned(service: ModelService, starter_model: Path) -> None:
    card = read_card(starter_model)
    assert card.facts is not None
    model = FitModel.of(card.facts)
    settings = service.estimator().settings(model, 1024)
    pieces: list[str] = []
    trial = service.try_out(
        starter_model, settings, "Say hello.", lambda state, piece: pieces.append(piece), CancelToken()
    )
    assert trial.text.strip()
    assert "".join(pieces) == trial.text
    assert trial.peak_mib == pytest.approx(trial.predicted_mib, rel=0.05)
    assert trial.tokens_per_second
    (learned,) = service.estimator().measured(card_key(card))
    assert learned.peak_mib == trial.peak_mib


@pytest.mark.engine
def test_that_a_trial_whose_figures_cannot_be_kept_still_answers(
    service: ModelService, starter_model: Path
) -> None:
    (user_paths().data / FILE_NAME).mkdir(parents=True)
    trial = service.try_out(starter_model, FitSettings(512), "Hello", lambda state, piece: None, CancelToken())
    assert trial.peak_mib
    assert trial.predicted_mib > 0


@pytest.mark.engine
def test_that_a_trial_can_be_stopped_while_it_loads(service: ModelService, starter_model: Path) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        service.try_out(starter_model, FitSettings(1024), "x", lambda state, piece: None, cancel)
