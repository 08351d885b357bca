"""The files of a new task pack, made from plain values. Nothing is written here."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packs.documents.yaml_text import yaml_block, yaml_scalar

if TYPE_CHECKING:
    from packs.task.model import Provenance

GENERATION: Mapping[str, int] = {
    "context": 4096,
    "max_tokens": 512,
    "temperature": 0,
    "seed": 42,
    "runs_per_example": 3,
}
"""Task-pack format, section 2.2: what new packs start with."""


@dataclass(frozen=True, slots=True)
class NewExample:
    """expected: any JSON value, in the shape that the scorer needs."""

    input: str
    expected: object


@dataclass(frozen=True, slots=True)
class NewPack:
    """gates: `{"scorer": …, "scorer_params": …}` each. comment: lines for the top of task.yaml, without `#`."""

    name: str
    type: str
    scorer: str
    scorer_params: Mapping[str, object]
    prompt: str
    examples: Sequence[NewExample]
    gates: Sequence[Mapping[str, object]] = ()
    generation: Mapping[str, object] | None = None
    provenance: Provenance | None = None
    comment: Sequence[str] = ()


def pack_files(pack: NewPack) -> dict[str, bytes]:
    """Path in the pack folder → content: `task.yaml`, `prompt.md` and `examples/001.json` and so on.

    Raises ValueError when a value cannot be JSON (NaN, infinities, other types).
    """
    files = {"task.yaml": manifest_text(pack).encode()}
    prompt = pack.prompt if pack.prompt.endswith("\n") else pack.prompt + "\n"
    files["prompt.md"] = prompt.encode()
    width = max(3, len(str(len(pack.examples))))
    for number, example in enumerate(pack.examples, start=1):
        files[f"examples/{number:0{width}d}.json"] = example_text(example).encode()
    return files


def example_text(example: NewExample) -> str:
    """One example file: two blanks a level, a final line end, only `input` and `expected`."""
    content = {"input": example.input, "expected": example.expected}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def manifest_text(pack: NewPack) -> str:
    """`task.yaml` with every field in the format's own order. Empty parameters are left out."""
    lines = [f"# {line}".rstrip() + "\n" for line in pack.comment]
    lines += [f"{key}: {yaml_scalar(value)}\n" for key, value in _head(pack)]
    if pack.scorer_params:
        lines += ["scorer_params:\n", yaml_block(pack.scorer_params, 2)]
    if pack.gates:
        lines += ["gates:\n", yaml_block(list(pack.gates), 2)]
    lines += ["generation:\n", yaml_block(pack.generation or GENERATION, 2)]
    lines += ["prompt_template: ./prompt.md\n", "examples_dir: ./examples\n"]
    if pack.provenance is not None:
        # A new pack is never reviewed: only a person's review says so.
        record = {**pack.provenance.as_json(), "reviewed": False}
        lines += ["provenance:\n", yaml_block(record, 2)]
    return "".join(lines)


def _head(pack: NewPack) -> list[tuple[str, str]]:
    return [("name", pack.name), ("type", pack.type), ("scorer", pack.scorer)]


def kebab(text: str) -> str:
    """A name for a pack or a folder: letters and digits of any script, joined by hyphens; may be empty.

    The public tool keeps only a–z and 0–9, which leaves nothing of names in other scripts.
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[^\w]+|_+", "-", folded).strip("-")
