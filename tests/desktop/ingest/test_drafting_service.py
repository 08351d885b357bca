"""From a document to a folder, with a scripted backend and once with the real starter model."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.inference.backends.base import Capabilities, FaultKind, LoadSettings, ModelRef
from desktop.inference.backends.embedded import EmbeddedBackend
from desktop.ingest.documents import read_document
from desktop.ingest.documents.model import DocumentText, paragraphs
from desktop.ingest.drafting.choice import DraftingCandidate, choose_drafter
from desktop.ingest.drafting.service import DraftedFolder, DraftingModel, draft_to_folder
from packs.documents.problems import has_errors
from packs.errors import AppError
from packs.task.loader import load_pack
from packs.task.review import REVIEW_FILE, ReviewState, read_review
from tests.fakes.drafting import willing
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel, fault

RUNBOOK = Path(__file__).parents[2] / "fixtures" / "documents" / "front-desk-runbook.md"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def notes(text: str = "- one: a\n- two: b\n- three: c\n\nMore rules about lamps.") -> DocumentText:
    return DocumentText("notes.md", "Markdown", "f" * 64, tuple(paragraphs(text)))


def drafted(
    target: Path, answers: Callable[[str, int], Answer | str], document: DocumentText | None = None
) -> tuple[DraftedFolder, FakeBackend]:
    backend = FakeBackend([FakeModel("tiny", answers)])
    drafting = DraftingModel(backend, backend.models[0].ref(), LoadSettings(2048, 1))
    work = draft_to_folder(document or notes(), drafting, target, lambda event: None, now=lambda: NOON)
    return asyncio.run(work), backend


def test_that_a_draft_becomes_a_pack_that_loads_with_provenance_and_a_review_to_do(tmp_path: Path) -> None:
    made, backend = drafted(tmp_path / "desk", willing())
    assert made.folder == tmp_path / "desk"
    assert made.faults == ()
    assert not has_errors(made.problems)
    pack = load_pack(made.folder).pack
    assert pack is not None
    assert pack.provenance is not None
    assert pack.provenance.drafted_by == "tiny (fake 1)"
    assert pack.provenance.drafted_at == "2026-11-30"
    assert pack.provenance.reviewed is False
    review = read_review((made.folder / REVIEW_FILE).read_bytes())
    assert list(review.examples) == [example.id for example in pack.examples]
    assert {example.state for example in review.examples.values()} == {ReviewState.DRAFTED}
    assert backend.loaded is None


def test_that_the_form_of_an_answer_is_enforced_where_the_backend_can_and_described_where_not(
    tmp_path: Path,
) -> None:
    _, backend = drafted(tmp_path / "one", willing())
    assert all(request.constraint is not None for request in backend.requests)
    backend = FakeBackend([FakeModel("tiny", willing())], capabilities=Capabilities())
    drafting = DraftingModel(backend, backend.models[0].ref(), LoadSettings(2048, 1))
    asyncio.run(draft_to_folder(notes(), drafting, tmp_path / "two", lambda event: None))
    assert all(request.constraint is None and "JSON Schema" in request.prompt for request in backend.requests)


def test_that_an_occupied_folder_stops_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x", encoding="utf-8")
    backend = FakeBackend([FakeModel("tiny", willing())])
    drafting = DraftingModel(backend, backend.models[0].ref(), LoadSettings(2048, 1))
    with pytest.raises(AppError) as caught:
        asyncio.run(draft_to_folder(notes(), drafting, tmp_path / "full", lambda event: None))
    assert caught.value.code == "target_not_empty"
    assert backend.calls == []


def test_that_a_crash_after_some_examples_still_writes_them(tmp_path: Path) -> None:
    good, turn = willing(), itertools.count()

    def answer(prompt: str, nth: int) -> Answer | str:
        return Answer(fault=fault(FaultKind.CRASHED)) if next(turn) == 3 else good(prompt, nth)

    made, backend = drafted(tmp_path / "desk", answer)
    assert made.fault is not None
    assert made.folder is not None
    assert len(made.draft.examples) == 8
    assert [entry.code for entry in made.faults] == ["too_few"]
    assert backend.loaded is None


def test_that_answers_that_are_no_pack_are_saved_beside_the_folder(tmp_path: Path) -> None:
    made, _ = drafted(tmp_path / "desk", lambda prompt, nth: "I would rather talk about lamps.")
    assert made.folder is None
    assert made.saved_answers == tmp_path / "desk-draft-response.txt"
    assert "rather talk" in made.saved_answers.read_text(encoding="utf-8")
    assert not (tmp_path / "desk").exists()


def test_that_a_folder_filled_while_drafting_loses_no_answer(tmp_path: Path) -> None:
    good = willing()

    def answer(prompt: str, nth: int) -> Answer | str:
        (tmp_path / "desk").mkdir(exist_ok=True)
        (tmp_path / "desk" / "mine.txt").write_text("x", encoding="utf-8")
        return good(prompt, nth)

    made, _ = drafted(tmp_path / "desk", answer)
    assert made.folder is None
    assert made.fault is not None
    assert made.saved_answers is not None
    assert [file.name for file in (tmp_path / "desk").iterdir()] == ["mine.txt"]


def test_that_cancelling_keeps_what_came_and_frees_the_model(tmp_path: Path) -> None:
    good, turn = willing(), itertools.count()

    def answer(prompt: str, nth: int) -> Answer | str:
        return Answer("x", stall="before") if next(turn) == 3 else good(prompt, nth)

    async def cancelled() -> FakeBackend:
        backend = FakeBackend([FakeModel("tiny", answer)], stalled=asyncio.Event())
        assert backend.stalled is not None
        drafting = DraftingModel(backend, backend.models[0].ref(), LoadSettings(2048, 1))
        work = asyncio.ensure_future(draft_to_folder(notes(), drafting, tmp_path / "desk", lambda event: None))
        await backend.stalled.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return backend

    backend = asyncio.run(cancelled())
    assert backend.loaded is None
    assert len(list((tmp_path / "desk" / "examples").iterdir())) == 8


def candidate(name: str, size: int, fits: bool | None, remote: bool = False) -> DraftingCandidate:
    return DraftingCandidate(ModelRef("fake", name, size_bytes=size, remote=remote), fits)


def test_that_the_largest_fitting_model_drafts_else_the_smallest_else_the_largest() -> None:
    some = [candidate("small", 1, True), candidate("middle", 2, True), candidate("large", 3, False)]
    assert choose_drafter(some, memory_known=True).model.name == "middle"
    none = [
        candidate("small", 1, False),
        candidate("large", 3, False),
        candidate("cloud", 9, None, remote=True),
    ]
    assert choose_drafter(none, memory_known=True).model.name == "small"
    unknown = [candidate("small", 1, None), candidate("large", 3, None)]
    assert choose_drafter(unknown, memory_known=False).model.name == "large"
    assert choose_drafter(some, named="large", memory_known=True).model.name == "large"
    with pytest.raises(AppError):
        choose_drafter(some, named="other", memory_known=True)
    with pytest.raises(AppError):
        choose_drafter([], memory_known=True)


@pytest.mark.engine
def test_that_the_starter_model_drafts_a_valid_pack_from_a_runbook(starter_model: Path, tmp_path: Path) -> None:
    async def work() -> DraftedFolder:
        backend = EmbeddedBackend([starter_model.parent])
        model = next(entry for entry in await backend.list_models() if entry.path == starter_model)
        drafting = DraftingModel(backend, model, backend.default_settings(2048))
        return await draft_to_folder(
            read_document(RUNBOOK), drafting, tmp_path / "desk", lambda event: None, wanted=10
        )

    made = asyncio.run(work())
    assert made.fault is None
    assert made.folder is not None, made.draft
    loaded = load_pack(made.folder)
    assert not has_errors(loaded.problems), loaded.problems
    assert loaded.pack is not None
    assert loaded.pack.scorer_params["labels"] == ["bookings", "billing", "repairs", "lost property", "safety"]
    assert len(loaded.pack.examples) >= 10
