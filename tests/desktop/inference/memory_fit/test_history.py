"""What running models teaches: kept, read back, and used for the next prediction."""

from __future__ import annotations

import itertools
import sqlite3
from dataclasses import replace
from pathlib import Path

from desktop.inference.memory_fit.history import History, Measurement

ONE = Measurement(
    model="sha256:a",
    name="m",
    engine="llama.cpp b1",
    context_tokens=4096,
    slots=1,
    cache_type="f16",
    threads=2,
    predicted_mib=400.0,
    base_mib=29.5,
    peak_mib=410.0,
    tokens_per_second=20.0,
    layers=30,
    fast_bytes=1e8,
    slow_bytes=2e7,
    at="2026-11-30T09:00:00+00:00",
    origin="run-1:0",
)

_number = itertools.count()


def other(**changes: object) -> Measurement:
    """Another load, like the first but for the changes."""
    return replace(ONE, origin=f"other:{next(_number)}", **changes)  # type: ignore[arg-type]


def test_that_measurements_come_back_newest_first(tmp_path: Path) -> None:
    history = History(tmp_path / "data")
    assert history.latest() == {}
    history.add(ONE)
    history.add(other(peak_mib=420.0))
    history.add(other(model="other", tokens_per_second=None, peak_mib=None))
    history.add(ONE)
    assert [entry.peak_mib for entry in history.latest()["sha256:a"]] == [410.0, 420.0]
    assert history.latest()["other"][0].peak_mib is None
    assert len(history.origins()) == 3
    assert len(history.speeds(2)) == 2
    assert history.speeds(4) == ()


def test_that_the_process_itself_is_corrected_by_the_median_miss(tmp_path: Path) -> None:
    history = History(tmp_path)
    assert history.base_mib(29.5) == 29.5
    for peak in (404.0, 406.0, 900.0):
        history.add(other(peak_mib=peak))
    # 900 has another reason; the other two leave 33.5 and 35.5 for the process.
    assert history.base_mib(29.5) == 34.5
    # A prediction made with the corrected base does not correct it twice.
    history.add(other(predicted_mib=405.0, base_mib=34.5, peak_mib=405.0))
    assert history.base_mib(29.5) == 34.5
    assert history.base_mib(29.5, "another engine") == 29.5


def test_that_a_damaged_file_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "measured.db").write_bytes(b"no database at all" * 100)
    history = History(tmp_path)
    assert history.latest() == {}
    assert history.base_mib(29.5) == 29.5


def test_that_the_file_is_closed_after_each_call(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add(ONE)
    with sqlite3.connect(tmp_path / "measured.db") as other:
        other.execute("DELETE FROM measured")
    other.close()
    assert history.latest() == {}
