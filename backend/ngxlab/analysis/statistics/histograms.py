"""Latency histograms: HdrHistogram V2 payloads, added exactly and summarised (docs/method-details.md, Histograms).

Layout of the buckets: https://github.com/HdrHistogram/HdrHistogram (``countsArrayIndex``). Each response counts as the
highest value of its bucket, as HdrHistogram's own tools have it. Percentiles lie between two of them, by type 9 of
R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50, 1996.
"""

import ctypes
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from ngxlab.analysis.schemas import DistributionPoint, LatencySummary
from ngxlab.analysis.statistics.hdr_payload import Filled, filled

MIN_COUNT_FOR_P99 = 1_000
MIN_COUNT_FOR_P999 = 10_000
"""With fewer, less than ten responses lie above the percentile, and one of them can move it far."""
MIN_BEYOND = 10

SIGNIFICANT_FIGURES = 3
"""Every histogram that is reported has so many, so that all can be added."""

_MOST_COUNTED = 2.0**53


def require_sound(payload: str, count: int, *, may_hold_more: bool = False) -> None:
    """Raises ValueError unless a base64 V2 payload is a histogram of ours that holds ``count`` values.

    ``may_hold_more``: rejected responses too, which wrk counts apart and does not tell apart.
    """
    read = filled(payload)
    if read.significant_figures != SIGNIFICANT_FIGURES:
        raise ValueError("its precision or range is not one that agents use")
    total = float(read.count.sum(dtype=np.float64))
    if total > _MOST_COUNTED or int(total) < count:
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
        """From a base64 V2 payload. Raises ValueError where it is none."""
        return _sum([filled(payload)])

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
        """As :meth:`value_at`, for several fractions at the cost of one.

        The nearest rank would be too low where few responses lie above it, by 1 to 2.5 % of p99 of 1,000 responses;
        this is within 0.5 % on the (geometric) average.
        """
        cumulated = np.cumsum(self.counts)
        total = max(int(cumulated[-1]), 1) if cumulated.size else 1
        places = np.clip((total + 0.25) * np.asarray(fractions) + 0.375, 1, total)
        below = np.floor(places)
        ranks = np.stack([below, np.minimum(below + 1, total)])
        lower, upper = _bounds(self.significant_figures, np.searchsorted(cumulated, ranks))[1]
        values: list[float] = (lower + (places - below) * (upper - lower)).tolist()
        return values

    def share_up_to(self, value_us: float) -> float:
        """The share of responses that took ``value_us`` or less; none in between two buckets is cut in two."""
        high = _bucket_bounds(self.significant_figures, self.counts.size)[1]
        return float(self.counts[: int(np.searchsorted(high, value_us, side="right"))].sum()) / self.total

    def summarise(self) -> LatencySummary:
        low, high = _bucket_bounds(self.significant_figures, self.counts.size)
        middle = (low + high) / 2
        total = self.total
        mean = float((middle * self.counts).sum()) / total
        variance = float(((middle - mean) ** 2 * self.counts).sum()) / total
        p50, p90, p99, p999 = self.values_at([0.5, 0.9, 0.99, 0.999])
        return LatencySummary(
            count=total,
            mean_us=mean,
            stdev_us=math.sqrt(variance),
            p50_us=p50,
            p90_us=p90,
            p99_us=p99 if total >= MIN_COUNT_FOR_P99 else None,
            p999_us=p999 if total >= MIN_COUNT_FOR_P999 else None,
            max_us=float(high[np.flatnonzero(self.counts)[-1]]),
        )

    def distribution(self, points: int = 200) -> list[DistributionPoint]:
        """The cumulative distribution for drawing: at most ``points`` steps, with the first and the last."""
        used = np.flatnonzero(self.counts)
        fractions = np.cumsum(self.counts)[used] / self.total
        values_ms = _bucket_bounds(self.significant_figures, self.counts.size)[1][used] / 1000
        picked = _spread(fractions, points)
        shown = fractions.round(9)  # a third of a report's bytes were digits that no chart shows
        return [DistributionPoint(value_ms=float(values_ms[i]), fraction=float(shown[i])) for i in picked]


def merge(payloads: Iterable[str | None]) -> Histogram | None:
    """The exact sum of histograms; ``None`` if all are empty. Raises ValueError on mixed precisions."""
    read = [one for payload in payloads if payload is not None and (one := filled(payload)).index.size]
    return _sum(read) if read else None


def _sum(read: Sequence[Filled]) -> Histogram:
    figures = _one_precision({one.significant_figures for one in read})
    index = np.concatenate([one.index for one in read])
    weights = np.concatenate([one.count for one in read]).astype(np.float64)  # exact up to 2^53 responses
    return Histogram(figures, np.bincount(index, weights).astype(np.int64))


def add(histograms: Iterable[Histogram]) -> Histogram | None:
    """As :func:`merge`, of decoded histograms."""
    some = [one for one in histograms if one.counts.size]
    if not some:
        return None
    figures = _one_precision({one.significant_figures for one in some})
    counts = np.zeros(max(one.counts.size for one in some), np.int64)
    for one in some:
        counts[: one.counts.size] += one.counts
    return Histogram(figures, counts)


def _one_precision(figures: set[int]) -> int:
    if len(figures) > 1:
        raise ValueError(f"histograms of different precision cannot be added: {sorted(figures)} significant digits")
    return figures.pop()


@lru_cache(maxsize=64)
def _bucket_bounds(significant_figures: int, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest and highest value of each of the first ``size`` indexes."""
    return _bounds(significant_figures, np.arange(size, dtype=np.int64))


def step_us(value_us: float) -> float:
    """The distance of two values that a histogram tells apart there: at most 0.1 % from 1 ms on, and 1 us below."""
    return float(max(1, 1 << max(int(value_us).bit_length() - 1 - _half_magnitude(SIGNIFICANT_FIGURES), 0)))


def _bounds(significant_figures: int, index: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest and highest value of each index."""
    half_magnitude = _half_magnitude(significant_figures)
    half = 1 << half_magnitude
    bucket = (index >> half_magnitude) - 1
    sub_bucket = (index & (half - 1)) + np.where(bucket < 0, 0, half)
    shift = np.maximum(bucket, 0)
    low = sub_bucket << shift
    return low, low + (np.int64(1) << shift) - 1


def _half_magnitude(significant_figures: int) -> int:
    """Half of a bucket's indexes, as a power of two."""
    return math.ceil(math.log2(2 * 10**significant_figures)) - 1


def middles_us(significant_figures: int, index: NDArray[np.int64]) -> NDArray[np.float64]:
    """The middle of the values of each index, in microseconds."""
    low, high = _bounds(significant_figures, index)
    middle: NDArray[np.float64] = (low + high) / 2
    return middle


def _spread(fractions: NDArray[np.float64], points: int) -> NDArray[np.int64]:
    """Indexes spread evenly over rank and, in their second half, over the logarithm of the tail."""
    if fractions.size <= points:
        return np.arange(fractions.size)
    body = np.linspace(0, 1, points // 2)
    tail = 1 - np.logspace(0, -6, points // 2 - 2)
    wanted = np.searchsorted(fractions, np.concatenate([body, tail]))
    return np.unique(np.concatenate([[0], np.clip(wanted, 0, fractions.size - 1), [fractions.size - 1]]))
