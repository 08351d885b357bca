"""A bundle proves itself, or the exact place that differs is named."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.application.run_tasks import load_work
from desktop.reports.bundle import render_bundle
from desktop.reports.from_bundle import report_of_bundle
from desktop.reports.gather import gather
from desktop.reports.json import json_bytes
from desktop.reports.renderers import standard_renderers
from desktop.reports.verify import verify_bundle
from desktop.reports.verify_whole import verify_whole
from desktop.runs.journal.reader import JournalReader
from packs.errors import AppError
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import Answer, FakeBackend
from tests.fakes.runs import Told, started


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """With right, wrong, cut and reasoning answers."""
    folder = tmp_path_factory.mktemp("bundle")
    work, _ = load_work(write_desk_pack(folder / "desk"))
    said = {
        1: "other",
        2: "**other**",
        3: Answer("<think>hm</think>billing"),
        4: Answer("The letter", finish_reason="length"),
        5: Answer("", reasoning="still thinking", finish_reason="length"),
    }
    backend = FakeBackend([desk_model(said=said)])
    end = asyncio.run(started(work, backend, folder / "runs.db", Told()))
    with JournalReader(folder / "runs.db") as reader:
        return render_bundle(gather(reader, end.run_id, created_at="2026-11-30T12:00:00Z"))


def changed(bundle: bytes, change: Callable[[dict[str, bytes]], None], target: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return target


def test_that_a_bundle_as_it_was_made_scores_the_same(bundle: bytes, tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(bundle)
    found = verify_bundle(path)
    assert found.good and found.answers == 6, found.differences


def test_that_one_changed_answer_is_found_twice_by_hash_and_by_score(bundle: bytes, tmp_path: Path) -> None:
    def better(entries: dict[str, bytes]) -> None:
        entries["outputs/quick/001-rep1.txt"] = b"delivery"

    found = verify_bundle(changed(bundle, better, tmp_path / "b.zip"))
    assert not found.good and {entry.place for entry in found.differences} == {"outputs/quick/001-rep1.txt"}
    assert found.count == 2


def test_that_a_changed_score_is_found_even_when_the_manifest_was_changed_with_it(
    bundle: bytes, tmp_path: Path
) -> None:
    def better(entries: dict[str, bytes]) -> None:
        import hashlib

        scores = json.loads(entries["scores.json"])
        scores[0].update(score=1.0, passed=True)
        entries["scores.json"] = json.dumps(scores).encode()
        manifest = json.loads(entries["manifest.json"])
        manifest["sha256"]["scores.json"] = hashlib.sha256(entries["scores.json"]).hexdigest()
        entries["manifest.json"] = json.dumps(manifest).encode()

    found = verify_bundle(changed(bundle, better, tmp_path / "b.zip"))
    assert [entry.place for entry in found.differences] == ["outputs/quick/001-rep1.txt"]
    assert "scored again" in found.differences[0].message


def test_that_files_more_or_fewer_than_listed_are_named(bundle: bytes, tmp_path: Path) -> None:
    def other(entries: dict[str, bytes]) -> None:
        entries["extra.txt"] = b"x"
        del entries["prompt.md"]

    places = {entry.place for entry in verify_bundle(changed(bundle, other, tmp_path / "b.zip")).differences}
    assert places == {"extra.txt", "prompt.md"}


def test_that_a_bundle_without_scoring_is_refused(bundle: bytes, tmp_path: Path) -> None:
    path = changed(bundle, lambda entries: entries.pop("scoring.json") and None, tmp_path / "b.zip")
    with pytest.raises(AppError, match="cannot be scored again"):
        verify_bundle(path)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 broken"])
def test_that_what_is_no_zip_is_told_in_words(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(content)
    with pytest.raises(AppError) as caught:
        verify_bundle(path)
    assert caught.value.fix


@pytest.mark.parametrize("name", ["scoring.json", "scores.json", "units.json", "manifest.json"])
@pytest.mark.parametrize("content", [b"{", b"[]", b"null", b"[" * 100_000, b'{"sha256": 3}', b'{"a": [1]}'])
def test_that_a_broken_part_never_breaks_the_program(
    bundle: bytes, tmp_path: Path, name: str, content: bytes
) -> None:
    path = changed(bundle, lambda entries: entries.update({name: content}), tmp_path / "b.zip")
    try:
        assert not verify_bundle(path).good
    except AppError as error:
        assert error.message


def test_that_a_bundle_shows_the_same_report_as_the_run_it_was_made_of(tmp_path: Path) -> None:
    work, _ = load_work(write_desk_pack(tmp_path / "desk"))
    said = {
        1: "other",
        2: "**other**",
        3: Answer("<think>hm</think>billing"),
        4: Answer("x", finish_reason="length"),
    }
    backend = FakeBackend([desk_model(said=said), desk_model("other one")])
    journal = tmp_path / "runs.db"
    end = asyncio.run(started(work, backend, journal, Told()))
    with JournalReader(journal) as reader:
        data = gather(reader, end.run_id, created_at="2026-11-30T12:00:00Z")
    path = tmp_path / "b.zip"
    path.write_bytes(render_bundle(data))
    again = report_of_bundle(path, created_at="2026-11-30T12:00:00Z")
    for renderer in standard_renderers():
        assert renderer.render(again) == renderer.render(data), renderer.name


def test_that_a_changed_bundle_says_so_in_its_report(bundle: bytes, tmp_path: Path) -> None:
    def worse(entries: dict[str, bytes]) -> None:
        entries["outputs/quick/001-rep1.txt"] = b"delivery"

    path = changed(bundle, worse, tmp_path / "b.zip")
    data = report_of_bundle(path, created_at="2026-11-30T12:00:00Z")
    assert data.notes[0].startswith("Not as it says")


@pytest.mark.parametrize("name", ["run.json", "units.json", "scoring.json", "inputs.json"])
@pytest.mark.parametrize(
    "content", [b"{}", b"[]", b"null", b"[1]", b'{"candidates": [1]}', b'[{"candidate": 9}]']
)
def test_that_a_broken_part_is_told_and_never_breaks_a_report(
    bundle: bytes, tmp_path: Path, name: str, content: bytes
) -> None:
    path = changed(bundle, lambda entries: entries.update({name: content}), tmp_path / "b.zip")
    try:
        assert report_of_bundle(path, created_at="2026-11-30T12:00:00Z").notes
    except AppError as error:
        assert error.message


def rehashed(entries: dict[str, bytes]) -> None:
    manifest = json.loads(entries["manifest.json"])
    manifest["sha256"] = {
        name: hashlib.sha256(content).hexdigest()
        for name, content in entries.items()
        if name != "manifest.json"
    }
    entries["manifest.json"] = json_bytes(manifest)


def test_that_what_was_written_is_written_anew_the_same(bundle: bytes, tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(bundle)
    assert verify_whole(path).differences == ()


@pytest.mark.parametrize("name", ["report.md", "run.json", "units.json", "scores.json"])
@pytest.mark.parametrize("how", ["emptied", "removed", "another"])
def test_that_every_entry_that_says_something_else_is_named_though_its_hash_fits(
    name: str, how: str, bundle: bytes, tmp_path: Path
) -> None:
    def forge(entries: dict[str, bytes]) -> None:
        if how == "removed":
            del entries[name]
        elif how == "emptied":
            entries[name] = b""
        else:
            entries[name] = entries[name].replace(b"desk", b"dusk").replace(b"1", b"2")
        rehashed(entries)

    try:
        found = verify_whole(changed(bundle, forge, tmp_path / "b.zip"))
    except AppError as refused:
        assert name in refused.message or "bundle" in refused.message
        return
    assert not found.good


def test_that_the_manifest_is_tied_to_the_run(bundle: bytes, tmp_path: Path) -> None:
    def forge(entries: dict[str, bytes]) -> None:
        manifest = json.loads(entries["manifest.json"])
        manifest["run"] = "another"
        entries["manifest.json"] = json_bytes(manifest)

    found = verify_whole(changed(bundle, forge, tmp_path / "b.zip"))
    assert [difference.place for difference in found.differences] == ["manifest.json"]
