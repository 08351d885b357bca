"""A sentence that asks for the kind of answer the scorer reads, and a length that is enough for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packs.documents.writer import text_bytes
from packs.task.content import Change, PackContent, UnreadableContent
from packs.task.model import MANIFEST
from packs.task.prompt import PLACEHOLDER


@dataclass(frozen=True, slots=True)
class Preset:
    """words: on the button. sentence: for the prompt. max_tokens: enough for such an answer."""

    message: str
    sentence: str
    max_tokens: int


def preset_for(content: PackContent) -> Preset | None:
    """The one that suits the pack's scorer; None where there is none or the manifest cannot be read."""
    try:
        manifest = content.manifest()
    except UnreadableContent:
        return None
    given = manifest.get("scorer_params")
    params: Mapping[str, Any] = given if isinstance(given, dict) else {}
    match manifest.get("scorer"):
        case "exact-label":
            labels = _texts(params.get("labels"))
            named = (
                f" of these labels and nothing else: {', '.join(labels)}."
                if labels
                else " label and nothing else."
            )
            return Preset("Short label", f"Answer with one{named}", 16)
        case "field-f1":
            keys = ", ".join(f'"{key}"' for key in _texts(params.get("key_fields")))
            named = f" with these fields: {keys}." if keys else "."
            return Preset("JSON object", f"Answer with a JSON object and nothing else{named}", 256)
        case "json-schema":
            return Preset("JSON object", "Answer with a JSON object and nothing else.", 256)
        case "numeric-tolerance":
            return Preset("A number", "Answer with the number and nothing else, without a unit.", 24)
    return None


def use_preset(content: PackContent, preset: Preset) -> Change:
    """The sentence above the place for the input, and the length, as one step.

    Raises UnreadableContent, AppError.
    """
    file = content.prompt_file
    text = content.text(file) if file in content.files else ""
    if preset.sentence not in text:
        place = text.find(PLACEHOLDER)
        if place < 0:
            text = f"{text.rstrip()}\n\n{preset.sentence}\n\n{PLACEHOLDER}\n".lstrip()
        else:
            line = text.rfind("\n", 0, place) + 1
            text = f"{text[:line].rstrip()}\n{preset.sentence}\n\n{text[line:]}".lstrip("\n")
    files: dict[str, bytes | None] = {file: text_bytes(content.files.get(file), text)}
    files.update(content.put(MANIFEST, ("generation", "max_tokens"), preset.max_tokens).after)
    return content.put_files(files, f"use the preset {preset.message.lower()}")


def _texts(value: object) -> list[str]:
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
