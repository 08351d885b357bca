"""The judge's part of a run: which replies it sees, through what, and where its verdicts are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from desktop.runs.qualification.client import ChatClient, Sleep
from desktop.runs.qualification.events import OnEvent
from desktop.runs.qualification.journal import GroupLog, Journal
from desktop.runs.qualification.judging import (
    AskJudge,
    Judgement,
    JudgeResult,
    JudgeTask,
    calibration_tasks,
    destination,
    endpoint_judge,
    judge_all,
    mock_judge,
    recorded,
    typed_judge,
)
from desktop.runs.qualification.preparation import Preparation
from packs.qualification.captures import Capture
from packs.qualification.judge import EXTERNAL, JudgeVerdict, transport_of
from packs.qualification.pack import EvaluatorSpec
from packs.qualification.requests import chat_url, endpoint_host
from packs.qualification.scoring import needs_judging, read_capture


@dataclass(frozen=True, slots=True)
class Judged:
    """replies: by corpus and case id; calibration: by case id. destination: who saw the replies."""

    replies: Mapping[Judgement, JudgeResult] = field(default_factory=dict)
    calibration: Mapping[str, JudgeResult] = field(default_factory=dict)
    destination: str = "none"
    model: str | None = None


async def ask_judge(
    prepared: Preparation,
    captures: Iterable[Capture],
    journal: Journal,
    *,
    on_event: OnEvent,
    sleep: Sleep,
    transport: httpx.AsyncBaseTransport | None,
) -> Judged:
    """Every verdict the run needs; nothing without a judge. Verdicts in the journal are not asked again."""
    spec = prepared.pack.judge
    if spec is None:
        return Judged()
    tasks = [*_reply_tasks(prepared, captures), *calibration_tasks(prepared.pack.cases["calibration"])]
    done: dict[Judgement, JudgeResult] = {}
    kept = transport_of(spec) != "offline-mock"
    if kept:
        done.update(found for record in journal.read_judgements() if (found := recorded(record)) is not None)
    async with AsyncExitStack() as stack:
        ask = await _judge(prepared, spec, stack, sleep, transport)
        log = await stack.enter_async_context(GroupLog(journal.judgements_file)) if kept else None
        await judge_all(
            spec,
            tasks,
            ask,
            done=done,
            log=log,
            concurrency=prepared.settings.concurrency,
            on_event=on_event,
        )
    host = endpoint_host(prepared.settings.judge_endpoint or prepared.settings.endpoint)
    return Judged(
        replies={key: result for key, result in done.items() if key[0] != "calibration"},
        calibration={key[1]: result for key, result in done.items() if key[0] == "calibration"},
        destination=destination(spec, host),
        model=_model_said(done.values()) or prepared.settings.judge_model,
    )


def _model_said(results: Iterable[JudgeResult]) -> str | None:
    names = {result.model for result in results if isinstance(result, JudgeVerdict)}
    return names.pop() if len(names) == 1 else None


def _reply_tasks(prepared: Preparation, captures: Iterable[Capture]) -> list[JudgeTask]:
    cases = {(case.corpus, case.case_id): case for listed in prepared.pack.cases.values() for case in listed}
    tasks = []
    for capture in sorted(captures, key=lambda capture: capture.key):
        reply = read_capture(capture, strict_scrubbing=prepared.settings.strict_scrubbing)
        if needs_judging(capture, reply):
            tasks.append(JudgeTask(cases[(capture.corpus, capture.case_id)], reply))
    return tasks


async def _judge(
    prepared: Preparation,
    spec: EvaluatorSpec,
    stack: AsyncExitStack,
    sleep: Sleep,
    transport: httpx.AsyncBaseTransport | None,
) -> AskJudge:
    settings = prepared.settings
    name = transport_of(spec)
    if name == "offline-mock":
        return mock_judge(spec)
    rubric = prepared.pack.rubrics.get(str(spec.config.get("rubric_id")), {})
    if name in EXTERNAL:
        return typed_judge(spec, rubric, settings.typesafe_key, settings.timeout_s)
    address = settings.judge_endpoint or settings.endpoint
    own = urlsplit(address).netloc != urlsplit(settings.endpoint).netloc
    client = await stack.enter_async_context(
        ChatClient(
            chat_url(address, prepared.pack.interface_path),
            # The model's key goes to the model's own server and to no other.
            key=settings.judge_key or (None if own else settings.key),
            guard=settings.guard,
            timeout_s=settings.timeout_s,
            max_retries=settings.max_retries,
            concurrency=settings.concurrency,
            sleep=sleep,
            transport=transport,
        )
    )
    return endpoint_judge(
        spec,
        rubric,
        client,
        model=settings.judge_model,
        seed=prepared.sampling["seed"],
        max_tokens=settings.judge_max_tokens or prepared.sampling["max_tokens"],
    )
