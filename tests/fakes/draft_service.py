"""The drafting service with scripted models: reading and drafting are real, only the answers are made up."""

from __future__ import annotations

from collections.abc import Callable

from desktop.application.draft_pack import Drafters
from desktop.application.draft_service import DraftService
from desktop.application.services import Services
from desktop.foundation.paths import user_paths
from desktop.ingest.drafting.choice import DraftingCandidate
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel


class ScriptedDraftService(DraftService):
    """The real one over a fake backend with two models that fit."""

    def __init__(self, answers: Callable[[str, int], Answer | str]) -> None:
        super().__init__(Services(user_paths(), {}))
        self.models = [FakeModel("small", answers, size_bytes=1), FakeModel("large", answers, size_bytes=2)]

    def drafters(self) -> Drafters:
        backend = FakeBackend(self.models)
        return Drafters(backend, tuple(DraftingCandidate(model.ref(), True) for model in self.models), True)
