"""Faults in a bundle against qualification/verify_faults.json.

The vectors tell each fault in words only, so every one is made here by hand; faults that show in a list (a file
missing, changed, unexpected, unlisted) are made from the list.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from packs.documents.jsonlines import document
from packs.qualification.bundle import HASHED, hashes_file
from packs.qualification.integrity import check_integrity
from packs.qualification.signing import new_keys, signature_file
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_runs import run_once
from tests.fakes.qualification_vectors import overlaid

Contents = dict[str, bytes]
OWN, OTHER = new_keys(b"\x01" * 32), new_keys(b"\x02" * 32)


def edit(name: str, change: Callable[[Any], Any], *, rehash: bool = True) -> Callable[[Contents], None]:
    """Change a document; `change` edits in place, or returns what takes its place."""

    def apply(contents: Contents) -> None:
        value = json.loads(contents[name])
        replaced = change(value)
        contents[name] = document(value if replaced is None else replaced)
        if rehash and name in HASHED:
            contents["hashes.json"] = hashes_file(contents)

    return apply


def put(name: str, content: bytes) -> Callable[[Contents], None]:
    def apply(contents: Contents) -> None:
        contents[name] = content

    return apply


def together(*faults: Callable[[Contents], None]) -> Callable[[Contents], None]:
    def apply(contents: Contents) -> None:
        for fault in faults:
            fault(contents)

    return apply


def nothing(contents: Contents) -> None:
    """Untouched."""


def edit_result(contents: Contents) -> None:
    contents["results.jsonl"] = contents["results.jsonl"].replace(b'"passed":true', b'"passed":false', 1)
    contents["hashes.json"] = hashes_file(contents)


def reformat_hashes(contents: Contents) -> None:
    contents["hashes.json"] = json.dumps(json.loads(contents["hashes.json"])).encode()


def other_signature(contents: Contents) -> None:
    contents["signature.json"] = signature_file(OTHER, contents["hashes.json"])


def statuses(word: str) -> Callable[[Contents], None]:
    return together(
        edit("manifest.json", lambda value: value["decision"].update(status=word)),
        edit("decision.json", lambda value: value.update(status=word)),
    )


FAULTS: dict[str, Callable[[Contents], None]] = {
    "untouched, unsigned": nothing,
    "untouched, signed": nothing,
    "untouched, signed, key supplied": nothing,
    "untouched, key supplied": nothing,
    "untouched, signature required": nothing,
    "untouched, signed, signature required": nothing,
    "hashes.json removed": lambda contents: contents.pop("hashes.json") and None,
    "hashes.json not JSON": put("hashes.json", b"{"),
    "hashes.json is a list": put("hashes.json", b"[]\n"),
    "digest without prefix": edit(
        "hashes.json",
        lambda value: value["files"].update(
            {"results.jsonl": value["files"]["results.jsonl"].removeprefix("sha256:")}
        ),
    ),
    "unknown entry": edit("hashes.json", lambda value: value["files"].update({"x.txt": "sha256:" + "0" * 64})),
    "hashes.json reformatted, signed: fails": reformat_hashes,
    "result edited and rehashed, unsigned: passes": edit_result,
    "result edited and rehashed, signed: fails": edit_result,
    "both statuses edited and rehashed, unsigned: passes": statuses("NOT_QUALIFIED"),
    "status word unknown": statuses("MAYBE"),
    "valid_until edited": edit("decision.json", lambda value: value.update(valid_until="for ever")),
    "fingerprint made ambiguous and rehashed": edit(
        "fingerprint.json", lambda value: value["model"].pop("quantization") and None
    ),
    "signature.json not JSON": put("signature.json", b"{"),
    "signature.json with an extra key": edit("signature.json", lambda value: value.update(note="x")),
    "signature version 2": edit("signature.json", lambda value: value.update(version=2)),
    "signature payload name changed": edit("signature.json", lambda value: value.update(payload="x.json")),
    "signature payload hash changed": edit(
        "signature.json", lambda value: value.update(payload_sha256="sha256:" + "0" * 64)
    ),
    "signature by another key, no key supplied: accepted as embedded": other_signature,
    "signature by another key, key supplied": other_signature,
}


def listed_fault(case: dict[str, Any]) -> Callable[[Contents], None] | None:
    """A fault that the expected lists describe completely."""
    if case["error_count"] or not any(case[name] for name in ("missing", "modified", "unexpected")):
        return None

    def apply(contents: Contents) -> None:
        for name in case["missing"]:
            del contents[name]
        for name in case["unexpected"]:
            contents[name] = b"x\n"
        for name in case["modified"]:
            contents[name] += b"\n"

    return apply


def known_cases() -> list[Any]:
    listed = (load("qualification/verify_faults.json") or {}).get("cases", [])
    return [
        pytest.param(case, fault, id=case["note"])
        for case in listed
        if (fault := FAULTS.get(case["note"]) or listed_fault(case)) is not None
    ]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    root = tmp_path_factory.mktemp("bundle")
    folder = run_once(overlaid({"base": "base_pack"}, root), root / "out").folder
    return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


@pytest.mark.parametrize(("case", "fault"), known_cases())
def test_that_a_fault_is_found_where_the_format_finds_it(
    case: dict[str, Any], fault: Callable[[Contents], None], bundle: Contents
) -> None:
    contents = dict(bundle)
    if case["signed_before_fault"]:
        contents["signature.json"] = signature_file(OWN, contents["hashes.json"])
    fault(contents)
    supplied = OWN.public if case["public_key_supplied"] else None
    result = check_integrity(contents, supplied, require_signature=case["require_signature"])
    assert list(result.missing) == case["missing"]
    assert list(result.absent) == case["absent_from_manifest"]
    assert list(result.modified) == case["modified"]
    assert list(result.unexpected) == case["unexpected"]
    assert len(result.errors) == case["error_count"]
    assert result.signature.status == case["signature_status"]
    assert result.ok_by_format is case["ok"]
