"""A sentence that asks for the kind of answer the scorer reads, and a length that is enough for it."""

from __future__ import annotations

from packs.documents.writer import text_bytes
from packs.task.content import Change, PackContent
from packs.task.model import MANIFEST
from packs.task.prompt import PLACEHOLDER
from packs.task.scorers.parts import Preset


def preset_for(content: PackContent) -> Preset | None:
    """The one that suits the pack's scorer; None where there is none or the manifest cannot be read."""
    scorer, params = content.scorer()
    return scorer.preset(params) if scorer is not None else None


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
