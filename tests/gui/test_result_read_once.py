"""A result is taken out of the journal once, however much of it the window shows."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.application.run_requests import RunSelection
from desktop.application.run_service import RunService
from desktop.application.services import Services
from desktop.foundation.cancel import CancelToken
from desktop.foundation.paths import user_paths
from desktop.gui.runs.result.result_data import load_result
from desktop.reports.renderers import standard_renderers
from desktop.runs.journal.reader import JournalReader
from packs.task.outcome import Cause
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import FakeBackend

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
OF_UNITS = ("whole_units", "unit_batches", "answers")


def test_that_the_units_of_a_result_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = [desk_model("quick", {1: "other"}), desk_model("slow")]
    monkeypatch.setattr(Services, "backend", lambda *_given, **_named: FakeBackend(models))
    service = RunService(Services(user_paths(), {}), standard_renderers, lambda: NOW)
    request = RunSelection(write_desk_pack(tmp_path / "desk"), "desk", tuple(model.ref() for model in models))
    run_id = service.run(request, service.new_control(), lambda event: None)
    with service.reader() as reader:
        first = [row for row in next(reader.unit_batches(run_id)) if row.candidate == 0]
    recorded = [(row.position, row.example, row.cause) for row in first]
    read: Counter[str] = Counter()
    for name in OF_UNITS:
        original = getattr(JournalReader, name)

        def counted(reader: JournalReader, run: str, name: str = name, original: object = original) -> object:
            read[name] += 1
            return original(reader, run)  # type: ignore[operator]

        monkeypatch.setattr(JournalReader, name, counted)
    result = load_result(service, run_id, CancelToken())
    assert read == {"whole_units": 1}
    assert [(row.position, row.example, row.cells[0] and row.cells[0].cause) for row in result.rows] == recorded
    assert recorded[0][2] is not Cause.CORRECT
