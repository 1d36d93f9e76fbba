"""How much of a trial's values is chance within its window (docs/method.md, Trial length or blocks)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from ngxlab_contracts.telemetry import LatencyInterval

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.rates import window_slots
from ngxlab.analysis.statistics.histograms import Histogram, merge
from ngxlab.analysis.statistics.series_mean import variance_of_mean

_FEWEST = 8
_BATCHES = 10
_FEWEST_RESPONSES = 100
"""In a batch, for its p99 to be an observed value of the tail."""
_PERCENTILES: Mapping[str, float] = {"latency_p50_us": 0.5, "latency_p99_us": 0.99}


def within_variance(record: TrialRecord) -> dict[str, float]:
    """Of ln(value), by metric: of requests/s from the window's intervals, of percentiles from ten parts of it.

    Empty with fewer than eight intervals. A percentile of the whole varies as the mean of its parts' percentiles does.
    """
    slots = window_slots(record, probes=False)
    if len(slots) < _FEWEST:
        return {}
    counts = np.array([sum(interval.count for interval in slot) for slot in slots], np.float64)
    if not counts.all():
        return {}
    found = {"requests_per_s": variance_of_mean(counts) / float(counts.mean()) ** 2}
    parts = list(_parts(slots))
    if parts and min(part.total for part in parts) >= _FEWEST_RESPONSES:
        for metric, fraction in _PERCENTILES.items():
            found[metric] = variance_of_mean(np.log([part.value_at(fraction) for part in parts]))
    return found


def _parts(slots: Sequence[Sequence[LatencyInterval]]) -> Iterator[Histogram]:
    """Equal parts of the window, one after the other; intervals at the end that fill no part are left out."""
    size = -(-len(slots) // _BATCHES)
    for start in range(0, len(slots) - size + 1, size):
        part = merge(interval.histogram for slot in slots[start : start + size] for interval in slot)
        if part is not None:
            yield part
