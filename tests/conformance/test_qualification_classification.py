"""Class tables against qualification/classification.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.classification import Observation, breakdown, classification
from tests.fakes.qualification_vectors import cases


def observations(case: dict[str, Any]) -> list[Observation]:
    return [
        Observation(
            expected=case["references"][capture["case_id"]],
            actual=(capture["parsed"] or {}).get("label"),
            truncated=capture["finish_reason"] == "length",
            error=capture["error"] is not None,
        )
        for capture in case["captures"]
        if capture["run_index"] == 0
    ]


@pytest.mark.parametrize("case", cases("classification.json"))
def test_that_class_tables_count_as_the_format_says(case: dict[str, Any]) -> None:
    labels = case["labels"] or sorted(set(case["references"].values()))
    table = classification(observations(case), labels)
    assert table.pop("note")
    assert table == case["classification"]


@pytest.mark.parametrize("case", cases("classification.json"))
def test_that_the_second_matrix_leaves_missing_replies_out_of_recall(case: dict[str, Any]) -> None:
    assert breakdown(observations(case)) == case["breakdown_label"]
