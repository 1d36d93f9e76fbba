"""Latency histograms: HdrHistogram V2 payloads, added exactly and summarised with numpy (docs/method.md, Histograms).

Layout of the buckets: https://github.com/HdrHistogram/HdrHistogram (``countsArrayIndex``). A percentile is the nearest
rank: the least value that at least the given share of responses does not exceed. It is reported as the highest value
of its bucket, as HdrHistogram's own tools do.
"""

import base64
import ctypes
import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from ngxlab.analysis.schemas import DistributionPoint, LatencySummary

MIN_COUNT_FOR_P99 = 1_000
MIN_COUNT_FOR_P999 = 10_000
"""With fewer, less than ten responses lie above the percentile, and one of them can move it far."""
"""With fewer responses, fewer than ten lie above the 99.9th percentile."""

SIGNIFICANT_FIGURES = 3
"""Of every histogram that is reported, so that all can be added."""

_MAX_UNPACKED_BYTES = 4 << 20
_WRAPPER_BYTES = 8
"""Cookie and length, before the compressed counts."""
_HEADER = struct.Struct(">iiiiqqd")
"""Cookie, length, offset, significant figures, lowest and highest value, conversion ratio."""
_HIGHEST_US = 2**50
_MOST_COUNTED = 2.0**53


def require_sound(payload: str, count: int, *, may_hold_more: bool = False) -> None:
    """Raises ValueError unless a base64 V2 payload is a histogram of ours that holds ``count`` values.

    ``may_hold_more``: rejected responses too, which wrk counts apart and does not tell apart.

    A short text can expand to gigabytes, so it is unpacked within bounds first.
    """
    packed = base64.b64decode(payload, validate=True)
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(packed[_WRAPPER_BYTES:], _MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof or len(unpacked) < _HEADER.size:
        raise ValueError(f"it unpacks to fewer than {_HEADER.size} bytes or to more than {_MAX_UNPACKED_BYTES}")
    _, _, offset, figures, lowest, highest, _ = _HEADER.unpack_from(unpacked)
    if (offset, figures, lowest) != (0, SIGNIFICANT_FIGURES, 1) or not 2 <= highest <= _HIGHEST_US:
        raise ValueError("its precision or range is not one that agents use")
    try:
        counts = Histogram.decode(payload).counts
    except Exception as error:  # a foreign parser, whose errors have no common base
        raise ValueError(f"{type(error).__name__}: {error}") from error
    total = float(counts.sum(dtype=np.float64))
    if (counts < 0).any() or total > _MOST_COUNTED or int(total) < count:
        raise ValueError(f"it holds {total:.0f} values instead of {count}")
    if not may_hold_more and int(total) > count:
        raise ValueError(f"it holds {total:.0f} values instead of {count}")


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts by HdrHistogram index, for a lowest discernible value of 1 us."""

    significant_figures: int
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @classmethod
    def decode(cls, payload: str) -> "Histogram":
        """From a base64 V2 payload. Raises ValueError if its lowest discernible value is not 1."""
        decoded = HdrHistogram.decode(payload)
        if decoded.unit_magnitude != 0:
            raise ValueError(f"histogram counts in units of {decoded.lowest_trackable_value}, expected 1 us")
        counts = np.frombuffer(decoded.counts, dtype=np.uint64).astype(np.int64)
        used = np.flatnonzero(counts)
        return cls(decoded.significant_figures, counts[: used[-1] + 1 if used.size else 0])

    def encode(self) -> str:
        """A base64 V2 payload that any HdrHistogram tool reads."""
        low, high = _bucket_bounds(self.significant_figures, self.counts.size)
        histogram = HdrHistogram(1, max(2, int(high[-1])), self.significant_figures)
        used = np.flatnonzero(self.counts)
        source = self.counts.astype(np.uint64)
        ctypes.memmove(histogram.counts, source.ctypes.data, source.nbytes)
        histogram.total_count = self.total
        histogram.min_value, histogram.max_value = int(low[used[0]]), int(high[used[-1]])
        payload: bytes = histogram.encode()
        return payload.decode("ascii")

    def value_at(self, fraction: float) -> float:
        """The value in microseconds that ``fraction`` (0 to 1) of the responses do not exceed."""
        return self.values_at([fraction])[0]

    def values_at(self, fractions: Sequence[float]) -> list[float]:
        """As :meth:`value_at`, for several fractions at the cost of one."""
        cumulated = np.cumsum(self.counts)
        total = int(cumulated[-1]) if cumulated.size else 0
        ranks = [max(1, math.ceil(round(fraction * total, 6))) for fraction in fractions]
        high = _bounds(self.significant_figures, np.searchsorted(cumulated, ranks))[1]
        return [float(value) for value in high]

    def summarise(self) -> LatencySummary:
        low, high = _bucket_bounds(self.significant_figures, self.counts.size)
        middle = (low + high) / 2
        total = self.total
        mean = float(middle @ self.counts) / total
        variance = float(((middle - mean) ** 2) @ self.counts) / total
        return LatencySummary(
            count=total,
            mean_us=mean,
            stdev_us=math.sqrt(variance),
            p50_us=self.value_at(0.5),
            p90_us=self.value_at(0.9),
            p99_us=self.value_at(0.99) if total >= MIN_COUNT_FOR_P99 else None,
            p999_us=self.value_at(0.999) if total >= MIN_COUNT_FOR_P999 else None,
            max_us=float(high[np.flatnonzero(self.counts)[-1]]),
        )

    def distribution(self, points: int = 400) -> list[DistributionPoint]:
        """The cumulative distribution for drawing: at most ``points`` steps, with the first and the last."""
        used = np.flatnonzero(self.counts)
        fractions = np.cumsum(self.counts)[used] / self.total
        values_ms = _bucket_bounds(self.significant_figures, self.counts.size)[1][used] / 1000
        picked = _spread(fractions, points)
        return [DistributionPoint(value_ms=float(values_ms[i]), fraction=float(fractions[i])) for i in picked]


def merge(payloads: Iterable[str | None]) -> Histogram | None:
    """The exact sum of histograms; ``None`` if all are empty. Raises ValueError on mixed precisions."""
    return add(Histogram.decode(payload) for payload in payloads if payload is not None)


def add(histograms: Iterable[Histogram]) -> Histogram | None:
    """As :func:`merge`, of decoded histograms."""
    filled = [one for one in histograms if one.counts.size]
    if not filled:
        return None
    digits = {one.significant_figures for one in filled}
    if len(digits) > 1:
        raise ValueError(f"histograms of different precision cannot be added: {sorted(digits)} significant digits")
    counts = np.zeros(max(one.counts.size for one in filled), np.int64)
    for one in filled:
        counts[: one.counts.size] += one.counts
    return Histogram(digits.pop(), counts)


@lru_cache(maxsize=64)
def _bucket_bounds(significant_figures: int, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest and highest value of each of the first ``size`` indexes."""
    return _bounds(significant_figures, np.arange(size, dtype=np.int64))


def _bounds(significant_figures: int, index: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest and highest value of each index."""
    half_magnitude = math.ceil(math.log2(2 * 10**significant_figures)) - 1
    half = 1 << half_magnitude
    bucket = (index >> half_magnitude) - 1
    sub_bucket = (index & (half - 1)) + np.where(bucket < 0, 0, half)
    shift = np.maximum(bucket, 0)
    low = sub_bucket << shift
    return low, low + (np.int64(1) << shift) - 1


def _spread(fractions: NDArray[np.float64], points: int) -> NDArray[np.int64]:
    """Indexes spread evenly over rank and, in their second half, over the logarithm of the tail."""
    if fractions.size <= points:
        return np.arange(fractions.size)
    body = np.linspace(0, 1, points // 2)
    tail = 1 - np.logspace(0, -6, points // 2 - 2)
    wanted = np.searchsorted(fractions, np.concatenate([body, tail]))
    return np.unique(np.concatenate([[0], np.clip(wanted, 0, fractions.size - 1), [fractions.size - 1]]))
