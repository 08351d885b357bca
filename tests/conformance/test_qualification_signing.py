"""Keys and signatures against qualification/signing.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packs.canonical import digest
from packs.qualification.signing import (
    new_keys,
    private_file,
    public_file,
    read_private,
    read_public,
    sign,
    signature_holds,
)
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_vectors import cases

DATA: dict[str, Any] = load("qualification/signing.json") or {}


@pytest.mark.parametrize("data", [DATA] if DATA else [], ids=["keys"])
def test_that_keys_and_signature_come_from_the_seed(data: dict[str, Any]) -> None:
    keys = new_keys(bytes.fromhex(data["seed_hex"]))
    payload = data["payload_utf8"].encode()
    assert keys.public.hex() == data["public_key_hex"]
    assert sign(keys.seed, payload).hex() == data["signature_hex"]
    assert digest(payload) == data["payload_sha256"]
    assert json.loads(private_file(keys)) == data["private_file"]
    assert json.loads(public_file(keys)) == data["public_file"]
    assert read_private(json.dumps(data["private_file"]).encode()) == keys
    assert read_public(json.dumps(data["public_file"]).encode()) == keys.public


@pytest.mark.parametrize("case", cases("signing.json", "checks"))
def test_that_a_signature_is_accepted_or_refused(case: dict[str, Any]) -> None:
    key, signature = bytes.fromhex(case["public_key_hex"]), bytes.fromhex(case["signature_hex"])
    assert signature_holds(key, signature, case["payload_utf8"].encode()) is case["valid"]
