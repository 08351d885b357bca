"""A bundle is whole, the same every time, and safe to unpack anywhere."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from desktop.reports.bundle import output_paths, render_bundle, safe_name
from tests.fakes.reported_run import invoice_run, reported_run


def entries(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_that_the_same_run_gives_the_same_bytes() -> None:
    later = replace(reported_run(), created_at="2027-01-01T00:00:00Z")
    assert render_bundle(reported_run()) == render_bundle(later)


def test_that_the_entries_come_in_the_order_of_the_format() -> None:
    names = list(entries(render_bundle(reported_run())))
    outputs = [name for name in names if name.startswith("outputs/")]
    assert names[:2] == ["report.md", "run.json"]
    assert names[2 : 2 + len(outputs)] == outputs
    assert names[2 + len(outputs) :] == [
        "units.json",
        "scores.json",
        "scoring.json",
        "prompt.md",
        "inputs.json",
        "manifest.json",
    ]


def test_that_the_manifest_names_every_other_entry_with_its_hash() -> None:
    found = entries(render_bundle(reported_run()))
    hashes = json.loads(found.pop("manifest.json"))["sha256"]
    assert hashes == {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}


def test_that_inputs_and_prompt_stay_at_home_when_the_author_wants_so() -> None:
    found = entries(render_bundle(reported_run(), with_inputs=False))
    assert "inputs.json" not in found and "prompt.md" not in found


def test_that_every_answer_is_there_as_it_came() -> None:
    data = invoice_run()
    found = entries(render_bundle(data))
    paths = output_paths(data)
    for unit in data.units:
        assert unit.generation is not None
        path = paths[unit.candidate, unit.example, unit.repetition]
        assert found[path].decode() == unit.generation.text


def test_that_names_in_any_script_or_case_do_not_collide() -> None:
    data = reported_run()
    ids = {"001": "发票一", "002": "发票二", "003": "A/b", "004": "a:B", "005": "a b"}
    units = tuple(replace(unit, example=ids.get(unit.example, unit.example)) for unit in data.units)
    examples = tuple(replace(example, id=ids.get(example.id, example.id)) for example in data.examples)
    paths = output_paths(replace(data, units=units, examples=examples))
    assert len({path.casefold() for path in paths.values()}) == len(data.units)
    assert paths[0, "发票一", 1] == "outputs/gemma-3-1b/发票一-rep1.txt"


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..", "", "con", "a\u202eb", "x" * 300, "C:\\x", "\ud800", "nul.txt", "a\x00b"]
)
def test_that_no_name_leaves_its_folder_or_upsets_a_system(name: str) -> None:
    safe = safe_name(name)
    assert safe and len(safe) <= 81 and PurePosixPath(safe).name == safe
    assert not set(safe) & set('/\\:*?"<>|\x00') and safe.split(".")[0].lower() not in ("con", "nul")
    safe.encode()


def test_that_more_entries_than_an_old_zip_can_count_are_no_trouble() -> None:
    data = reported_run()
    one = data.units[0]
    many = tuple(replace(one, example=f"{number:05d}") for number in range(65_600))
    content = render_bundle(replace(data, units=many, examples=data.examples[:1]))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert len(archive.namelist()) == 65_600 + 8
