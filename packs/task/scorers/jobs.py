"""The kinds of task a draft may become; each knows its questions, its parameters and its prompt.

One small class a kind; the scorer that judges such answers names it. Prompts are put together here, not by the
model, so that the rules of the format hold by construction: the placeholder is there, every label is named, a
bare answer is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from packs.task.prompt import PLACEHOLDER

_TYPES = {"text": "string", "number": "number", "yes or no": "boolean"}


class DraftingJob(Protocol):
    @property
    def name(self) -> str:
        """As the model is asked to choose it."""

    @property
    def explanation(self) -> str: ...

    def parameters_question(self) -> tuple[str, Mapping[str, object]]:
        """(what is asked, JSON schema of the answer) to find labels, fields and the like."""

    def parameters(self, answer: Mapping[str, Any]) -> tuple[dict[str, object] | None, str]:
        """(scorer params, '') or (None, what is wrong, for the next attempt)."""

    def prompt(self, purpose: str, params: Mapping[str, Any]) -> str: ...

    def turns(self, params: Mapping[str, Any]) -> Sequence[object]:
        """Examples are asked for in turns, one for each of these: a label, or None for all alike."""

    def example_question(self, params: Mapping[str, Any], turn: object) -> tuple[str, Mapping[str, object]]:
        """(what is asked, JSON schema of one example) for a turn."""

    def expected(self, entry: Mapping[str, Any], params: Mapping[str, Any], turn: object) -> object:
        """The expected value of a drafted entry. Raises ValueError or KeyError when it does not suit."""


class LabelsJob:
    name = "label"
    explanation = "sort each text into one of a few categories"

    def parameters_question(self) -> tuple[str, Mapping[str, object]]:
        entry = {"type": "string", "pattern": "^[a-z][a-z0-9 -]{1,24}$"}
        labels = {"type": "array", "items": entry, "minItems": 2, "maxItems": 8}
        return (
            "List the categories that the document names, two to eight, each one or two words.",
            _object({"labels": labels}),
        )

    def parameters(self, answer: Mapping[str, Any]) -> tuple[dict[str, object] | None, str]:
        labels = list(dict.fromkeys(slug(entry) for entry in _texts(answer.get("labels"))))
        labels = [label for label in labels if label]
        if len(labels) < 2:
            return None, "At least two different categories are needed."
        return {"labels": labels}, ""

    def prompt(self, purpose: str, params: Mapping[str, Any]) -> str:
        lines = "\n".join(f"- {label}" for label in params["labels"])
        return (
            f"{purpose}\n\nChoose the one label that fits the text. The labels are:\n{lines}\n\n"
            f"Answer with one label and nothing else.\n\nText:\n{PLACEHOLDER}\n\nLabel:\n"
        )

    def turns(self, params: Mapping[str, Any]) -> Sequence[object]:
        return tuple(params["labels"])

    def example_question(self, params: Mapping[str, Any], turn: object) -> tuple[str, Mapping[str, object]]:
        return (
            f"Write messages that belong to the category '{turn}', as real people would write them. "
            "Each is different. Do not name the category itself.",
            _object({"input": _input_schema()}),
        )

    def expected(self, entry: Mapping[str, Any], params: Mapping[str, Any], turn: object) -> object:
        return turn


class FieldsJob:
    name = "fields"
    explanation = "read a few facts out of each text"

    def parameters_question(self) -> tuple[str, Mapping[str, object]]:
        entry = _object(
            {
                "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{1,24}$"},
                "type": {"type": "string", "enum": list(_TYPES)},
            }
        )
        fields = {"type": "array", "items": entry, "minItems": 1, "maxItems": 6}
        return (
            "List the facts to read out of each text, one to six, with their type.",
            _object({"fields": fields}),
        )

    def parameters(self, answer: Mapping[str, Any]) -> tuple[dict[str, object] | None, str]:
        names = list(dict.fromkeys(field_name(name) for name, _ in _fields(answer)))
        names = [name for name in names if name]
        return ({"key_fields": names}, "") if names else (None, "At least one fact with a name is needed.")

    def prompt(self, purpose: str, params: Mapping[str, Any]) -> str:
        keys = ", ".join(f'"{name}"' for name in params["key_fields"])
        return (
            f"{purpose}\n\nRead these facts out of the text: {keys}.\n"
            "Answer with one JSON object that has just these keys, and nothing else. "
            f"Use null for a fact that the text does not hold.\n\nText:\n{PLACEHOLDER}\n\nJSON:\n"
        )

    def turns(self, params: Mapping[str, Any]) -> Sequence[object]:
        return (None,)

    def example_question(self, params: Mapping[str, Any], turn: object) -> tuple[str, Mapping[str, object]]:
        value = {"type": ["string", "number", "boolean"]}
        facts = _object(dict.fromkeys(params["key_fields"], value))
        return (
            "Write texts as they really arrive, each different, and the facts that each text holds.",
            _object({"input": _input_schema(), "facts": facts}),
        )

    def expected(self, entry: Mapping[str, Any], params: Mapping[str, Any], turn: object) -> object:
        facts = entry["facts"]
        if not isinstance(facts, dict):
            raise ValueError("no facts")
        return {name: facts[name] for name in params["key_fields"]}


class NumberJob:
    name = "number"
    explanation = "answer each text with one number"

    def parameters_question(self) -> tuple[str, Mapping[str, object]]:
        return (
            "How far may an answer be off and still be right? Use 0 when only the exact number is right.",
            _object({"tolerance": {"type": "number", "minimum": 0}}),
        )

    def parameters(self, answer: Mapping[str, Any]) -> tuple[dict[str, object] | None, str]:
        tolerance = answer.get("tolerance")
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1e12:
            return None, "The tolerance is a number of 0 or more."
        return {"tolerance": tolerance}, ""

    def prompt(self, purpose: str, params: Mapping[str, Any]) -> str:
        return f"{purpose}\n\nAnswer with one number and nothing else.\n\nText:\n{PLACEHOLDER}\n\nNumber:\n"

    def turns(self, params: Mapping[str, Any]) -> Sequence[object]:
        return (None,)

    def example_question(self, params: Mapping[str, Any], turn: object) -> tuple[str, Mapping[str, object]]:
        return (
            "Write texts as they really arrive, each different, and the number that answers each rightly.",
            _object({"input": _input_schema(), "answer": {"type": "number"}}),
        )

    def expected(self, entry: Mapping[str, Any], params: Mapping[str, Any], turn: object) -> object:
        answer = entry["answer"]
        if isinstance(answer, bool) or not isinstance(answer, int | float) or abs(answer) > 1e15:
            raise ValueError("not a number")
        return answer


class RequiredWordsJob:
    name = "words"
    explanation = "write a text that must hold certain words"

    def parameters_question(self) -> tuple[str, Mapping[str, object]]:
        entry = {"type": "string", "minLength": 2, "maxLength": 40}
        words = {"type": "array", "items": entry, "minItems": 1, "maxItems": 5}
        return (
            "List the words or phrases that every right answer must hold, one to five.",
            _object({"words": words}),
        )

    def parameters(self, answer: Mapping[str, Any]) -> tuple[dict[str, object] | None, str]:
        words = [word for word in dict.fromkeys(_texts(answer.get("words"))) if word.strip()]
        return ({"patterns": words}, "") if words else (None, "At least one word or phrase is needed.")

    def prompt(self, purpose: str, params: Mapping[str, Any]) -> str:
        words = ", ".join(f'"{word}"' for word in params["patterns"])
        return (
            f"{purpose}\n\nUse these words in the answer: {words}.\n\nText:\n{PLACEHOLDER}\n\n"
            "Answer with the text and nothing else:\n"
        )

    def turns(self, params: Mapping[str, Any]) -> Sequence[object]:
        return (None,)

    def example_question(self, params: Mapping[str, Any], turn: object) -> tuple[str, Mapping[str, object]]:
        return ("Write texts as they really arrive, each different.", _object({"input": _input_schema()}))

    def expected(self, entry: Mapping[str, Any], params: Mapping[str, Any], turn: object) -> object:
        return ""


class JsonShapeJob(FieldsJob):
    """Like fields, but only the form of the answer is checked."""

    name = "form"
    explanation = "turn each text into a JSON object of a given form"

    def parameters(self, answer: Mapping[str, Any]) -> tuple[dict[str, object] | None, str]:
        named = {field_name(name): kind for name, kind in _fields(answer) if field_name(name)}
        if not named:
            return None, "At least one fact with a name is needed."
        properties = {name: {"type": _TYPES.get(kind, "string")} for name, kind in named.items()}
        return {"schema": {"type": "object", "properties": properties, "required": list(properties)}}, ""

    def prompt(self, purpose: str, params: Mapping[str, Any]) -> str:
        return super().prompt(purpose, {"key_fields": list(params["schema"]["properties"])})

    def example_question(self, params: Mapping[str, Any], turn: object) -> tuple[str, Mapping[str, object]]:
        return ("Write texts as they really arrive, each different.", _object({"input": _input_schema()}))

    def expected(self, entry: Mapping[str, Any], params: Mapping[str, Any], turn: object) -> object:
        return {}


def slug(text: str) -> str:
    """A label in small letters with single blanks, as it can stand in a prompt and be answered."""
    return " ".join(re.sub(r"[^\w -]+", " ", text.casefold()).split()).strip("-_ ")[:40]


def field_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")[:40]


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _input_schema() -> dict[str, object]:
    return {"type": "string", "minLength": 12, "maxLength": 400}


def _texts(value: object) -> list[str]:
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def _fields(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    entries = answer.get("fields")
    if not isinstance(entries, list):
        return []
    return [
        (entry["name"], str(entry.get("type", "text")))
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    ]
