from __future__ import annotations

import gc
import threading

from desktop.foundation.cycle_search import CycleSearch


def test_that_the_search_for_cycles_rests_inside_and_goes_on_after() -> None:
    assert gc.isenabled()
    with CycleSearch.paused(keep=False):
        assert not gc.isenabled()
        with CycleSearch.paused(keep=False):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_that_what_is_kept_is_left_out_of_later_searches_until_the_next_pause() -> None:
    try:
        with CycleSearch.paused(keep=True):
            kept = [[] for _ in range(100)]
        assert gc.get_freeze_count() >= len(kept)
        with CycleSearch.paused(keep=False):
            pass
        assert gc.get_freeze_count() == 0
    finally:
        CycleSearch.release()


def test_that_an_error_inside_switches_it_on_again() -> None:
    try:
        with CycleSearch.paused(keep=False):
            raise KeyError
    except KeyError:
        pass
    assert gc.isenabled()


def test_that_a_pause_of_another_thread_goes_on_when_this_one_ends() -> None:
    inside, may_end = threading.Event(), threading.Event()

    def read() -> None:
        with CycleSearch.paused(keep=False):
            inside.set()
            may_end.wait()

    other = threading.Thread(target=read)
    other.start()
    inside.wait()
    with CycleSearch.paused(keep=False):
        pass
    still_off = not gc.isenabled()
    may_end.set()
    other.join()
    assert still_off
    assert gc.isenabled()


def test_that_what_an_inner_pause_keeps_is_kept_when_the_outer_one_ends() -> None:
    try:
        with CycleSearch.paused(keep=False), CycleSearch.paused(keep=True):
            kept = [[] for _ in range(100)]
        assert gc.get_freeze_count() >= len(kept)
    finally:
        CycleSearch.release()
    assert gc.get_freeze_count() == 0
