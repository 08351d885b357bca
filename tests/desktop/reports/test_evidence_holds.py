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


LIES: dict[str, tuple[str, Callable[[Contents], None]]] = {
    "another report for people": (
        "report.html",
        lambda contents: contents.update({"report.html": b"<!doctype html><title>QUALIFIED</title>"}),
    ),
    "one word of the page": (
        "report.html",
        lambda contents: contents.update(
            {"report.html": contents["report.html"].replace(b"Decision", b"Approval")}
        ),
    ),
    "an empty report for programs": ("report.json", lambda contents: contents.update({"report.json": b"{}\n"})),
    "another status in the report": (
        "report.json",
        changed("report.json", lambda value: value.update(status="X")),
    ),
    "a sentence more in the report": (
        "report.json",
        changed("report.json", lambda value: value.update(more="X")),
    ),
    "another sentence of the decision": (
        "decision.json",
        changed("decision.json", lambda value: value.update(summary="All is well.")),
    ),
    "another intended use": (
        "pack_summary.json",
        changed("pack_summary.json", lambda value: value.update(intended_use="Everything.")),
    ),
    "another note on triggers": (
        "triggers.json",
        changed("triggers.json", lambda value: value.update(note="None.")),
    ),
    "another matrix": (
        "metrics.json",
        changed("metrics.json", lambda value: value["breakdown"].update(run_index=1)),
    ),
    "an example of a failure hidden": (
        "failures.json",
        changed("failures.json", lambda value: value["groups"][0]["examples"].clear()),
    ),
    "another coverage": ("coverage.json", changed("coverage.json", lambda value: value.update(more=1))),
    "another name of the pack": (
        "manifest.json",
        changed("manifest.json", lambda value: value.update(pack_id="x")),
    ),
}


@pytest.mark.parametrize(("name", "lie"), LIES.values(), ids=list(LIES))
def test_that_every_document_that_shows_something_else_is_named(
    name: str, lie: Callable[[Contents], None], bundle: Contents
) -> None:
    assert verify_contents(bundle).ok, verify_contents(bundle).findings
    contents = dict(bundle)
    lie(contents)
    contents["hashes.json"] = hashes_file(contents)
    found = verify_contents(contents)
    assert not found.ok
    assert any(finding.startswith(name) for finding in found.findings), found.findings


def test_that_a_page_of_another_version_is_held_to_the_facts_it_carries(bundle: Contents) -> None:
    contents = dict(bundle)
    older = json.loads(contents["manifest.json"])["runner"]
    for name in ("manifest.json", "report.json", "report.html"):
        contents[name] = contents[name].replace(older.encode(), b"packbench 0.0.9")
    contents["report.html"] = contents["report.html"].replace(b"</style>", b"p{margin:0}</style>")
    contents["hashes.json"] = hashes_file(contents)
    assert verify_contents(contents).ok, verify_contents(contents).findings
    status = json.loads(contents["decision.json"])["status"].encode()
    contents["report.html"] = contents["report.html"].replace(status, b"MAYBE")
    contents["hashes.json"] = hashes_file(contents)
    assert any(finding.startswith("report.html, status") for finding in verify_contents(contents).findings)
