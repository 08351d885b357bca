"""Speed by what the server counted; no speed of an answer that came all at once."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.inference.backends.base import Timing
from desktop.inference.backends.stream_clock import ChunkTimes


def timed(chunks_ms: Sequence[float], end_ms: float, visible_tokens: int | None = None) -> Timing:
    instants = iter([0.0, *chunks_ms, end_ms])
    times = ChunkTimes(now=lambda: next(instants) / 1000)
    for _ in chunks_ms:
        times.chunk()
    return times.timing(visible_tokens=visible_tokens)


def test_that_tokens_are_counted_by_the_server_where_a_piece_holds_several() -> None:
    timing = timed([100, 200, 300], 310, visible_tokens=21)
    assert timing.tokens_per_second is not None
    assert round(timing.tokens_per_second) == 100
    assert timing.source == "counts"


def test_that_pieces_are_counted_where_the_server_counts_nothing() -> None:
    timing = timed([100, 200, 300], 310)
    assert timing.tokens_per_second is not None
    assert round(timing.tokens_per_second) == 10
    assert timing.source == "chunks"


def test_that_an_answer_that_came_at_once_has_no_speed() -> None:
    assert timed([100, 100.001, 100.002], 101).tokens_per_second is None
    assert timed([100, 100.001, 100.002], 101, visible_tokens=500).tokens_per_second is None
