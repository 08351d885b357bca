"""One case of a pack: what it is sent, and what one answer to it scores. Nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.inference.backends.table import chat_apis
from desktop.runs.qualification.client import ChatClient
from desktop.runs.qualification.discovery import discover
from desktop.runs.qualification.preparation import Preparation, prepare, with_model
from desktop.runs.qualification.run import RunEnvironment
from desktop.runs.qualification.settings import QualifySettings, stamp
from packs.canonical import JsonValue
from packs.errors import AppError
from packs.qualification.captures import Capture
from packs.qualification.pack import Case
from packs.qualification.replies import content_of
from packs.qualification.requests import request_body
from packs.qualification.rows import result_row, score_test
from packs.qualification.scoring import read_capture
from packs.registry import nearest


@dataclass(frozen=True, slots=True)
class TriedCase:
    """request: the body as sent. rows: one a test, none when nothing was asked. error: None if usable."""

    case: Case
    request: Mapping[str, JsonValue]
    content: str
    error: str | None
    detail: str
    duration_seconds: float | None
    rows: tuple[Mapping[str, Any], ...]


def find_case(prepared: Preparation, case_id: str) -> Case:
    """Raises AppError with the likeliest id meant."""
    known = {
        case.case_id: case for corpus in ("qualification", "challenge") for case in prepared.pack.cases[corpus]
    }
    if case_id in known:
        return known[case_id]
    likely = nearest(case_id, known)
    raise AppError(
        f"The pack has no case '{case_id}' that is sent.",
        f"Did you mean '{likely}'?" if likely else "Take an id from the qualification or challenge corpus.",
        code="no_such_case",
    )


def preview_case(folder: Path, settings: QualifySettings, around: RunEnvironment, case_id: str) -> TriedCase:
    """What would be sent, without sending anything."""
    prepared = prepare(folder, settings, around.now(), around.environment)
    case = find_case(prepared, case_id)
    model = settings.model or "the model"
    return TriedCase(
        case, request_body(case, model, prepared.sampling, prepared.system_prompt), "", None, "", None, ()
    )


def try_case(folder: Path, settings: QualifySettings, around: RunEnvironment, case_id: str) -> TriedCase:
    """Asks one case once and scores the answer. Raises AppError as a run would before its first request."""
    return asyncio.run(_try_case(folder, settings, around, case_id))


async def _try_case(folder: Path, settings: QualifySettings, around: RunEnvironment, case_id: str) -> TriedCase:
    started = around.now()
    prepared = prepare(folder, settings, started, around.environment)
    case = find_case(prepared, case_id)
    found = await discover(settings.endpoint, settings.key, around.transport)
    prepared = with_model(prepared, found, stamp(started))
    model = str(prepared.inputs.identifier["value"])
    body = request_body(case, model, prepared.sampling, prepared.system_prompt)
    api = chat_apis()[settings.api]()
    async with ChatClient(
        api.url(settings.endpoint, prepared.pack.interface_path),
        key=settings.key,
        guard=settings.guard,
        timeout_s=settings.timeout_s,
        max_retries=settings.max_retries,
        concurrency=1,
        sleep=around.sleep,
        transport=around.transport,
        api=api,
    ) as client:
        answer = await client.ask(body)
    capture = Capture(
        case_id=case.case_id,
        corpus=case.corpus,
        run_index=0,
        sensitive=case.sensitive,
        request=body,
        response=answer.body,
        error=answer.error,
        attempts=answer.attempts,
        status_code=answer.status_code,
        duration_seconds=answer.duration_seconds,
        error_detail=answer.detail,
    )
    return TriedCase(
        case=case,
        request=body,
        content=content_of(answer.body),
        error=answer.error,
        detail=answer.detail,
        duration_seconds=answer.duration_seconds,
        rows=tuple(_rows(prepared, capture)),
    )


def _rows(prepared: Preparation, capture: Capture) -> list[Mapping[str, Any]]:
    pack = prepared.pack
    case = find_case(prepared, capture.case_id)
    reply = read_capture(capture, strict_scrubbing=prepared.settings.strict_scrubbing)
    rows: list[Mapping[str, Any]] = []
    for test in pack.tests:
        if case.corpus not in test.corpora:
            continue
        scored = score_test([pack.evaluators[name] for name in test.evaluators], case, reply)
        row = result_row(scored, test_id=test.id, severity=test.severity, case=case, run_index=0, position=1)
        if row is not None:
            rows.append(row)
    return rows
