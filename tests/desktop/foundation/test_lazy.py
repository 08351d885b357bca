"""What is made late is made once, and then is the thing itself."""

from __future__ import annotations

import threading

from desktop.foundation.lazy import Lazy


class Thing:
    made = 0

    def __init__(self) -> None:
        Thing.made += 1

    def add(self, one: int, other: int) -> int:
        return one + other


def test_that_it_is_made_once_by_whoever_asks_first() -> None:
    Thing.made = 0
    late: Lazy[Thing] = Lazy(Thing)
    assert Thing.made == 0
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(late.add(1, 2))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [3] * 8
    assert Thing.made == 1
