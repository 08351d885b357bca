"""The size/quality plot stays readable and honest."""

from __future__ import annotations

import re
from dataclasses import replace

from desktop.reports.data import CandidateView
from desktop.reports.plot import MAX_NAMES, axis_base, can_plot, size_quality_plot
from packs.statistics.wilson import wilson_interval
from tests.fakes.reported_run import reported_run


def views(*right: int) -> list[CandidateView]:
    """One model for each count of right answers of 30, each larger than the one before."""
    base = reported_run().candidates[0]
    return [
        replace(
            base,
            record=replace(base.record, index=index, name=f"model {index}", peak_mib=400.0 * (index + 1)),
            right=count,
            judged=30,
            interval=wilson_interval(count, 30),
            recommended=index == 0,
        )
        for index, count in enumerate(right)
    ]


def test_that_few_models_are_named_beside_their_points() -> None:
    drawn = size_quality_plot(views(27, 28, 29))
    assert all(f">model {index}</text>" in drawn for index in range(3)) and "<ol" not in drawn


def test_that_many_models_are_numbered_with_a_key_smallest_first() -> None:
    drawn = size_quality_plot(views(*range(20, 20 + MAX_NAMES + 3)))
    names = re.findall(r"<li[^>]*>(model \d)", drawn)
    assert names == [f"model {index}" for index in range(MAX_NAMES + 3)]
    assert ">8</text>" in drawn


def test_that_the_axis_begins_below_every_interval() -> None:
    for right in (0, 5, 12, 20, 27, 30):
        shown = views(right, 30)
        base = axis_base(shown)
        assert 0 <= base <= 0.6
        assert all(view.interval is not None and base <= max(0.0, view.interval.lower) for view in shown)


def test_that_every_mark_lies_inside_the_drawing() -> None:
    drawn = size_quality_plot(views(0, 3, 15, 30, 30, 30))
    width, height = (float(number) for number in re.findall(r'viewBox="0 0 (\d+) (\d+)"', drawn)[0])
    assert all(0 <= float(x) <= width for x in re.findall(r' (?:x|cx|x1|x2)="([\d.]+)"', drawn))
    assert all(0 <= float(y) <= height for y in re.findall(r' (?:y|cy|y1|y2)="([\d.]+)"', drawn))


def test_that_one_point_is_no_picture() -> None:
    assert not can_plot(views(27)) and can_plot(views(27, 28))
