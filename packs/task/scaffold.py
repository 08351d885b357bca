"""A new pack to fill in, for each scorer (task-pack format, section 11).

Every text says what to edit. The two examples are stand-ins that fail validation on purpose until real ones
exist.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from packs.documents.atomic import write_atomically
from packs.documents.yaml_text import yaml_scalar
from packs.errors import AppError
from packs.registry import UnknownName
from packs.task.model import MANIFEST
from packs.task.scorers import DEFAULT_SCORER, SCORERS
from packs.task.scorers.parts import Scaffold

DEFAULT_NAME = "my-task"
DEFAULT_TYPE = DEFAULT_SCORER.scaffold.type


def scaffold_files(name: str, kind: str = DEFAULT_TYPE, scorer: str = DEFAULT_SCORER.name) -> dict[str, bytes]:
    """Path to content of a pack to fill in.

    kind: the manifest's `type`. Raises AppError for an unknown scorer.
    """
    if scorer not in SCORERS:
        raise AppError(str(UnknownName("scorer", scorer, SCORERS.names)), code="unknown_scorer")
    template = SCORERS[scorer].scaffold
    files = {MANIFEST: _manifest(name, kind, scorer, template), "prompt.md": template.prompt}
    if template.schema is not None:
        files["schema.json"] = json.dumps(template.schema, indent=2) + "\n"
    for number in (1, 2):
        example = {
            "replace_me": "Write a real input and its expected value, then remove this line.",
            "input": f"Replace me: input number {number}.",
            "expected": template.expected,
        }
        files[f"examples/{number:03}-replace-me.json"] = json.dumps(example, indent=2) + "\n"
    return {path: text.encode() for path, text in files.items()}


@dataclass(frozen=True, slots=True)
class Scaffolded:
    """written, kept: paths in the pack; kept ones were there already and are untouched."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


def write_scaffold(
    folder: Path,
    name: str | None = None,
    kind: str = DEFAULT_TYPE,
    scorer: str = DEFAULT_SCORER.name,
) -> Scaffolded:
    """Make a pack in `folder`, which is made when absent. No existing file is ever touched.

    name: the folder's name when None. Raises AppError: `exists` when there is a task.yaml already,
    `unknown_scorer`, `not_writable`.
    """
    files = scaffold_files(name or folder.resolve().name or DEFAULT_NAME, kind, scorer)
    if (folder / MANIFEST).exists():
        raise AppError(
            f"There is a pack in '{folder}' already.",
            "Choose another folder, or open this pack.",
            code="exists",
        )
    written, kept = [], []
    try:
        for path, content in files.items():
            target = folder / path
            if target.exists() or target.is_symlink():
                kept.append(path)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, content)
            written.append(path)
    except OSError as error:
        raise AppError(
            f"'{folder}' cannot be written: {error.strerror or error}.",
            "Choose another folder.",
            code="not_writable",
        ) from None
    return Scaffolded(tuple(written), tuple(kept))


def _manifest(name: str, kind: str, scorer: str, template: Scaffold) -> str:
    return f"""\
# A task pack. Lines that begin with # are notes for you; remove them when you like.
name: {yaml_scalar(name)}
type: {yaml_scalar(kind)}      # any word you like: extraction, classification, ...

# How an answer is scored.
scorer: {scorer}
{template.params}
generation:
  context: 4096         # tokens for prompt and answer together
  max_tokens: 512       # the most tokens one answer may have
  temperature: 0        # 0: the same answer each time
  seed: 42
  runs_per_example: 3   # how often each example is run

# What the model is asked; {{{{input}}}} in it stands for the example.
prompt_template: ./prompt.md

# One file for each example, 20 to 50 of them. Two stand-ins are there: replace them.
examples_dir: ./examples
"""
