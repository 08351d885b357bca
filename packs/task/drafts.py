"""A drafting model's answer: checked, saved from ruin where possible, made into the files of a pack.

Task-pack format, section 12.4 to 12.6. Nothing in a draft can set provenance, review, gates or generation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packs.task.extract import extract_json
from packs.task.model import Provenance
from packs.task.new_pack import NewExample, NewPack, kebab
from packs.task.prompt import PLACEHOLDER
from packs.task.scorers import SCORERS
from packs.task.scorers.parts import DraftFault

FEWEST_EXAMPLES = 10
_STAND_IN_PROMPT = (
    "The drafted prompt could not be used. Write here what the model should do with the text below, and ask "
    f"for a bare answer.\n\n{PLACEHOLDER}\n"
)


@dataclass(frozen=True, slots=True)
class DraftedPack:
    """placeholder_prompt: the prompt was replaced by a stand-in that says so."""

    name: str
    type: str
    scorer: str
    scorer_params: Mapping[str, Any]
    prompt: str
    examples: tuple[NewExample, ...]
    placeholder_prompt: bool = False

    def new_pack(self, provenance: Provenance) -> NewPack:
        return NewPack(
            name=self.name,
            type=self.type,
            scorer=self.scorer,
            scorer_params=self.scorer_params,
            prompt=self.prompt,
            examples=self.examples,
            provenance=provenance,
            comment=(
                "Drafted by a model. A person must review every example before the results mean anything:",
                "the expected values are the model's, not yours.",
            ),
        )


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """draft: what can be written; None when there was no JSON object at all. faults: empty when accepted."""

    draft: DraftedPack | None
    faults: tuple[DraftFault, ...]

    @property
    def accepted(self) -> bool:
        return self.draft is not None and not self.faults


def check_draft(response: str) -> CheckedDraft:
    """Read a drafting model's raw answer. Never raises.

    With faults, `draft` is what was salvaged (section 12.5): broken parts replaced, examples never invented.
    """
    found = extract_json(response)
    if not found.ok:
        return CheckedDraft(None, (DraftFault("no_json", "The answer holds no JSON object."),))
    if not isinstance(found.value, dict):
        return CheckedDraft(None, (DraftFault("not_object", "The answer is JSON, but not an object."),))
    return check_draft_object(found.value)


def check_draft_object(raw: Mapping[str, Any]) -> CheckedDraft:
    """The checks of section 12.4 on an object that was built or read already. Never raises."""
    faults: list[DraftFault] = []
    name = _name(raw.get("name"), faults)
    kind = _type(raw.get("type"), faults)
    scorer = _scorer(raw.get("scorer"), faults)
    prompt = _prompt(raw.get("prompt"), faults)
    examples = _examples(raw.get("examples"), faults)
    params = raw.get("scorer_params")
    params = dict(params) if isinstance(params, Mapping) else {}
    if scorer is not None:
        faults += SCORERS[scorer].draft_faults(params, [entry.expected for entry in examples], prompt)
    salvaged = DraftedPack(
        name=name or "drafted-task",
        type=kind or "unknown",
        scorer=scorer or min(SCORERS.names),
        scorer_params=params,
        prompt=prompt or _STAND_IN_PROMPT,
        examples=tuple(examples),
        placeholder_prompt=prompt is None,
    )
    return CheckedDraft(salvaged, tuple(faults))


def _name(value: object, faults: list[DraftFault]) -> str | None:
    text = value if isinstance(value, str) else ""
    # The format keeps a–z and 0–9 alone; a name that has none of them is kept in its own script instead.
    name = re.sub("[^a-z0-9]+", "-", text.lower()).strip("-") or kebab(text)
    if not name:
        faults.append(DraftFault("name", "'name' must be a short text with letters or digits."))
    return name or None


def _type(value: object, faults: list[DraftFault]) -> str | None:
    if isinstance(value, str) and value.strip():
        return value.strip()
    faults.append(DraftFault("type", "'type' must be one word."))
    return None


def _scorer(value: object, faults: list[DraftFault]) -> str | None:
    if isinstance(value, str) and value in SCORERS:
        return value
    faults.append(DraftFault("scorer", f"'scorer' must be one of: {', '.join(SCORERS.names)}."))
    return None


def _prompt(value: object, faults: list[DraftFault]) -> str | None:
    if isinstance(value, str) and PLACEHOLDER in value:
        return value
    faults.append(DraftFault("prompt", f"'prompt' must be a text with {PLACEHOLDER} in it."))
    return None


def _examples(value: object, faults: list[DraftFault]) -> list[NewExample]:
    if not isinstance(value, list):
        faults.append(DraftFault("examples", "'examples' must be a list."))
        return []
    examples: dict[str, NewExample] = {}
    for position, entry in enumerate(value):
        where = f"examples[{position}]"
        if not isinstance(entry, Mapping):
            faults.append(DraftFault("example_not_object", f"{where} must be an object.", {"index": position}))
        elif not isinstance(entry.get("input"), str) or not entry["input"].strip():
            faults.append(DraftFault("example_input", f"{where} needs a text 'input'.", {"index": position}))
        elif "expected" not in entry:
            faults.append(DraftFault("example_expected", f"{where} needs 'expected'.", {"index": position}))
        else:
            examples.setdefault(entry["input"], NewExample(entry["input"], entry["expected"]))
    if len(examples) < FEWEST_EXAMPLES:
        count = len(examples)
        message = f"There are {count} different examples; at least {FEWEST_EXAMPLES} are needed."
        faults.append(DraftFault("too_few", message, {"found": count}))
    return list(examples.values())
