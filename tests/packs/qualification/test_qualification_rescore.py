"""Scoring a bundle again: the same numbers when untouched, the exact place when not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from packs.documents.jsonlines import document, lines
from packs.qualification.bundle import HASHED, hashes_file, parse_parts
from packs.qualification.integrity import check_integrity
from packs.qualification.loader import require_pack
from packs.qualification.rescore import Rescore, rescore
from tests.fakes.qualification_runs import run_once
from tests.fakes.qualification_vectors import overlaid

Contents = dict[str, bytes]
MISS = {"MQ-0001": {"content": '{"label": "fuel", "behaviour": "classify"}'}}


def bundle_of(root: Path, base: str = "base_pack", **changes: Any) -> Contents:
    replies = changes.pop("replies", MISS)
    folder = run_once(overlaid({"base": base}, root), root / "out", replies, **changes).folder
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def again(contents: Contents, pack: Path | None = None) -> Rescore:
    failures = json.loads(contents["failures.json"])
    return rescore(parse_parts(contents), failures, require_pack(pack) if pack else None)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    return bundle_of(tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize("base", ["base_pack", "base_pack_judge"])
def test_that_an_untouched_bundle_scores_to_the_same_numbers(base: str, tmp_path: Path) -> None:
    result = again(bundle_of(tmp_path, base))
    assert [str(difference) for difference in result.differences] == []
    assert result.depth == "replies"
    assert result.left_out == 0


def test_that_failed_and_cut_replies_score_to_the_same_numbers(tmp_path: Path) -> None:
    replies = {"MQ-0003": {"status": 400}, "MQ-0004": {"content": '{"lab', "finish_reason": "length"}}
    assert again(bundle_of(tmp_path, "base_pack_judge", replies=replies)).same


def edit_json(name: str, change: Callable[[Any], None]) -> Callable[[Contents], None]:
    def apply(contents: Contents) -> None:
        value = json.loads(contents[name])
        change(value)
        contents[name] = document(value)

    return apply


def edit_line(name: str, number: int, change: Callable[[Any], None]) -> Callable[[Contents], None]:
    def apply(contents: Contents) -> None:
        values = [json.loads(line) for line in contents[name].split(b"\n") if line]
        change(values[number])
        contents[name] = lines(values)

    return apply


def drop_case(contents: Contents) -> None:
    """Remove the failing case from every file, as if it had never been asked."""
    for name in ("inputs.jsonl", "outputs.jsonl", "results.jsonl"):
        values = [json.loads(line) for line in contents[name].split(b"\n") if line]
        contents[name] = lines([value for value in values if value["case_id"] != "MQ-0001"])


EDITS: dict[str, tuple[str, Callable[[Contents], None]]] = {
    "a result turned into a pass": (
        "results.jsonl",
        edit_line("results.jsonl", 20, lambda row: row.update(passed=not row["passed"])),
    ),
    "an estimate": (
        "metrics.json",
        edit_json("metrics.json", lambda value: value["qualification"][0].update(point_estimate=0.5)),
    ),
    "the status": ("decision.json", edit_json("decision.json", lambda value: value.update(status="QUALIFIED"))),
    "the manifest's counts": (
        "manifest.json",
        edit_json("manifest.json", lambda value: value["decision"].update(requirements_met=9)),
    ),
    "coverage": ("coverage.json", edit_json("coverage.json", lambda value: value.update(realised=0.1))),
    "the failures": ("failures.json", edit_json("failures.json", lambda value: value.update(groups=[]))),
    "a reply": (
        "results.jsonl",
        edit_line(
            "outputs.jsonl",
            7,
            lambda row: row["body"]["choices"][0]["message"].update(content='{"label": "x", "behaviour": "y"}'),
        ),
    ),
    "what was asked": (
        "inputs.jsonl",
        edit_line("inputs.jsonl", 7, lambda row: row["body"]["messages"][-1].update(content="easier")),
    ),
    "a case left out": ("inputs.jsonl", drop_case),
    "a threshold of the pack": (
        "manifest.json",
        edit_json(
            "pack_summary.json",
            lambda value: value["source"]["documents"]["thresholds"]["thresholds"][0].update(threshold=0.1),
        ),
    ),
}


@pytest.mark.parametrize(("file", "edit"), EDITS.values(), ids=EDITS)
def test_that_an_edit_with_new_digests_is_named_by_file(
    file: str, edit: Callable[[Contents], None], plain: Contents
) -> None:
    """W33: the public tool passes an unsigned bundle whose results and digests were edited together."""
    contents = dict(plain)
    edit(contents)
    contents["hashes.json"] = hashes_file(contents)
    assert check_integrity(contents).ok_by_format or file in ("decision.json", "manifest.json")
    assert file in {difference.file for difference in again(contents).differences}


def test_that_a_bundle_without_its_pack_is_scored_from_its_rows(plain: Contents, tmp_path: Path) -> None:
    """As one written by the public tool; with the pack at hand the replies are scored as well."""
    contents = dict(plain)
    edit_json("pack_summary.json", lambda value: value.pop("source"))(contents)
    edit_json("manifest.json", lambda value: value.pop("scoring"))(contents)
    result = again(contents)
    assert result.depth == "results"
    assert result.same
    with_pack = again(contents, overlaid({"base": "base_pack"}, tmp_path))
    assert with_pack.depth == "replies"
    assert with_pack.same


def test_that_another_pack_is_not_taken_for_the_one_that_was_run(plain: Contents, tmp_path: Path) -> None:
    other = overlaid({"base": "base_pack_judge"}, tmp_path)
    assert not again(plain, other).same


def test_that_replies_with_secrets_are_taken_as_recorded(tmp_path: Path) -> None:
    content = '{"label": "mooring", "behaviour": "classify", "why": "asked about password: reset"}'
    contents = bundle_of(tmp_path, replies={"MQ-0001": {"content": content}})
    assert b"password: reset" not in b"".join(contents.values())
    result = again(contents)
    assert result.left_out == 1
    assert result.same


@pytest.mark.parametrize("signed", [False, True], ids=["unsigned", "signed"])
def test_that_one_changed_byte_in_any_file_is_found(signed: bool, plain: Contents) -> None:
    from packs.qualification.signing import new_keys, signature_file

    contents = dict(plain)
    if signed:
        contents["signature.json"] = signature_file(new_keys(b"\x07" * 32), contents["hashes.json"])
    assert check_integrity(contents).ok
    for name in (*HASHED, "hashes.json", *(["signature.json"] if signed else [])):
        content = contents[name]
        step = 1 if name in ("hashes.json", "signature.json") else max(1, len(content) // 40)
        for at in range(0, len(content), step):
            changed = bytearray(content)
            changed[at] ^= 0x01 if content[at] not in b"\n " else 0x2B
            found = check_integrity({**contents, name: bytes(changed)})
            assert not found.ok, f"{name}, byte {at}"
