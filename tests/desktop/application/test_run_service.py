"""What the Runs place is given does what the command line does."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.application.run_requests import ExportRequest, ModelSource, RunSelection
from desktop.application.run_service import RunService
from desktop.application.services import Services
from desktop.foundation.cancel import CancelToken
from desktop.foundation.paths import user_paths
from desktop.gui.runs.result.comparison import compare
from desktop.inference.backends.base import Backend, ModelRef
from desktop.reports.rejudged import JudgedToday
from desktop.reports.renderers import standard_renderers
from desktop.reports.verify import verify_bundle
from desktop.runs.events import RunEvent, UnitFinished
from packs.errors import AppError
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import FakeBackend

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> RunService:
    def backend_of(*given: object, **named: object) -> Backend:
        return FakeBackend([desk_model(said={1: "other"})])

    monkeypatch.setattr(Services, "backend", backend_of)
    return RunService(Services(user_paths(), {}), standard_renderers, lambda: NOW)


@pytest.fixture
def selection(tmp_path: Path) -> RunSelection:
    folder = write_desk_pack(tmp_path / "desk")
    return RunSelection(folder, "desk", (ModelRef("fake", "quick"),))


def test_that_a_folder_without_a_pack_is_refused(service: RunService, tmp_path: Path) -> None:
    with pytest.raises(AppError, match="no task pack"):
        service.open_pack(tmp_path)


def test_that_a_faulty_pack_opens_with_its_count_of_problems(
    service: RunService, selection: RunSelection
) -> None:
    assert service.open_pack(selection.folder).errors == 0
    (selection.folder / "prompt.md").unlink()
    assert service.open_pack(selection.folder).errors >= 1


def test_that_a_run_tells_its_events_and_ends_in_a_report(service: RunService, selection: RunSelection) -> None:
    events: list[RunEvent] = []
    assert service.forecast(selection).units == 6
    run_id = service.run(selection, service.new_control(), events.append)
    assert sum(isinstance(event, UnitFinished) for event in events) == 6
    report = service.report(run_id)
    assert report.candidates[0].right == 5
    assert service.example_texts(run_id)["001"] == ("letter 1", "delivery")


def test_that_an_export_without_texts_has_none(
    service: RunService, selection: RunSelection, tmp_path: Path
) -> None:
    report = service.report(service.run(selection, service.new_control(), lambda event: None))
    target = service.export(report, ExportRequest("csv", tmp_path / "out.csv", with_texts=False))
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8-sig"), newline="")))
    assert len(rows) == 6 and {row["input"] for row in rows} == {"[left out]"}
    assert "letter 1" not in target.read_text(encoding="utf-8")


def test_that_a_bundle_without_texts_holds_no_prompt_and_no_input(
    service: RunService, selection: RunSelection
) -> None:
    report = service.report(service.run(selection, service.new_control(), lambda event: None))
    content = service.render(report, ExportRequest("bundle", Path("x.zip"), with_texts=False))
    assert b"inputs.json" not in content


def test_that_notes_pins_and_deleting_reach_the_journal(service: RunService, selection: RunSelection) -> None:
    run_id = service.run(selection, service.new_control(), lambda event: None)
    service.set_note(run_id, "good one")
    service.set_pinned(run_id, True)
    with service.reader() as reader:
        assert [(entry.note, entry.pinned) for entry in reader.runs()] == [("good one", True)]
    service.delete(run_id)
    with service.reader() as reader:
        assert not reader.runs()
    service.restore(run_id)
    with service.reader() as reader:
        assert len(reader.runs()) == 1


def test_that_models_found_are_offered_starter_first(starter_model: Path, selection: RunSelection) -> None:
    models = user_paths().models
    models.mkdir(parents=True)
    (models / starter_model.name).symlink_to(starter_model)
    (models / "broken.gguf").write_bytes(b"no model")
    service: RunService = RunService(Services(user_paths(), {}), standard_renderers, lambda: NOW)
    choices: Sequence[object] = service.choices(service.open_pack(selection.folder))
    assert [getattr(choice, "is_starter", None) for choice in choices] == [True, False]
    assert getattr(choices[1], "why_not", "")


def test_that_answers_asked_for_at_once_reach_the_run_and_are_remembered(
    service: RunService, selection: RunSelection
) -> None:
    selection = replace(selection, source=ModelSource("ollama"), parallel=3)
    run_id = service.run(selection, service.new_control(), lambda event: None)
    with service.reader() as reader:
        record = reader.run(run_id)
    assert record.settings["parallel"] == 3
    assert any("3 answers were asked for at once" in notice for notice in record.notices)
    last = service.last_request(selection.folder)
    assert last is not None and last.parallel == 3


def correct(folder: Path, example: str, old: str, new: str) -> None:
    file = next((folder / "examples").glob(f"*{example}*"))
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")


def test_that_a_corrected_pack_scores_an_old_run_at_once_and_says_what_changed(
    service: RunService, selection: RunSelection
) -> None:
    run_id = service.run(selection, service.new_control(), lambda event: None)
    before = service.report(run_id)
    assert service.judged_today(service.report(run_id).run, "", CancelToken()) == before.run.fingerprint
    correct(selection.folder, "001", '"delivery"', '"other"')
    today = service.judged_today(service.report(run_id).run, "", CancelToken())
    assert isinstance(today, JudgedToday)
    after = today.report
    assert (before.candidates[0].right, after.candidates[0].right) == (5, 6)
    assert (today.changed, len(today.outcomes)) == (1, 6)
    assert "1 answer of 6 has another score or cause" in after.notes[0]
    found = compare(before, after)
    assert [(flip.example, flip.better) for flip in found.flips] == [("001", True)]
    assert ("Expected value of 001", "delivery", "other") in found.changes
    # What is exported says so, and the bundle holds by itself.
    target = selection.folder.parent / "today.zip"
    service.export(after, ExportRequest("bundle", target))
    assert verify_bundle(target).good
    assert "has another score or cause" in service.render(after, ExportRequest("md", target)).decode()
    # The journal is as it was, and the same pack is not judged by twice.
    assert service.report(run_id) == before
    assert (
        service.judged_today(service.report(run_id).run, after.run.fingerprint, CancelToken())
        == after.run.fingerprint
    )


def test_that_an_answer_is_not_judged_by_a_question_it_was_not_given(
    service: RunService, selection: RunSelection
) -> None:
    run_id = service.run(selection, service.new_control(), lambda event: None)
    correct(selection.folder, "001", '"delivery"', '"other"')
    correct(selection.folder, "001", '"input": "', '"input": "Another question. ')
    assert (
        service.judged_today(service.report(run_id).run, "", CancelToken())
        == service.report(run_id).run.fingerprint
    )


def test_that_another_prompt_or_limit_of_today_changes_no_score(
    service: RunService, selection: RunSelection
) -> None:
    run_id = service.run(selection, service.new_control(), lambda event: None)
    prompt = selection.folder / "prompt.md"
    prompt.write_text(f"Think first. {prompt.read_text('utf-8')}", "utf-8")
    assert (
        service.judged_today(service.report(run_id).run, "", CancelToken())
        == service.report(run_id).run.fingerprint
    )


def test_that_a_pack_that_is_gone_judges_nothing_and_a_faulty_one_says_so(
    service: RunService, selection: RunSelection
) -> None:
    run_id = service.run(selection, service.new_control(), lambda event: None)
    (selection.folder / "prompt.md").unlink()
    with pytest.raises(AppError, match="cannot be used yet"):
        service.judged_today(service.report(run_id).run, "", CancelToken())
    (selection.folder / "task.yaml").unlink()
    assert (
        service.judged_today(service.report(run_id).run, "", CancelToken())
        == service.report(run_id).run.fingerprint
    )
