"""What the mock endpoint answers: plays models of known quality for any pack. Format, section 26."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.evaluators.labels import critical_labels
from packs.qualification.fields import behaviour_fields, label_fields
from packs.qualification.judge import PROMPT_MARKER
from packs.qualification.pack import Case, QualificationPack
from packs.qualification.replies import parse_object
from packs.qualification.taxonomy import is_ambiguous, route_failure

MODELS = (
    "etalon-demo-baseline",
    "etalon-demo-quantized",
    "etalon-demo-degraded-prompt",
    "etalon-demo-small",
    "etalon-demo-sampling",
    "etalon-demo-broken",
    "etalon-demo-error",
    "etalon-contact-baseline",
    "etalon-contact-security-leak",
    "etalon-contact-abstain-miss",
    "etalon-contact-soft",
    "etalon-judge-fixture",
    "etalon-judge-uncertain",
    "etalon-judge-fault",
)
PROSE = "I would pass this on to the office."
USAGE: Mapping[str, JsonValue] = {"prompt_tokens": 48, "completion_tokens": 16, "total_tokens": 64}


@dataclass(frozen=True, slots=True)
class Scripted:
    """status: HTTP status; content: of the reply's message."""

    content: str
    status: int = 200


class MockScript:
    """Knows every case of a pack by its last user message."""

    def __init__(self, pack: QualificationPack) -> None:
        self._label, self._behaviour = label_fields(pack), behaviour_fields(pack)
        self._critical = _critical(pack)
        self._required = _required_fields(pack)
        self._by_text: dict[str, Case] = {}
        self._number: dict[str, int] = {}
        labels: set[str] = set()
        for corpus in ("qualification", "challenge", "calibration"):
            plain = 0
            for case in pack.cases[corpus]:
                self._by_text.setdefault(_last_user(case.messages), case)
                label = self._expected(case, self._label.expected_field)
                if label:
                    labels.add(label)
                if label not in self._critical:
                    self._number[case.case_id] = plain
                    plain += 1
        self._labels = sorted(labels)

    def answer(self, body: Mapping[str, JsonValue]) -> Scripted:
        """The reply to a chat request of any shape."""
        model = str(body.get("model", ""))
        messages = [m for m in _listed(body.get("messages")) if isinstance(m, dict)]
        if any(_is_judge_prompt(message) for message in messages):
            return self._judge(model, _last_user(messages))
        if model == "etalon-demo-error":
            return Scripted("", 500)
        case = self._by_text.get(_last_user(messages))
        if case is None or model == "etalon-demo-broken":
            return Scripted(PROSE)
        temperature = body.get("temperature")
        hot = isinstance(temperature, int | float) and temperature > 0
        return Scripted(self._reply(model, case, hot=hot))

    def _reply(self, model: str, case: Case, *, hot: bool) -> str:
        label = self._expected(case, self._label.expected_field)
        behaviour = self._expected(case, self._behaviour.expected_field)
        number = self._number.get(case.case_id, 0)
        critical = label in self._critical
        match model:
            case "etalon-demo-quantized" if not critical and number % 3 == 2:
                label = self._next(label)
            case "etalon-demo-degraded-prompt":
                behaviour = "classify"
            case "etalon-demo-small" if critical or number % 2 == 1:
                label = self._next(label)
            case "etalon-demo-sampling" if hot and not critical and number in (1, 4):
                label = self._next(label)
            case "etalon-contact-security-leak" if critical:
                label = self._next(label)
            case "etalon-contact-abstain-miss" if behaviour == "abstain":
                behaviour = "classify"
            case "etalon-contact-soft" if is_ambiguous(case) and not critical:
                label = self._next(label)
        return self._written(case, label, behaviour)

    def _written(self, case: Case, label: str, behaviour: str) -> str:
        """As an object when the pack asks for fields, else as plain text with the facts."""
        facts = [str(fact) for fact in _listed(case.expected.get("required_facts"))]
        if not self._required:
            reference = case.expected.get("reference_output")
            return reference if isinstance(reference, str) and reference else " ".join([label, *facts]).strip()
        reply: dict[str, JsonValue] = {
            name: str(case.expected.get(name) or allowed) for name, allowed in self._required.items()
        }
        reply[self._label.field] = label
        reply[self._behaviour.field] = behaviour
        if facts:
            reply["facts"] = " ".join(facts)
        return json.dumps(reply, ensure_ascii=False)

    def _next(self, label: str) -> str:
        """Another label, never a critical one, always the same for the same label."""
        choices = [other for other in self._labels if other not in self._critical] or self._labels
        if label in choices:
            return choices[(choices.index(label) + 1) % len(choices)]
        return choices[0] if choices else label

    @staticmethod
    def _expected(case: Case, name: str) -> str:
        value = case.expected.get(name)
        return value if isinstance(value, str) else ""

    def _judge(self, model: str, shown: str) -> Scripted:
        if model == "etalon-judge-fault":
            return Scripted("I am not sure what to say.")
        ticket, _, candidate = shown.removeprefix("TICKET:\n").partition("\nCANDIDATE:\n")
        case = next((c for c in self._by_text.values() if c.user_text == ticket), None)
        if case is None:
            return Scripted("I do not know this ticket.")
        parsed = parse_object(candidate)
        code = route_failure(case, parsed, sorted(self._critical))
        verdict = {
            "passed": code is None,
            "failure_type": code,
            "uncertainty": 0.9 if model == "etalon-judge-uncertain" else 0.05,
            "label": case.expected.get("label"),
            "rationale": "By comparison with the reference.",
        }
        return Scripted(json.dumps(verdict, ensure_ascii=False))


def completion(model: str, content: str) -> dict[str, JsonValue]:
    """A whole chat-completion reply."""
    return {
        "id": "mock-1",
        "object": "chat.completion",
        "model": model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        ],
        "usage": dict(USAGE),
    }


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _is_judge_prompt(message: Mapping[str, JsonValue]) -> bool:
    content = message.get("content")
    return message.get("role") == "system" and isinstance(content, str) and content.startswith(PROMPT_MARKER)


def _last_user(messages: object) -> str:
    listed = list(messages) if isinstance(messages, list | tuple) else []
    texts = [m.get("content") for m in listed if isinstance(m, Mapping) and m.get("role") == "user"]
    return texts[-1] if texts and isinstance(texts[-1], str) else ""


def _critical(pack: QualificationPack) -> frozenset[str]:
    return frozenset(label for spec in pack.evaluators.values() for label in critical_labels(spec.config))


def _required_fields(pack: QualificationPack) -> dict[str, str]:
    """Fields that a reply must have, each with a value that is allowed."""
    found: dict[str, str] = {}
    for spec in pack.evaluators.values():
        if spec.type == "json_object":
            allowed = spec.config.get("allowed_values")
            for name in _listed(spec.config.get("required_fields")):
                values = allowed.get(name) if isinstance(allowed, dict) else None
                found[str(name)] = str(values[0]) if isinstance(values, list) and values else "ok"
    if not found and any(spec.type in ("exact_match", "route_label") for spec in pack.evaluators.values()):
        found[label_fields(pack).field] = ""
    return found
