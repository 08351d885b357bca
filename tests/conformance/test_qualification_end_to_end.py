"""Whole runs against qualification/end_to_end.json.

The vectors' tool takes secrets out of replies before scoring; ours does so only when asked (section 28, W5),
so the cases run with that option. How it differs without is in tests/desktop/runs/test_qualify_scoring.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.qualification_runs import read_json, read_lines, run_once
from tests.fakes.qualification_vectors import cases, overlaid


def settings_of(case: dict[str, Any]) -> dict[str, Any]:
    names = {"--concurrency": "concurrency", "--max-retries": "max_retries"}
    arguments = case["qualify_args"]
    return {names[arguments[at]]: int(arguments[at + 1]) for at in range(0, len(arguments), 2)}


def metric_of(entry: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "n", "events", "unscorable", "point_estimate", "subset_estimates", "variance")
    interval = entry["confidence_interval"]
    return {
        **{name: entry[name] for name in names},
        "lower": interval["lower"],
        "upper": interval["upper"],
    }


@pytest.mark.parametrize("case", cases("end_to_end.json"))
def test_that_a_whole_run_comes_out_as_the_format_says(case: dict[str, Any], tmp_path: Path) -> None:
    changes = {"concurrency": 1, **settings_of(case), "strict_scrubbing": True}
    result = run_once(overlaid(case, tmp_path), tmp_path / "out", case["replies"], **changes)
    decision = read_json(result.folder, "decision.json")
    manifest = read_json(result.folder, "manifest.json")
    metrics = read_json(result.folder, "metrics.json")
    rows = read_lines(result.folder, "results.jsonl")
    assert decision["status"] == case["status"]
    assert result.format_exit_code == case["exit_code"]
    assert [entry["condition"] for entry in decision["indeterminate_conditions"]] == case["conditions"]
    assert [[entry["metric"], entry["verdict"]] for entry in decision["requirements"]] == case["requirements"]
    assert decision["requirements_met"] == case["requirements_met"]
    assert decision["requirements_missed"] == case["requirements_missed"]
    assert {name: decision["critical_failures"][name] for name in case["critical"]} == case["critical"]
    assert decision["challenge_gate"] == case["challenge_gate"]
    assert manifest["decision"]["critical_failures"] == case["manifest_critical_failures"]
    assert manifest["complete"] is case["complete"]
    assert manifest["secret_exclusions"] == case["secret_exclusions"]
    assert manifest["decision"]["realised_coverage"] == case["realised_coverage"]
    assert metrics["variance_subset"] == case["variance_subset"]
    assert [metric_of(entry) for entry in metrics["qualification"]] == case["qualification_metrics"]
    assert [metric_of(entry) for entry in metrics["challenge"]] == case["challenge_metrics"]
    assert metrics["performance"]["truncated_cases"] == case["truncated_cases"]
    assert metrics["performance"]["empty_content_cases"] == case["empty_content_cases"]
    groups = read_json(result.folder, "failures.json")["groups"]
    assert [
        [
            group["corpus"],
            group["failure_type"],
            group["severity"],
            group["count"],
            [f"{example['case_id']}/{example['test_id']}" for example in group["examples"]],
        ]
        for group in groups
    ] == case["failure_groups"]
    judge = metrics.get("judge")
    assert (judge and {name: judge[name] for name in case["judge"]}) == case["judge"]
    assert [
        [
            row["run_index"],
            row["corpus"],
            row["case_id"],
            row["test_id"],
            int(row["passed"]),
            int(row["applicable"]),
            row["failure_type"],
            int(row["evidence"].get("not_scorable", False)),
        ]
        for row in rows
        if not (row["passed"] and row["applicable"])
    ] == case["results_not_plain_pass"]
    assert len(rows) == case["result_rows"]
