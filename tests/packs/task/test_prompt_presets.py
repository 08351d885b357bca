"""Presets of the prompt: the right sentence for the scorer, once, above the input, as one step."""

from __future__ import annotations

import pytest

from packs.task.content import PackContent
from packs.task.loader import load_pack_from_files
from packs.task.prompt_presets import preset_for, use_preset
from tests.fakes.faults import FIELDS, MANIFEST, SCHEMA, Fault, Lead, pack_files, scorer


def content(manifest: str, prompt: str = "Sort the letter.\n\nLetter:\n{{input}}\n") -> PackContent:
    return PackContent(pack_files(Fault(Lead("", ""), {"prompt.md": prompt}, manifest)))


@pytest.mark.parametrize(
    ("manifest", "message", "part"),
    [
        (MANIFEST, "Short label", "billing, delivery, returns."),
        (FIELDS, "JSON object", '"a", "b"'),
        (SCHEMA, "JSON object", "JSON object"),
        (scorer("numeric-tolerance", "  tolerance: 1"), "A number", "the number"),
    ],
)
def test_that_the_sentence_suits_the_scorer(manifest: str, message: str, part: str) -> None:
    preset = preset_for(content(manifest))
    assert preset is not None
    assert preset.message == message
    assert part in preset.sentence


def test_that_there_is_none_where_none_suits() -> None:
    assert preset_for(content(scorer("pattern", "  patterns: [a]"))) is None
    assert preset_for(PackContent({"task.yaml": b"]: x"})) is None


@pytest.mark.parametrize("prompt", ["Sort the letter.\n\nLetter:\n{{input}}\n", "{{input}}", "Sort it.", ""])
def test_that_it_stands_above_the_input_once_and_can_be_taken_back(prompt: str) -> None:
    pack = content(MANIFEST, prompt)
    preset = preset_for(pack)
    assert preset is not None
    before = dict(pack.files)
    change = use_preset(pack, preset)
    pack.apply(change)
    text = pack.text("prompt.md")
    assert text.index(preset.sentence) < text.index("{{input}}")
    assert pack.value("task.yaml", ("generation", "max_tokens")) == 16
    assert use_preset(pack, preset).is_nothing
    assert not [
        problem for problem in load_pack_from_files(pack.files).problems if problem.code == "no_placeholder"
    ]
    pack.revert(change)
    assert dict(pack.files) == before
