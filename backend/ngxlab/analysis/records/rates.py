"""The rate of the load over time, as the generators saw it."""

import numpy as np
from numpy.typing import NDArray

from ngxlab.analysis.records.stream_spans import lasts_the_window
from ngxlab.analysis.records.trial_record import TrialRecord


def window_rates(record: TrialRecord) -> NDArray[np.float64]:
    """Requests per second of each histogram interval of the window.

    Only of streams that last the whole window: one that starts or ends within it by plan is no drift. Each host's
    time counts from the start of its own window.
    """
    by_time: dict[int, float] = {}
    for host in record.loading:
        origin_us = host.window.start_us if host.window is not None else 0
        step_us = host.spec.sampling.histogram_interval_ms * 1000
        lasting = {stream.key for stream in host.spec.streams if lasts_the_window(stream, host.spec.timing)}
        for interval in host.window_intervals():
            length = (interval.t1_us - interval.t0_us) / 1e6
            if length > 0 and interval.stream in lasting:
                slot = round((interval.t0_us - origin_us) / step_us)
                by_time[slot] = by_time.get(slot, 0.0) + interval.count / length
    return np.array([by_time[slot] for slot in sorted(by_time)], np.float64)
