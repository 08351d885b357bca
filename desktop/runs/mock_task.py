"""What the mock endpoint answers for a task pack: plays models of known quality, so that a run can be tried."""

from __future__ import annotations

from collections.abc import Mapping

from desktop.runs.qualification.mock_script import completion
from desktop.runs.qualification.mock_server import Handler, MockReply, json_reply
from packs.canonical import JsonValue
from packs.task.model import Example, TaskPack
from packs.task.scorers import ExpectedShape

TASK_MODELS = ("demo-right", "demo-mostly", "demo-half", "demo-wordy", "demo-empty", "demo-error")
"""All right; nine of ten; every second; right with prose around it; nothing at all; HTTP 500."""
TASK_MODELS_IN_TEXT = (
    "demo-right, demo-mostly (9 of 10), demo-half (every second), demo-wordy (right, with words around it), "
    "demo-empty, demo-error (HTTP 500)"
)
UNKNOWN = "I only know the examples of my pack, and this is none of them."
_BYTES_PER_TOKEN = 4
"""So that counts grow with the prompt, as a real server's do."""


def task_handler(pack: TaskPack) -> Handler:
    """Knows every example by its whole prompt; answers anything else with a plain sentence."""
    by_prompt: dict[str, tuple[int, Example]] = {}
    for number, example in enumerate(pack.examples):
        by_prompt.setdefault(pack.rendered(example), (number, example))

    def handle(body: Mapping[str, JsonValue]) -> MockReply:
        model, prompt = str(body.get("model", "")), _last_user_text(body)
        if model == "demo-error":
            return json_reply({"error": {"message": "the mock was told to fail"}}, 500)
        known = by_prompt.get(prompt)
        text = UNKNOWN if known is None else _played(model, pack, *known)
        reply = completion(model, text)
        read, written = _tokens(prompt), _tokens(text)
        reply["usage"] = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
        return json_reply(reply)

    return handle


def _played(model: str, pack: TaskPack, number: int, example: Example) -> str:
    right = right_answer(pack, example)
    match model:
        case "demo-mostly" if number % 10 == 9:
            return _wrong_answer(pack, right)
        case "demo-half" if number % 2 == 1:
            return _wrong_answer(pack, right)
        case "demo-wordy":
            return f"Sure! The answer is **{right}**."
        case "demo-empty":
            return ""
    return right


def right_answer(pack: TaskPack, example: Example) -> str:
    """The expected value as a model would write it, or what else passes."""
    return pack.scoring.primary.right_answer(example.expected)


def _wrong_answer(pack: TaskPack, right: str) -> str:
    """An answer in the right form that is never right."""
    scorer = pack.scoring.primary
    match scorer.shape:
        case ExpectedShape.LABEL:
            others = (one for one in scorer.labels(pack.scorer_params) if one.casefold() != right.casefold())
            return next(others, "none of them")
        case ExpectedShape.NUMBER:
            return "-987654321"
        case ExpectedShape.FIELDS | ExpectedShape.JSON:
            return "{}"
    return "nothing of the kind"


def _tokens(text: str) -> int:
    return max(1, -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN))


def _last_user_text(body: Mapping[str, JsonValue]) -> str:
    messages = body.get("messages")
    texts = [
        message.get("content")
        for message in (messages if isinstance(messages, list) else [])
        if isinstance(message, dict) and message.get("role") == "user"
    ]
    last = texts[-1] if texts else None
    return last if isinstance(last, str) else ""
