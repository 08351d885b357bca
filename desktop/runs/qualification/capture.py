"""Sends the planned requests with a pool of workers and journals every reply. Stopping keeps what came.

Qualification-pack format, sections 7.2 and 19; section 28, W4: after the wish to stop nothing new is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from desktop.runs.qualification.client import ChatClient
from desktop.runs.qualification.events import OnEvent, ReplyArrived, Waiting
from desktop.runs.qualification.journal import GroupLog
from packs.canonical import JsonValue
from packs.qualification.captures import Capture, Key
from packs.qualification.requests import PlannedRequest

MakeBody = Callable[[PlannedRequest], Mapping[str, JsonValue]]


async def capture_all(
    planned: Sequence[PlannedRequest],
    done: dict[Key, Capture],
    *,
    client: ChatClient,
    make_body: MakeBody,
    log: GroupLog,
    concurrency: int,
    on_event: OnEvent,
    stopped: Callable[[], bool],
) -> None:
    """Adds a capture to `done` for every planned request that has none yet, in plan order.

    Once `stopped` says so nothing new is sent. Cancelling ends requests in flight; what was answered before is
    in `done` and in the journal.
    """
    waiting = iter([request for request in planned if request.key not in done])
    total = len(planned)

    async def work() -> None:
        for request in waiting:
            if stopped():
                return
            body = make_body(request)
            case = request.case

            def reported(case_id: str, seconds: float, reason: str) -> None:
                on_event(Waiting(case_id, seconds, reason))

            answer = await client.ask(body, partial(reported, case.case_id))
            capture = Capture(
                case_id=case.case_id,
                corpus=case.corpus,
                run_index=request.run_index,
                sensitive=case.sensitive,
                request=body,
                response=answer.body,
                error=answer.error,
                attempts=answer.attempts,
                status_code=answer.status_code,
                duration_seconds=answer.duration_seconds,
                error_detail=answer.detail,
            )
            log.add(capture.as_json())
            done[capture.key] = capture
            on_event(
                ReplyArrived(
                    case.case_id,
                    case.corpus,
                    request.run_index,
                    answer.error,
                    answer.duration_seconds,
                    len(done),
                    total,
                )
            )

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, total)):
            group.create_task(work())
