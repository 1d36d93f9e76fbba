"""Exact latency counts, their differences, and their encoding as HdrHistogram V2 payloads."""

from dataclasses import dataclass

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True)
class Counts:
    """Responses by latency: ``latency_us`` ascending and distinct, ``count`` positive, both int64 (n,)."""

    latency_us: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def empty(cls) -> "Counts":
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))

    @property
    def total(self) -> int:
        return int(self.count.sum())

    def since(self, earlier: "Counts") -> "Counts":
        """What was added after ``earlier``, a snapshot of the same growing histogram.

        Raises ``ValueError`` where a count has decreased: then the two are not of one histogram.
        """
        count = self.count.copy()
        at = np.searchsorted(self.latency_us, earlier.latency_us)
        if at.size and (at[-1] >= count.size or not np.array_equal(self.latency_us[at], earlier.latency_us)):
            raise ValueError("a latency of the earlier snapshot is missing in the later one")
        count[at] -= earlier.count
        if count.size and count.min() < 0:
            raise ValueError("a count of the earlier snapshot is larger than in the later one")
        grown = count > 0
        return Counts(self.latency_us[grown], count[grown])


class HdrEncoder:
    """Encodes :class:`Counts` as base64 HdrHistogram V2 compressed payloads (HdrHistogram's V2 log format).

    Lowest value 1 us, 3 significant digits. ``hdrh`` records one value at a time; here all counters are set at once.
    """

    def __init__(self, highest_us: int) -> None:
        self._histogram = HdrHistogram(1, highest_us, SIGNIFICANT_DIGITS)
        self._counters: NDArray[np.uint64] = np.frombuffer(self._histogram.counts, dtype=np.uint64)

    def encode(self, counts: Counts) -> str | None:
        """The payload, or ``None`` without counts. Raises ``ValueError`` for a latency above the highest value."""
        if not counts.latency_us.size:
            return None
        index = self._index(counts.latency_us)
        if index[-1] >= self._counters.size:
            raise ValueError(f"{counts.latency_us[-1]} us is beyond the histogram's highest value")
        histogram, counters = self._histogram, self._counters
        counters[: index[-1] + 1] = np.bincount(index, weights=counts.count).astype(np.uint64)
        counters[index[-1] + 1 :] = 0
        histogram.total_count = counts.total
        histogram.min_value = int(counts.latency_us[0])
        histogram.max_value = int(counts.latency_us[-1])
        return str(histogram.encode(), "ascii")

    def _index(self, value: NDArray[np.int64]) -> NDArray[np.int64]:
        """HdrHistogram's counts index, as ``HdrHistogram._counts_index_for``, for unit magnitude 0."""
        half_magnitude = self._histogram.sub_bucket_half_count_magnitude
        _, bit_length = np.frexp((value | self._histogram.sub_bucket_mask).astype(np.float64))
        bucket = bit_length.astype(np.int64) - (half_magnitude + 1)
        index: NDArray[np.int64] = ((bucket + 1) << half_magnitude) + (value >> bucket)
        return index - int(self._histogram.sub_bucket_half_count)
