"""Reads from the memory of a running, unmodified wrk how many of its responses had a status of 400 or more.

wrk's histogram does not tell responses apart by status, but each of wrk's threads counts those in ``errors.status``,
and all of them in ``complete``. Reading the histogram takes milliseconds, in which wrk goes on: so both are read before
and after it.
wrk 4.x (``src/wrk.h``) keeps ``struct thread`` for all of them in one array on its heap::

    pthread_t thread; aeEventLoop *loop; struct addrinfo *addr; uint64_t connections, complete, requests, bytes, start;
    lua_State *L; struct { uint32_t connect, read, write, status, timeout; } errors; struct connection *cs;

``connections`` is known, and ``start`` is microseconds of the wall clock: together they identify the array.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

THREAD_BYTES = 104
CONNECTIONS_AT, COMPLETE_AT, START_AT, STATUS_AT, CS_AT = 24, 32, 56, 84, 96
POINTERS_AT = (0, 8, 16, 64, CS_AT)
LARGEST_HEAP = 64 << 20
LONGEST_RUN_US = 7 * 86_400_000_000
MOST_SEARCHES = 50


class Tally(NamedTuple):
    """Counts at one moment: responses so far, and those of them that were rejected."""

    completed: int
    rejected: int


def rejected_among(responses: int, before: Tally, after: Tally) -> int:
    """The number of rejected ones among the ``responses`` of a histogram that was read between two tallies.

    What came between them is divided in proportion, so the error is at most what was served, or what was rejected, in
    these milliseconds. A script that pipelines has fewer latencies than responses; it gets the tally before.
    """
    came = after.completed - before.completed
    if came <= 0:
        return before.rejected
    share = min(1.0, max(0.0, (responses - before.completed) / came))
    return before.rejected + round(share * (after.rejected - before.rejected))


class Rejections:
    """Rejections of one wrk with ``threads`` threads of ``connections`` connections each."""

    def __init__(self, pid: int, threads: int, connections: int) -> None:
        self._pid = pid
        self._threads = threads
        self._connections = connections
        self._address: int | None = None
        self._searches = 0

    def tally(self) -> Tally | None:
        """So far; ``None`` where it cannot be read, such as in a wrk with another layout or one that has ended."""
        with suppress(OSError, ValueError):
            memory = os.open(f"/proc/{self._pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
            try:
                return self._tally(memory)
            finally:
                os.close(memory)
        return None

    def _tally(self, memory: int) -> Tally | None:
        if self._address is None:
            if self._searches == MOST_SEARCHES:
                return None
            self._searches += 1
            self._address = self._locate(memory)
        if self._address is None:
            return None
        array = os.pread(memory, self._threads * THREAD_BYTES, self._address)
        if len(array) < self._threads * THREAD_BYTES or not self._is_array(array, 0):
            return None
        starts = [i * THREAD_BYTES for i in range(self._threads)]
        completed = sum(_number(array, start + COMPLETE_AT, 8) for start in starts)
        return Tally(completed, sum(_number(array, start + STATUS_AT, 4) for start in starts))

    def _locate(self, memory: int) -> int | None:
        for start, end in _heap(self._pid):
            heap = os.pread(memory, min(end - start, LARGEST_HEAP), start)
            words: NDArray[np.uint64] = np.frombuffer(heap[: len(heap) // 8 * 8], dtype=np.uint64)
            for word in np.flatnonzero(words == self._connections):
                at = int(word) * 8 - CONNECTIONS_AT
                if at >= 0 and at + self._threads * THREAD_BYTES <= len(heap) and self._is_array(heap, at):
                    return start + at
        return None

    def _is_array(self, heap: bytes, at: int) -> bool:
        return all(self._is_thread(heap, at + i * THREAD_BYTES) for i in range(self._threads))

    def _is_thread(self, heap: bytes, at: int) -> bool:
        age_us = time.time_ns() // 1000 - _number(heap, at + START_AT, 8)
        return (
            _number(heap, at + CONNECTIONS_AT, 8) == self._connections
            and 0 <= age_us < LONGEST_RUN_US
            and all(_number(heap, at + offset, 8) for offset in POINTERS_AT)
        )


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _heap(pid: int) -> list[tuple[int, int]]:
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    spans = [line.split()[0].split("-") for line in lines if line.endswith("[heap]")]
    return [(int(start, 16), int(end, 16)) for start, end in spans]
