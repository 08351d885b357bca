from __future__ import annotations

import gc

from desktop.gui.core.uncollected import Collector


def test_that_the_search_for_cycles_rests_inside_and_goes_on_after() -> None:
    collector = Collector()
    assert gc.isenabled()
    with collector.paused(keep=False):
        assert not gc.isenabled()
        with collector.paused(keep=False):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_that_what_is_kept_is_left_out_of_later_searches_until_the_next_pause() -> None:
    collector = Collector()
    try:
        with collector.paused(keep=True):
            kept = [[] for _ in range(100)]
        assert gc.get_freeze_count() >= len(kept)
        with collector.paused(keep=False):
            pass
        assert gc.get_freeze_count() == 0
    finally:
        gc.unfreeze()


def test_that_an_error_inside_switches_it_on_again() -> None:
    collector = Collector()
    try:
        with collector.paused(keep=False):
            raise KeyError
    except KeyError:
        pass
    assert gc.isenabled()
