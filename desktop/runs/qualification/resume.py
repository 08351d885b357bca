"""May a run go on from its journal? Format, section 19."""

from __future__ import annotations

from collections.abc import Mapping

from desktop.runs.qualification.journal import FINALIZED, SEALED, Journal, JournalState
from desktop.runs.qualification.preparation import Preparation
from packs.canonical import JsonValue, canonical_text
from packs.errors import AppError
from packs.qualification.captures import Capture, Key

_VOLATILE = frozenset({"captured_at", "supplied_at"})


def check_resume(
    journal: Journal, prepared: Preparation, fingerprint: Mapping[str, JsonValue]
) -> tuple[JournalState, Mapping[str, JsonValue]]:
    """State and stored fingerprint of a journal that fits. Raises AppError saying what differs."""
    state = journal.read_state()
    if state.status == FINALIZED or (state.status == SEALED and not prepared.settings.retry_errors):
        raise AppError(
            f"The run '{prepared.run_id}' was completed.",
            "Use --retry-errors to ask its failed requests again, or choose another --run-id.",
            code="run_completed",
        )
    if state.run_id != prepared.run_id:
        raise _differs("it belongs to another run")
    context = prepared.context
    if state.context.get("pack_content_sha256") != context["pack_content_sha256"]:
        raise _differs("the pack was changed since")
    stored = journal.read_fingerprint()
    parts = sorted(
        name
        for name in {*stored, *fingerprint}
        if canonical_text(_steady(stored.get(name))) != canonical_text(_steady(fingerprint.get(name)))
        and name not in _VOLATILE
    )
    if parts:
        raise _differs(f"the fingerprint differs in {', '.join(parts)}")
    changed = sorted(
        name for name in {*context, *state.context} if context.get(name) != state.context.get(name)
    )
    if changed:
        raise _differs(f"it was begun with another {', '.join(changed)}")
    return state, stored


def _steady(value: JsonValue) -> JsonValue:
    """Without the times at which things were captured or supplied."""
    if isinstance(value, dict):
        return {name: _steady(item) for name, item in value.items() if name not in _VOLATILE}
    return value


def _differs(why: str) -> AppError:
    return AppError(
        f"This run cannot go on: {why}.",
        "Start with the same arguments and files, or begin a new run.",
        code="resume_differs",
    )


def taken_over(journal: Journal, prepared: Preparation) -> dict[Key, Capture]:
    """What need not be asked again. With `retry_errors` failed requests are forgotten, in the file as well."""
    found = journal.read_captures(request.key for request in prepared.planned)
    if prepared.settings.retry_errors:
        kept = {key: capture for key, capture in found.items() if capture.error is None}
        if len(kept) != len(found):
            journal.rewrite_captures(kept.values())
        return kept
    return found
