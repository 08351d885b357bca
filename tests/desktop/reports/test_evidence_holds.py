"""Whatever hinders scoring a bundle again is a finding, wherever a bundle is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.application.evidence.keys import make_key, sign_bundle
from desktop.application.evidence.look import look_into
from desktop.reports.qualification.bundle_folder import verify_contents, verify_folder
from packs.documents.jsonlines import document
from packs.errors import AppError
from packs.qualification.bundle import hashes_file
from tests.fakes.qualification_runs import run_once
from tests.fakes.qualification_vectors import overlaid

Contents = dict[str, bytes]
MISS = {"MQ-0001": {"content": '{"label": "fuel", "behaviour": "classify"}'}}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    root = tmp_path_factory.mktemp("evidence")
    folder = run_once(overlaid({"base": "base_pack"}, root), root / "out", MISS).folder
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def changed(name: str, change: Callable[[Any], None]) -> Callable[[Contents], None]:
    def apply(contents: Contents) -> None:
        value = json.loads(contents[name])
        change(value)
        contents[name] = document(value)

    return apply


def appended(name: str, content: bytes) -> Callable[[Contents], None]:
    def apply(contents: Contents) -> None:
        contents[name] += content

    return apply


HINDRANCES: dict[str, Callable[[Contents], None]] = {
    **{
        f"garbage behind {name}": appended(name, b"\xff")
        for name in ("inputs.jsonl", "outputs.jsonl", "results.jsonl", "metrics.json", "failures.json")
    },
    "brackets without end": appended("outputs.jsonl", b"[" * 100_000),
    "a line that is no object": appended("outputs.jsonl", b"[]\n"),
    "a number beyond all bounds": lambda contents: contents.update(
        {
            "metrics.json": contents["metrics.json"].replace(
                b'"repeat_runs":', b'"max_metric_variance":1e999,"x":'
            )
        }
    ),
    "the pack's source of another shape": changed("pack_summary.json", lambda value: value.update(source=[])),
    "no source of the pack": changed("pack_summary.json", lambda value: value.pop("source") and None),
    "no metrics": changed("metrics.json", lambda value: value.clear()),
    "rows without evidence": lambda contents: contents.update({"results.jsonl": b"{}\n"}),
}


def forged(bundle: Contents, hindrance: Callable[[Contents], None]) -> Contents:
    """Another decision, something that hinders scoring again, and hashes that fit."""
    contents = dict(bundle)
    for name, path in (("decision.json", ()), ("manifest.json", ("decision",))):
        value = json.loads(contents[name])
        place = value
        for step in path:
            place = place[step]
        place["status"] = "QUALIFIED"
        contents[name] = document(value)
    hindrance(contents)
    contents["hashes.json"] = hashes_file(contents)
    return contents


def written(contents: Contents, folder: Path) -> Path:
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("hindrance", HINDRANCES.values(), ids=list(HINDRANCES))
def test_that_what_hinders_scoring_again_is_found_and_never_signed(
    hindrance: Callable[[Contents], None], bundle: Contents, tmp_path: Path
) -> None:
    contents = forged(bundle, hindrance)
    found = verify_contents(contents)
    assert not found.ok
    assert found.hindrance or (found.rescore is not None and found.rescore.differences)
    folder = written(contents, tmp_path / "run")
    assert not verify_folder(folder).ok
    assert not look_into(folder).untouched
    make_key(tmp_path / "k.key", None)
    with pytest.raises(AppError):
        sign_bundle(folder, tmp_path / "k.key", lambda: None)
    assert not (folder / "signature.json").exists()
