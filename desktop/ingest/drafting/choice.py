"""Which model drafts (task-pack format, section 12.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.inference.backends.base import ModelRef
from packs.errors import AppError


@dataclass(frozen=True, slots=True)
class DraftingCandidate:
    """fits: at the drafting context; None when that is not known."""

    model: ModelRef
    fits: bool | None


@dataclass(frozen=True, slots=True)
class DraftingChoice:
    model: ModelRef
    reason: str
    """Why this one, in one sentence."""


def choose_drafter(
    candidates: Sequence[DraftingCandidate], *, named: str | None = None, memory_known: bool
) -> DraftingChoice:
    """The named model; else the largest that fits; if none fits the smallest.

    The largest, when free memory is not known. Sizes by weight bytes. Raises AppError when there is no model.
    """
    local = [entry for entry in candidates if not entry.model.remote]
    if named is not None:
        found = next((entry for entry in candidates if entry.model.name == named), None)
        if found is None:
            known = ", ".join(entry.model.name for entry in candidates) or "none"
            raise AppError(
                f"There is no model called '{named}'.", f"The models here are: {known}.", code="no_such_model"
            )
        return DraftingChoice(found.model, f"{found.model.name} drafts, as chosen.")
    if not local:
        raise AppError(
            "There is no model here that could draft.",
            "Add a GGUF file in Models, or name a model.",
            code="no_model",
        )
    fitting = [entry for entry in local if entry.fits]
    if fitting:
        model = max(fitting, key=_size).model
        return DraftingChoice(model, f"{model.name} drafts: the largest model here that fits in memory.")
    if memory_known:
        model = min(local, key=_size).model
        return DraftingChoice(model, f"{model.name} drafts: no model surely fits, and this is the smallest.")
    model = max(local, key=_size).model
    return DraftingChoice(model, f"{model.name} drafts: free memory is not known, and this is the largest.")


def _size(candidate: DraftingCandidate) -> int:
    return candidate.model.size_bytes or 0
