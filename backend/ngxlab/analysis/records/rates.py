"""The rate of the load over time, as the generators saw it."""

import numpy as np
from ngxlab_contracts.telemetry import LatencyInterval
from numpy.typing import NDArray

from ngxlab.analysis.records.stream_spans import lasts_the_window
from ngxlab.analysis.records.trial_record import TrialRecord


def window_rates(record: TrialRecord) -> NDArray[np.float64]:
    """Requests per second of each histogram interval of the window, of streams that last it."""
    return np.array([sum(map(_rate, intervals)) for intervals in window_slots(record)], np.float64)


def window_slots(record: TrialRecord, *, probes: bool = True) -> list[list[LatencyInterval]]:
    """The intervals of all streams, interval by interval of the window; ``probes``: theirs too.

    Only of streams that last the whole window: one that starts or ends within it by plan is no drift. Each host's
    time counts from the start of its own window.
    """
    by_time: dict[int, list[LatencyInterval]] = {}
    for host in record.loading:
        origin_us = host.window.start_us if host.window is not None else 0
        step_us = host.spec.sampling.histogram_interval_ms * 1000
        streams = [stream for stream in host.spec.streams if probes or not stream.probe]
        lasting = {stream.key for stream in streams if lasts_the_window(stream, host.spec.timing)}
        for interval in host.window_intervals():
            if interval.t1_us > interval.t0_us and interval.stream in lasting:
                by_time.setdefault(round((interval.t0_us - origin_us) / step_us), []).append(interval)
    return [by_time[slot] for slot in sorted(by_time)]


def _rate(interval: LatencyInterval) -> float:
    return interval.count / ((interval.t1_us - interval.t0_us) / 1e6)
