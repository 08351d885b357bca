"""Extras, URLs and reply reading against qualification/requests.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.extras import RESERVED, effective_extras, refusal
from packs.qualification.replies import content_of, empty_content, finish_reason_of, usage_of
from packs.qualification.requests import chat_url, endpoint_host, models_url, tags_url
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_vectors import cases


def test_that_the_reserved_names_are_those_of_the_format() -> None:
    assert set((load("qualification/requests.json") or {}).get("reserved", RESERVED)) == RESERVED


@pytest.mark.parametrize("case", cases("requests.json", "extras", lambda c: repr(c["extras"])[:40]))
def test_that_extras_are_accepted_or_refused(case: dict[str, Any]) -> None:
    found = refusal(case["extras"])
    assert (found.reason if found else "accepted") == case["outcome"]


@pytest.mark.parametrize("case", cases("requests.json", "merge"))
def test_that_the_flag_is_laid_over_the_pack(case: dict[str, Any]) -> None:
    assert effective_extras(case["pack_request_extras"], case["extra_body"]) == case["effective"]


@pytest.mark.parametrize(
    "case", cases("requests.json", "urls", lambda c: f"{c['endpoint']}+{c['interface_path']}")
)
def test_that_urls_are_built_as_the_format_says(case: dict[str, Any]) -> None:
    assert chat_url(case["endpoint"], case["interface_path"]) == case["completions"]
    assert models_url(case["endpoint"]) == case["models"]
    assert tags_url(case["endpoint"]) == case["tags"]
    assert endpoint_host(case["endpoint"]) == case["host"]


@pytest.mark.parametrize("case", cases("requests.json", "responses"))
def test_that_a_reply_is_read_whatever_its_shape(case: dict[str, Any]) -> None:
    assert content_of(case["body"]) == case["content"]
    assert finish_reason_of(case["body"]) == case["finish_reason"]
    assert usage_of(case["body"]) == case["usage"]
    assert empty_content(case["body"]) is case["empty_content"]
