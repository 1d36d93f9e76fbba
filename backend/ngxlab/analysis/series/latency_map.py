"""Latency over the time of a trial: each stream's histograms, made coarse enough to draw.

The ends of buckets lie on one logarithmic grid, so that maps of different trials can be laid beside each other.
"""

import math
from collections.abc import Sequence

import numpy as np
from ngxlab_contracts.telemetry import LatencyInterval
from numpy.typing import NDArray

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.series.schemas import LatencyMap
from ngxlab.analysis.statistics.hdr_payload import filled
from ngxlab.analysis.statistics.histograms import middles_us

MAX_COLUMNS = 120
MAX_BUCKETS = 40
_FINEST = 20
"""Buckets a decade."""
_BUCKETS_A_DECADE = (20, 10, 5, 4, 2)
"""All divide the finest, so that the buckets of a finer grid add up to those of a coarser one. The last fits all."""
_DECADES = 16
"""Buckets begin at 1 us; an agent's histograms end at 2^50 us."""

Counts = NDArray[np.int64]


def latency_maps(record: HostRecord) -> list[LatencyMap]:
    """One for each stream of this host that served anything, by the stream's name, until the planned end of the window.

    Raises ValueError for a histogram that cannot be read.
    """
    origin_us, began_us = _origin_us(record), record.load_began_us
    if origin_us is None or began_us is None:
        return []
    streams: dict[str, list[LatencyInterval]] = {}
    for interval in record.intervals:
        if interval.quantity == "latency":
            streams.setdefault(interval.stream, []).append(interval)
    made = (_map(stream, streams[stream], record, began_us, origin_us) for stream in sorted(streams))
    return [one for one in made if one is not None]


def _origin_us(record: HostRecord) -> int | None:
    """Where the measured window begins, or will begin."""
    measured_us, began_us = record.phase_at_us("measure"), record.load_began_us
    if measured_us is not None or began_us is None:
        return measured_us
    return began_us + round(record.spec.timing.warmup_s * 1e6)


def _map(
    stream: str, intervals: Sequence[LatencyInterval], record: HostRecord, began_us: int, origin_us: int
) -> LatencyMap | None:
    end_us = origin_us + round(record.spec.timing.measure_s * 1e6)
    step_us = record.spec.sampling.histogram_interval_ms * 1000
    step_us *= math.ceil((end_us - began_us) / step_us / MAX_COLUMNS)
    counts: dict[int, Counts] = {}
    for one in intervals:
        middle_us = (one.t0_us + one.t1_us) // 2
        if began_us <= middle_us < end_us:
            total = counts.setdefault((middle_us - began_us) // step_us, np.zeros(_FINEST * _DECADES, np.int64))
            total += _fine(one)
    if not counts:
        return None
    each, first, last = _range(np.sum(list(counts.values()), axis=0))
    if first > last:
        return None
    columns = [counts.get(column) for column in range(max(counts) + 1)]
    return LatencyMap(
        stream=stream,
        begin_s=(began_us - origin_us) / 1e6,
        step_s=step_us / 1e6,
        bounds_ms=[10 ** (bound / each) / 1000 for bound in range(first, last + 2)],
        counts=[None if one is None else _coarse(one, each)[first : last + 1].tolist() for one in columns],
    )


def _fine(interval: LatencyInterval) -> Counts:
    """The responses of an interval by the finest buckets."""
    size = _FINEST * _DECADES
    if not interval.histogram or not interval.count:
        return np.zeros(size, np.int64)
    read = filled(interval.histogram)
    middle_us = np.maximum(1.0, middles_us(read.significant_figures, read.index))
    bucket = np.minimum(size - 1, np.floor(np.log10(middle_us) * _FINEST + 1e-9).astype(np.int64))
    return np.bincount(bucket, read.count.astype(np.float64), size).astype(np.int64)


def _range(total: Counts) -> tuple[int, int, int]:
    """The finest grid on which all fits; its first and its last bucket with a response, the first after the last if
    there is none.
    """
    used = np.flatnonzero(total)
    if used.size == 0:
        return _FINEST, 0, -1
    first, last = int(used[0]), int(used[-1])
    each = next(n for n in _BUCKETS_A_DECADE if last * n // _FINEST - first * n // _FINEST < MAX_BUCKETS)
    return each, first * each // _FINEST, last * each // _FINEST


def _coarse(counts: Counts, each: int) -> Counts:
    coarse: Counts = counts.reshape(-1, _FINEST // each).sum(axis=1)
    return coarse
