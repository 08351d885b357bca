"""Scoring again from the journal alone, and what it says about changes."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from desktop.reports.verify import Checked
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import UnitKey
from desktop.runs.rescore import Rescored, rescore, rescore_and_store
from desktop.runs.settings import RunSettings
from desktop.runs.task_work import TaskWork
from packs.errors import AppError
from packs.task.loader import load_pack_from_files
from packs.task.outcome import Cause
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel
from tests.fakes.runs import HEALTHY, QUESTION, Told, started

MANIFEST = """
name: sorting
type: test
scorer: exact-label
scorer_params: {labels: [billing, access]}
generation: {context: 2048, max_tokens: 16, temperature: 0, seed: 7, runs_per_example: 1}
prompt_template: prompt.md
examples_dir: examples
"""


def work(*expected: str) -> TaskWork:
    files = {"task.yaml": MANIFEST.encode(), "prompt.md": b"billing or access? {{input}}"}
    for number, value in enumerate(expected, 1):
        files[f"examples/{number}.json"] = f'{{"input": "in {number}", "expected": "{value}"}}'.encode()
    loaded = load_pack_from_files(files)
    assert loaded.pack is not None
    return TaskWork(loaded.pack)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A run over three examples that were answered: billing (right), access (wrong), prose (unreadable)."""
    said = {"in 1": "billing", "in 2": "access", "in 3": "I think **billing**"}

    def answers(prompt: str, nth: int) -> Answer | str:
        return HEALTHY if prompt == QUESTION else said[prompt[-4:]]

    path = tmp_path / "runs.db"
    pack = work("billing", "billing", "billing")
    asyncio.run(started(pack, FakeBackend([FakeModel("quick", answers)]), path, Told()))
    return path


def test_that_scoring_again_with_the_same_pack_changes_nothing(journal: Path) -> None:
    with JournalReader(journal) as reader:
        run_id = reader.resolve("last")
        assert [row.cause for row in reader.units(run_id)] == [Cause.CORRECT, Cause.WRONG, Cause.UNREADABLE]
        found = rescore(reader, run_id)
    assert (found.checked, found.changed_count, found.left_alone) == (3, 0, 0)
    assert found.message == "Scored again: all 3 answers have the scores they had."


def test_that_a_corrected_pack_says_which_units_changed_and_stores_them_when_asked(journal: Path) -> None:
    corrected = work("billing", "access", "billing")
    with JournalReader(journal) as reader:
        run_id = reader.resolve("last")
        found = rescore(reader, run_id, corrected)
        assert reader.units(run_id)[1].cause is Cause.WRONG
        assert [(entry.key, entry.old_cause, entry.new_cause) for entry in found.changed] == [
            (UnitKey(0, "2", 1), Cause.WRONG, Cause.CORRECT)
        ]
        assert found.message == "Scored again: 1 of 3 answers has another score or cause now."
        assert rescore_and_store(journal, run_id, corrected) == found
        assert reader.units(run_id)[1].cause is Cause.CORRECT
        unit = reader.unit(run_id, UnitKey(0, "2", 1))
        assert unit is not None and unit.generation is not None and unit.generation.text == "access"


def test_that_a_stored_score_that_was_tampered_with_is_found(journal: Path) -> None:
    with JournalWriter(journal) as writer:
        writer.connection.execute("UPDATE units SET cause = 'correct', score = 1.0, passed = 1")
    with JournalReader(journal) as reader:
        assert rescore(reader, reader.resolve("last")).changed_count == 2


def test_that_examples_the_pack_no_longer_has_are_left_alone(journal: Path) -> None:
    with JournalReader(journal) as reader:
        found = rescore(reader, reader.resolve("last"), work("billing"))
    assert (found.checked, found.left_alone) == (1, 2)


def test_that_a_cut_input_stays_a_cut_input(journal: Path) -> None:
    with JournalWriter(journal) as writer:
        writer.connection.execute("UPDATE units SET cause = 'input_cut', score = NULL WHERE example = '1'")
    with JournalReader(journal) as reader:
        found = rescore(reader, reader.resolve("last"))
    assert (found.checked, found.changed_count, found.left_alone) == (2, 0, 1)


def test_that_a_strict_run_counts_reasoning_as_part_of_the_answer_also_when_scored_again(
    tmp_path: Path,
) -> None:
    def answers(prompt: str, nth: int) -> Answer | str:
        return HEALTHY if prompt == QUESTION else "<think>Let me see.</think>billing"

    path = tmp_path / "strict.db"
    for settings in (RunSettings(), RunSettings(strict=True)):
        asyncio.run(started(work("billing"), FakeBackend([FakeModel("m", answers)]), path, Told(), settings))
    with JournalReader(path) as reader:
        strict, ours = (reader.units(entry.id)[0] for entry in reader.runs())
        assert (ours.cause, ours.score, ours.strict_score) == (Cause.CORRECT, 1.0, 0.0)
        assert (strict.cause, strict.score, strict.passed) == (Cause.UNREADABLE, 0.0, False)
        assert [rescore(reader, entry.id).changed_count for entry in reader.runs()] == [0, 0]


def test_that_a_damaged_snapshot_is_told(journal: Path) -> None:
    with JournalWriter(journal) as writer:
        writer.connection.execute("UPDATE runs SET pack_snapshot = '{}'")
    with JournalReader(journal) as reader, pytest.raises(AppError) as caught:
        rescore(reader, reader.resolve("last"))
    assert caught.value.code == "bad_snapshot"


@pytest.mark.parametrize(
    ("checked", "changed", "said"),
    [
        (1, 0, "Scored again: the one answer has the score it had."),
        (2, 0, "Scored again: all 2 answers have the scores they had."),
        (1, 1, "Scored again: 1 of 1 answer has another score or cause now."),
        (3, 2, "Scored again: 2 of 3 answers have another score or cause now."),
    ],
)
def test_that_one_answer_is_said_in_the_singular(checked: int, changed: int, said: str) -> None:
    assert Rescored("r", checked, changed, (), 0).message == said


@pytest.mark.parametrize("count", [0, 1])
def test_that_one_file_is_said_in_the_singular(count: int) -> None:
    message = Checked("r", 1, 1, (), count).message
    assert "1 file" in message and not re.search(r"\b1 \w+s\b|all 1", message)
