"""Asks the judge about replies and calibration cases: concurrently, journalled, each call once.

Qualification-pack format, section 13.2, without the traps of section 28, W21 and W26.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from desktop.inference.backends.key_guard import KeyGuard
from desktop.runs.qualification.client import ChatClient
from desktop.runs.qualification.events import JudgeProgress, OnEvent
from desktop.runs.qualification.journal import GroupLog
from packs.canonical import JsonValue
from packs.qualification.judge import (
    EXTERNAL,
    JUDGE_FAILURE,
    JudgeFailure,
    JudgeVerdict,
    compact_candidate,
    declared_model,
    mock_verdict,
    read_typed,
    read_verdict,
    system_message,
    transport_of,
    typed_questions,
    typed_state,
    user_message,
)
from packs.qualification.pack import Case, EvaluatorSpec
from packs.qualification.replies import Reply, content_of, parse_object
from packs.qualification.rows import EvaluatorError

JudgeResult = JudgeVerdict | EvaluatorError
Judgement = tuple[str, str]
"""Corpus and case id; corpus 'calibration' for calibration cases."""
AskJudge = Callable[[Case, Reply], Awaitable[JudgeVerdict]]


@dataclass(frozen=True, slots=True)
class JudgeTask:
    case: Case
    reply: Reply

    @property
    def key(self) -> Judgement:
        return (self.case.corpus, self.case.case_id)


def calibration_tasks(cases: Iterable[Case]) -> list[JudgeTask]:
    """The answers that people scored, as replies."""
    tasks = []
    for case in cases:
        content = compact_candidate(case)
        if content is not None:
            tasks.append(JudgeTask(case, Reply(content, parse_object(content), "stop", truncated=False)))
    return tasks


def recorded(record: Mapping[str, JsonValue]) -> tuple[Judgement, JudgeVerdict] | None:
    """A verdict from a journal line; None for a failure, which is asked again, or a line of another form."""
    verdict = record.get("verdict")
    if not isinstance(verdict, dict):
        return None
    try:
        found = JudgeVerdict(**verdict)
    except TypeError:
        return None
    return (str(record.get("corpus")), str(record.get("case_id"))), found


async def judge_all(
    spec: EvaluatorSpec,
    tasks: Sequence[JudgeTask],
    ask: AskJudge,
    *,
    done: dict[Judgement, JudgeResult],
    log: GroupLog | None,
    concurrency: int,
    on_event: OnEvent,
) -> None:
    """Adds a verdict or a failure to `done` for every task without one."""
    waiting = iter([task for task in tasks if task.key not in done])

    async def work() -> None:
        for task in waiting:
            result: JudgeResult
            try:
                result = await ask(task.case, task.reply)
            except JudgeFailure as error:
                result = EvaluatorError(spec.id, task.case.case_id, JUDGE_FAILURE, str(error))
            done[task.key] = result
            if log is not None:
                good = isinstance(result, JudgeVerdict)
                log.add(
                    {
                        "corpus": task.case.corpus,
                        "case_id": task.case.case_id,
                        "verdict": asdict(result) if good else None,
                        "failure": None if good else result.as_json()["message"],  # type: ignore[union-attr]
                    }
                )
            on_event(JudgeProgress(len(done), len(tasks)))

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, max(1, len(tasks)))):
            group.create_task(work())


def mock_judge(spec: EvaluatorSpec) -> AskJudge:
    async def ask(case: Case, reply: Reply) -> JudgeVerdict:
        return mock_verdict(spec, case, reply)

    return ask


def endpoint_judge(
    spec: EvaluatorSpec,
    rubric: Mapping[str, JsonValue],
    client: ChatClient,
    *,
    model: str | None,
    seed: JsonValue,
    max_tokens: JsonValue,
) -> AskJudge:
    """model: overrides the declared one. The judge has its own key and token limit."""
    name = model or declared_model(spec)
    instructions = system_message(spec.config, rubric)

    async def ask(case: Case, reply: Reply) -> JudgeVerdict:
        body: dict[str, JsonValue] = {
            "model": name,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": user_message(case, reply.content)},
            ],
            "temperature": 0,
            "top_p": 1,
            "seed": seed,
            "max_tokens": max_tokens,
        }
        answer = await client.ask(body)
        if answer.error is not None:
            message = f": {answer.detail}" if answer.detail else ""
            raise JudgeFailure(f"the judge's endpoint failed ({answer.error}{message})")
        return read_verdict(content_of(answer.body), name)

    return ask


def typed_judge(
    spec: EvaluatorSpec, rubric: Mapping[str, JsonValue], key: str | None, timeout_s: float
) -> AskJudge:
    """The external service through its own package, which comes with the extra `packbench[typesafe]`."""
    document = typed_questions(spec.config, rubric)
    verdict, doubt = document["verdict"], document["uncertainty"]
    assert isinstance(verdict, dict)
    assert isinstance(doubt, dict)
    questions = {
        "verdict": {
            "type": "choice",
            "instructions": verdict["question"],
            "criteria": dict.fromkeys(verdict["choices"]),
        },
        "uncertainty": {"type": "noul", "instructions": doubt["question"]},
    }

    async def ask(case: Case, reply: Reply) -> JudgeVerdict:
        if not key:
            raise JudgeFailure("there is no key for the service (TYPESAFE_API_KEY)")
        try:
            package: Any = importlib.import_module("typesafe_sdk")
        except ImportError:
            raise JudgeFailure("the package for the service is not installed (packbench[typesafe])") from None
        state = typed_state(spec, rubric, case, reply.content)
        try:
            async with package.AsyncTypeSafeClient(api_key=key, timeout=timeout_s) as client:
                answer = await client.system_one(state=state, questions=questions)
        except Exception as error:  # whatever the package raises is a judge that cannot be used
            raise JudgeFailure(f"the service failed ({type(error).__name__})") from None
        label = reply.parsed.get("label") if reply.parsed is not None else None
        return read_typed(KeyGuard(key).value(answer.model_dump(mode="json")), label)

    return ask


def destination(spec: EvaluatorSpec, host: str) -> str:
    """Who saw the replies: a host, the service, or none."""
    transport = transport_of(spec)
    if transport in EXTERNAL:
        return "typesafe"
    return host if transport == "endpoint" else "none"
