"""Metrics against qualification/aggregates.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.aggregate import aggregate
from packs.qualification.pack import metric_from
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_vectors import cases


def rows_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    columns = load("qualification/aggregates.json")["row_columns"]
    rows = []
    for values in case["rows"]:
        row = dict(zip(columns, values, strict=True))
        row["evidence"] = {"not_scorable": True} if row.pop("unscorable") else {}
        rows.append(row)
    return rows


@pytest.mark.parametrize("case", cases("aggregates.json"))
def test_that_a_metric_is_counted_as_the_format_says(case: dict[str, Any]) -> None:
    metric = metric_from(case["metric"])
    result = aggregate(rows_of(case), metric, case["corpus"], case["repeat_runs"], case["subset_ids"])
    assert {
        "n": result.n,
        "events": result.events,
        "unscorable": result.unscorable,
        "point_estimate": result.point_estimate,
        "subset_estimates": list(result.subset_estimates),
        "variance": result.variance,
        "lower": result.lower,
        "upper": result.upper,
    } == case["output"]
