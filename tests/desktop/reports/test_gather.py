"""From a run in the journal to what the reports say."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.application.run_tasks import load_work
from desktop.inference.backends.base import FaultKind
from desktop.inference.machine.corrections import Corrections, apply_corrections
from desktop.inference.machine.machine import MemoryReading
from desktop.inference.machine.machine_report import machine_json
from desktop.inference.machine.probe import read_machine
from desktop.reports.circumstances import environment_of, local_text
from desktop.reports.data import AnswerTone, ReportData
from desktop.reports.gather import compose, gather
from desktop.reports.renderers import standard_renderers
from desktop.reports.verify import verify_bundle
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import CandidateStatus, RunStatus, UnitKey
from desktop.runs.settings import RunSettings
from packs.task.outcome import Cause, Outcome
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel, fault
from tests.fakes.runs import Told, started

NOW = "2026-11-30T12:00:00Z"


def run_and_gather(
    folder: Path,
    models: Sequence[FakeModel],
    settings: RunSettings | None = None,
    **pack: object,
) -> ReportData:
    work, _ = load_work(write_desk_pack(folder / "desk", **pack))  # type: ignore[arg-type]
    journal = folder / "runs.db"
    end = asyncio.run(started(work, FakeBackend(models), journal, Told(), settings))
    with JournalReader(journal) as reader:
        return gather(reader, end.run_id, created_at=NOW)


def test_that_right_answers_causes_and_intervals_come_from_the_journal(tmp_path: Path) -> None:
    data = run_and_gather(tmp_path, [desk_model(said={1: "other", 2: "**other**", 3: "**billing**"})])
    (view,) = data.candidates
    assert (view.right, view.judged, view.quality) == (3, 6, pytest.approx(1 / 2))
    assert view.causes == {Cause.CORRECT: 3, Cause.WRONG: 1, Cause.UNREADABLE: 2}
    assert view.interval is not None and view.interval.lower < 1 / 2 < view.interval.upper
    assert [miss.count for miss in view.near_misses] == [2] and data.elapsed_s == 0.0


def test_that_near_misses_are_counted_over_all_examples(tmp_path: Path) -> None:
    data = run_and_gather(tmp_path, [desk_model(said={1: "**billing**", 2: "**billing**", 3: "**other**"})])
    (miss,) = data.candidates[0].near_misses
    assert miss.count == 3


def test_that_the_smaller_of_two_equal_models_is_recommended(tmp_path: Path) -> None:
    large, small = (
        desk_model("large", size_bytes=900 << 20, peak_mib=1900.0),
        desk_model("small", peak_mib=400.0),
    )
    data = run_and_gather(tmp_path, [small, large], size=40)
    assert [view.name for view in data.candidates if view.recommended] == ["small"]
    assert data.answer.headline.startswith("Use small")
    assert data.answer.tone is AnswerTone.ACCENT


def test_that_a_score_of_nothing_recommends_nothing(tmp_path: Path) -> None:
    data = run_and_gather(tmp_path, [desk_model(said=dict.fromkeys(range(1, 7), "perhaps"))])
    assert not any(view.recommended for view in data.candidates)
    assert data.answer.tone is not AnswerTone.ACCENT
    assert data.candidates[0].why_not == "got nothing right"


def test_that_few_examples_are_said_to_be_few(tmp_path: Path) -> None:
    assert any("6 examples" in line for line in run_and_gather(tmp_path, [desk_model()]).answer.limits)


def test_that_an_unreviewed_draft_is_labelled(tmp_path: Path) -> None:
    provenance = (
        "provenance:\n  source: runbook.docx\n  source_sha256: " + "a" * 64 + "\n  drafted_by: tiny (fake)\n"
        "  drafted_at: '2026-11-29'\n  reviewed: false\n"
    )
    data = run_and_gather(tmp_path, [desk_model()], provenance=provenance)
    assert "tiny (fake)" in data.label and "runbook.docx" in data.label


def test_that_the_command_to_repeat_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    data = run_and_gather(tmp_path, [desk_model()], RunSettings(models=("quick",), limit=3))
    assert data.repeat == ("packbench run desk --model quick --backend fake --limit 3",)
    for renderer in standard_renderers():
        assert str(tmp_path).encode() not in renderer.render(data), renderer.name


def test_that_texts_of_repetitions_are_compared(tmp_path: Path) -> None:
    class Moody:
        def __init__(self) -> None:
            self.model = desk_model()

        def __call__(self, prompt: str, nth: int) -> Answer | str:
            return "other" if "letter 1" in prompt and nth % 2 else self.model.answers(prompt, nth)

    model = desk_model()
    model.answers = Moody()
    (view,) = run_and_gather(tmp_path, [model], repetitions=2).candidates
    assert view.same_text is False and any("different texts" in note for note in view.notes)


def test_that_a_run_of_another_version_is_scored_again_and_says_what_changed(tmp_path: Path) -> None:
    work, _ = load_work(write_desk_pack(tmp_path / "desk"))
    journal = tmp_path / "runs.db"
    end = asyncio.run(started(work, FakeBackend([desk_model()]), journal, Told()))
    with JournalWriter(journal) as writer:
        writer.judge_again(end.run_id, [(UnitKey(0, "001", 1), Outcome(Cause.WRONG, 0.0, False, "Old."))])
    with JournalReader(journal) as reader:
        data = gather(reader, end.run_id, created_at=NOW)
    assert data.candidates[0].right == 6
    assert any(note.startswith("1 of 6 answers have another score") for note in data.notes)


def test_that_a_strict_run_counts_reasoning_as_part_of_the_answer(tmp_path: Path) -> None:
    said = {1: Answer("<think>hm</think>delivery")}
    lenient = run_and_gather(tmp_path / "a", [desk_model(said=said)])
    strict = run_and_gather(tmp_path / "b", [desk_model(said=said)], RunSettings(strict=True))
    assert (lenient.candidates[0].right, strict.candidates[0].right) == (6, 5)
    bundle = tmp_path / "strict.zip"
    bundle.write_bytes(standard_renderers()["bundle"].render(strict))
    assert verify_bundle(bundle).good


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ({}, "Nothing has left this computer."),
        (
            {"address": "http://127.0.0.1:11434", "local": True},
            "were sent to a server on this computer; what it passes on is not known.",
        ),
        ({"address": None, "local": True}, "what it passes on is not known."),
        ({"address": "http://gpu.example.org:8000/v1", "local": False}, "they were sent to gpu.example.org."),
        ({"address": None, "local": False}, "they were sent to fake."),
    ],
)
def test_that_what_has_left_this_computer_is_said(
    tmp_path: Path, server: dict[str, object], message: str
) -> None:
    run = run_and_gather(tmp_path, [desk_model()]).run
    assert local_text(replace(run, settings={"server": server})).endswith(message)


def test_that_a_model_elsewhere_behind_a_server_here_is_not_called_local(tmp_path: Path) -> None:
    run = run_and_gather(tmp_path, [desk_model()]).run
    behind = {"server": {"address": "http://localhost:11434", "local": True}, "remote_models": ["giant:cloud"]}
    assert local_text(replace(run, settings=behind)) == (
        "Prompts and inputs have left this computer: giant:cloud ran on somebody else's."
    )


def test_that_what_a_person_corrected_about_the_machine_stands_in_the_report(tmp_path: Path) -> None:
    data = run_and_gather(tmp_path, [desk_model()])
    machine = apply_corrections(
        read_machine(memory=lambda: MemoryReading(16384.0, 9000.0, 9000.0, None, "recorded"), graphics=()),
        Corrections(memory_mib=4096, bandwidth_gbps=25),
    )
    run = replace(data.run, machine=machine_json(machine))
    lines = dict(environment_of(run, [], data.pack))
    assert lines["Set by the person"] == ("memory for models at most 4,096 MiB; memory speed 25 GB/s")
    without = replace(data.run, machine={**machine_json(machine), "set_by_person": []})
    assert "Set by the person" not in dict(environment_of(without, [], data.pack))


def test_that_a_name_is_not_said_twice_in_why_not_the_others(tmp_path: Path) -> None:
    models = [desk_model("large", size_bytes=900 << 20, peak_mib=1900.0), desk_model("small", peak_mib=400.0)]
    (other,) = run_and_gather(tmp_path, models, size=40).answer.runners_up
    assert other.name == "large" and "large" not in other.sentence.lower()


def test_that_a_model_that_mostly_failed_is_named_as_such_and_not_recommended(tmp_path: Path) -> None:
    """A comparable tool recommended a model with 1 answer of 60 (task-pack format, section 22.3)."""
    broken = {number: Answer(fault=fault(FaultKind.SERVER_ERROR)) for number in range(2, 31)}
    lucky, sound = desk_model("lucky", said=broken), desk_model("sound", said={1: "other", 2: "billing"})
    data = run_and_gather(tmp_path, [lucky, sound], size=30)
    by_name = {view.name: view for view in data.candidates}
    assert not by_name["lucky"].recommended and by_name["lucky"].why_not
    assert by_name["lucky"].causes[Cause.SERVER_ERROR] >= 5
    assert any("lucky is not ranked: 29 of 30" in line for line in data.answer.limits)
    for name in ("html", "md"):
        shown = standard_renderers()[name].render(data).decode()
        assert "server error" in shown and "ranked" in shown


def test_that_the_reason_why_a_model_ended_is_told_in_the_runs_own_words(tmp_path: Path) -> None:
    unfit = desk_model("unfit", load_fault=fault(FaultKind.OUT_OF_MEMORY), size_bytes=900 << 20)
    data = run_and_gather(tmp_path, [unfit, desk_model("sound", said={1: "other"})])
    (view,) = [view for view in data.candidates if view.name == "unfit"]
    assert view.record.reason and view.why_not in view.record.reason
    assert any(line.startswith("unfit is not ranked:") for line in data.answer.limits)


def test_that_a_run_that_goes_on_is_not_called_interrupted(tmp_path: Path) -> None:
    data = run_and_gather(tmp_path, [desk_model()])
    waiting = tuple(replace(view.record, status=CandidateStatus.WAITING) for view in data.candidates)
    again = compose(replace(data.run, status=RunStatus.RUNNING), waiting, data.units, created_at=NOW)
    assert again.answer.headline == "This run is still going on."
    assert again.candidates[0].why_not == "not run yet"
