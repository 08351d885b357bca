"""Metrics over result rows: qualification-pack format, section 11. Cases: qualification/aggregates.json."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.pack import MetricSpec
from packs.qualification.rows import is_unscorable
from packs.statistics.wilson import wilson_interval

PLACES = 6
LEVEL = 0.95

Row = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One metric on one corpus. Rates and bounds are proportions rounded to six decimals; None without rows."""

    n: int
    events: int
    unscorable: int
    point_estimate: float | None
    lower: float | None
    upper: float | None
    subset_estimates: tuple[float | None, ...]
    variance: float


def rounded(value: float) -> float:
    return round(value, PLACES)


def rows_by_test(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(str(row["test_id"]), []).append(row)
    return found


def _counts(rows: Iterable[Row], metric: MetricSpec) -> tuple[int, int, int]:
    """(n, events, unscorable) of the rows in the metric's population."""
    n = events = left_out = 0
    wanted = metric.aggregation == "pass_rate"
    for row in rows:
        if is_unscorable(row):
            left_out += 1
        elif row["applicable"] or metric.population == "all":
            n += 1
            events += bool(row["passed"]) is wanted
    return n, events, left_out


def aggregate(
    rows: Iterable[Row], metric: MetricSpec, corpus: str, repeat_runs: int, subset: Collection[str]
) -> Aggregate:
    """The metric over its test's rows; `rows` may hold other tests' rows as well."""
    mine = [row for row in rows if row["test_id"] == metric.test and row["corpus"] == corpus]
    n, events, left_out = _counts((row for row in mine if row["run_index"] == 0), metric)
    chosen = set(subset)
    estimates: list[float | None] = []
    for run_index in range(repeat_runs):
        here = (row for row in mine if row["run_index"] == run_index and row["case_id"] in chosen)
        subset_n, subset_events, _ = _counts(here, metric)
        estimates.append(rounded(subset_events / subset_n) if subset_n else None)
    known = [estimate for estimate in estimates if estimate is not None]
    interval = wilson_interval(events, n) if n else None
    return Aggregate(
        n=n,
        events=events,
        unscorable=left_out,
        point_estimate=rounded(events / n) if n else None,
        lower=rounded(interval.lower) if interval else None,
        upper=rounded(interval.upper) if interval else None,
        subset_estimates=tuple(estimates),
        variance=rounded(statistics.variance(known)) if len(known) > 1 else 0.0,
    )


def metric_record(metric: MetricSpec, corpus: str, result: Aggregate) -> dict[str, JsonValue]:
    """The entry of `metrics.json`."""
    return {
        "id": metric.id,
        "definition": metric.definition,
        "test": metric.test,
        "aggregation": metric.aggregation,
        "population": metric.population,
        "minimum_sample_size": metric.minimum_sample_size,
        "corpus": corpus,
        "n": result.n,
        "events": result.events,
        "unscorable": result.unscorable,
        "point_estimate": result.point_estimate,
        "confidence_interval": {
            "level": LEVEL,
            "method": "wilson",
            "lower": result.lower,
            "upper": result.upper,
        },
        "subset_estimates": list(result.subset_estimates),
        "variance": result.variance,
    }


def all_metrics(
    rows: Sequence[Row], metrics: Sequence[MetricSpec], repeat_runs: int, subset: Collection[str]
) -> dict[str, list[dict[str, JsonValue]]]:
    """`qualification` and `challenge` entries in the pack's order. Challenge uses run 0 and no subset."""
    grouped = rows_by_test(rows)

    def entries(corpus: str, runs: int, chosen: Collection[str]) -> list[dict[str, JsonValue]]:
        return [
            metric_record(metric, corpus, aggregate(grouped.get(metric.test, ()), metric, corpus, runs, chosen))
            for metric in metrics
        ]

    return {
        "qualification": entries("qualification", repeat_runs, subset),
        "challenge": entries("challenge", 1, ()),
    }
