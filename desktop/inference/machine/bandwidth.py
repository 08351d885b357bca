"""How fast this machine reads its memory, in less than a second (memory-fit specification, section 10).

Each thread compares two private blocks that are far larger than the caches, so that only reads cross the memory
bus. The comparison is the C library's and runs without the interpreter's lock. The median of several rounds is
taken, never the best: neighbours on a shared machine come and go.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import psutil

from desktop.inference.machine.machine import BandwidthReading

_BLOCK = 128 << 20
_MAX_BYTES = 1 << 30
_ROUNDS = 12
_BUSY_CORES = 0.15


def measure_bandwidth(
    threads: int,
    *,
    rounds: int = _ROUNDS,
    block_bytes: int = _BLOCK,
    raise_if_cancelled: Callable[[], None] = lambda: None,
) -> BandwidthReading | None:
    """None when there is not enough free memory for the blocks or the C library cannot be called.

    `threads` at least 1, as many as the engine will use. Takes 2 × `block_bytes` a thread. Runs on the calling
    thread and `threads` helpers that are gone when it returns; `raise_if_cancelled` is asked between rounds.
    """
    threads = max(1, min(threads, _MAX_BYTES // (2 * block_bytes)))
    compare = _memcmp()
    if compare is None or psutil.virtual_memory().available < 4 * threads * 2 * block_bytes:
        return None
    pairs = [(_block(block_bytes), _block(block_bytes)) for _ in range(threads)]
    speeds: list[float] = []
    before = _cpu_seconds()
    for _ in range(max(1, rounds)):
        raise_if_cancelled()
        speeds.append(_round(compare, pairs, block_bytes))
    busy = _others_busy(before, _cpu_seconds())
    return BandwidthReading(
        gbps=statistics.median(speeds),
        threads=threads,
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
        busy=busy,
        rounds=tuple(round(speed, 2) for speed in speeds),
    )


def _round(compare: Callable[..., int], pairs: list[tuple[bytearray, bytearray]], size: int) -> float:
    """10^9 bytes a second of all threads together."""
    start = threading.Barrier(len(pairs) + 1)

    def work(one: bytearray, other: bytearray) -> None:
        first, second = _address(one), _address(other)
        start.wait()
        compare(first, second, size)

    helpers = [threading.Thread(target=work, args=pair, name="memory-benchmark") for pair in pairs]
    for helper in helpers:
        helper.start()
    start.wait()
    began = time.perf_counter()
    for helper in helpers:
        helper.join()
    return 2 * size * len(pairs) / max(time.perf_counter() - began, 1e-9) / 1e9


def _block(size: int) -> bytearray:
    """Written to: pages that were only reserved would all be one and the same page of zeros."""
    block = bytearray(size)
    ctypes.memset(_address(block), 1, size)
    return block


def _address(block: bytearray) -> int:
    return ctypes.addressof((ctypes.c_char * len(block)).from_buffer(block))


def _memcmp() -> Callable[..., int] | None:
    try:
        library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
        function = library.memcmp
    except (OSError, AttributeError):
        return None
    function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    function.restype = ctypes.c_int
    return function


def _cpu_seconds() -> tuple[float, float, float]:
    """Wall clock, seconds all processes worked, seconds this one did."""
    whole = psutil.cpu_times()
    own = psutil.Process().cpu_times()
    return time.monotonic(), whole.user + whole.system, own.user + own.system


def _others_busy(before: tuple[float, float, float], after: tuple[float, float, float]) -> bool:
    wall = after[0] - before[0]
    others = (after[1] - before[1]) - (after[2] - before[2])
    # The system counts in hundredths of a second.
    return wall > 0 and others - 0.03 > _BUSY_CORES * wall
