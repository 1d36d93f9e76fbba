"""The page shared with the processes of an engine. ``worker/native/page.h`` declares the same layout."""

import fcntl
import mmap
import os
import struct

import numpy as np

from ngxlab_worker.engines.histogram import Counts

MAGIC = 0x3165676170786E67
VERSION = 7
HEADER_BYTES = 4096
START_WORD, STOP_WORD, RATES_WORD = 4, 5, 6
RATES, RATE_WORDS = 64, 4
COUNTER_WORDS = 32
STATUS_WORDS = 1000
FIRST_HISTOGRAM = COUNTER_WORDS + STATUS_WORDS
HALF_BITS = 10
HISTOGRAM_CELLS = 21_504
HIGHEST_US = 600_000_000
"""Longer latencies count as this one."""

PREPARING, READY, LOADING, ENDED = range(4)
"""States of a shard."""

COUNTERS = (
    "state",
    "intended",
    "sent",
    "completed",
    "backlog",
    "backlog_max",
    "connections",
    "connections_max",
    "connects",
    "reconnects",
    "bytes_read",
    "unfinished",
    "memory_bytes",
    "errors_connect",
    "errors_read",
    "errors_write",
    "errors_timeout",
    "errors_status",
    "errors_garbage",
    "errors_reset",
    "errors_refused",
    "goaways",
    "requests_repeated",
    "handshakes",
    "handshakes_resumed",
    "aborted",
    "early_requests",
)
"""A shard's counters in the page's order. The word after them is errno of its last connect that failed, or the
status by which a WebSocket was refused."""

LAST_ERRNO_WORD, OUTSTANDING_WORD, RATE_WORD = (len(COUNTERS) + place for place in range(3))

_CELL = np.arange(HISTOGRAM_CELLS, dtype=np.int64)
_BUCKET = np.maximum((_CELL >> HALF_BITS) - 1, 0)
LATENCY_US = (_CELL - (_BUCKET << HALF_BITS)) << _BUCKET
"""The lowest latency that each cell counts, int64 (HISTOGRAM_CELLS,)."""


class Page:
    """Created by the agent, in memory of no file system, which is freed with its last user (memfd_create(2)).

    ``histograms``: how many each shard has, see ``page.h``. While the load runs, every word that is read is up to date,
    but two words may be of slightly different instants.
    """

    def __init__(self, shards: int, histograms: int) -> None:
        words = FIRST_HISTOGRAM + histograms * (1 + HISTOGRAM_CELLS)
        shard_words = -(-words * 8 // HEADER_BYTES) * HEADER_BYTES // 8
        size = HEADER_BYTES + shards * shard_words * 8
        self.descriptor = os.memfd_create("ngxlab-page", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size)
        _seal(self.descriptor)
        every = np.frombuffer(mmap.mmap(self.descriptor, size), dtype=np.uint64)
        self._header = every[: HEADER_BYTES // 8]
        self._shards = every[HEADER_BYTES // 8 :].reshape(shards, shard_words)
        self._header[:4] = (MAGIC, VERSION, shards, histograms)

    def start(self, start_ns: int) -> None:
        """Have the load begin at an instant of CLOCK_MONOTONIC."""
        self._header[START_WORD] = start_ns

    @property
    def start_ns(self) -> int:
        """When the load begins or began; 0 while that is not set."""
        return int(self._header[START_WORD])

    def stop(self) -> None:
        """Have the load end now, with complete counts."""
        self._header[STOP_WORD] = 1

    def set_rate(self, number: int, begin_ns: int, per_s: float) -> None:
        """From ``begin_ns`` after the start on, requests are due at this rate: the ``number``-th, from 1. It must be
        written before it begins, and after the one ``RATES`` before it has begun everywhere."""
        (bits,) = struct.unpack("<Q", struct.pack("<d", per_s))
        first = RATES_WORD + number % RATES * RATE_WORDS
        self._header[first : first + RATE_WORDS] = (number, begin_ns, bits, number ^ begin_ns ^ bits)

    def rate_begun(self) -> int:
        """The number of the rate that the next request of each shard belongs to; of the slowest shard."""
        return int(self._shards[:, RATE_WORD].min())

    def outstanding(self) -> int:
        """Requests that are due and neither answered nor failed, now; counted only while the agent sets the rates."""
        return int(self._shards[:, OUTSTANDING_WORD].sum())

    def states(self) -> list[int]:
        return [int(state) for state in self._shards[:, 0]]

    def counters(self) -> dict[str, int]:
        """Sums over the shards, by the names of :data:`COUNTERS`, without the state. ``…_max`` are sums too: an upper
        bound, since the shards need not reach their maxima at the same instant."""
        sums = self._shards[:, : len(COUNTERS)].sum(axis=0)
        return {name: int(value) for name, value in zip(COUNTERS[1:], sums[1:], strict=True)}

    def last_errno(self) -> int:
        """errno of the last failed connect in one of the shards; 0 where none failed."""
        return int(self._shards[:, LAST_ERRNO_WORD].max())

    def statuses(self) -> dict[int, int]:
        """Responses so far by HTTP status, over all shards; only statuses that occurred."""
        total = self._shards[:, COUNTER_WORDS:FIRST_HISTOGRAM].sum(axis=0)
        return {int(status): int(total[status]) for status in np.flatnonzero(total)}

    def counts(self, histogram: int) -> Counts:
        first = FIRST_HISTOGRAM + histogram * (1 + HISTOGRAM_CELLS)
        used = int(self._shards[:, first].max())
        total = self._shards[:, first + 1 : first + 1 + used].sum(axis=0)
        filled = np.flatnonzero(total)
        return Counts(LATENCY_US[filled], total[filled].astype(np.int64))

    def handed_over(self) -> None:
        """Close our descriptor: the program has its own now. The memory stays as long as this page exists."""
        os.close(self.descriptor)


def _seal(descriptor: int) -> None:
    """Fix the size: a mapping that shrinks would kill the process that reads it (SIGBUS)."""
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
