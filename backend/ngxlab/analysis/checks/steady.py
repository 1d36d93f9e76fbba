"""Was the system in a steady state during the window (DOMAIN 4.10)?"""

import math

import numpy as np
from numpy.typing import NDArray

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.checks.perturbed import is_perturbed
from ngxlab.analysis.records.stream_spans import lasts_the_window

_BATCH_S = 5.0
_MAX_DRIFT = 0.05


def steady(context: TrialContext) -> Finding:
    """Last third against first: flagged beyond 5 % *and* beyond two standard errors of 5 s batch means."""
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    rates, seconds = _rates(context)
    per_batch = max(1, round(_BATCH_S / seconds)) if seconds else 1
    batches = rates.size // per_batch
    if batches < 3:
        return unavailable("the window is too short to tell: three batches of 5 s of a stream throughout are needed")
    third = rates.size // 3
    first, last = float(rates[:third].mean()), float(rates[-third:].mean())
    if first <= 0 or last <= 0:
        return Finding("warning", "no response in a third of the window", "look at the errors and at nginx's log")
    drift = math.log(last / first)
    means = rates[: batches * per_batch].reshape(batches, per_batch).mean(axis=1)
    # Each third's mean rests on a third of the batches; their difference has twice that variance.
    error = math.sqrt(2 * means.var(ddof=1) / (batches / 3)) / float(rates.mean())
    seen = f"requests/s changed by {100 * math.expm1(drift):+.1f} % from the first to the last third"
    if abs(drift) > _MAX_DRIFT and abs(drift) > 2 * error:
        if is_perturbed(context):
            return Finding("info", f"{seen}, and the trial was perturbed", "look at the chart: its marks may be why")
        return Finding("warning", f"{seen} (two standard errors: {200 * error:.1f} %)", "lengthen the warm-up")
    return passed(seen)


def _rates(context: TrialContext) -> tuple[NDArray[np.float64], float]:
    """Requests per second of each histogram interval, and the interval's usual length.

    Of the streams of all hosts that last the whole window: one that comes or goes by plan is no drift. Each host's
    time counts from its own window's beginning.
    """
    by_time: dict[int, float] = {}
    lengths: list[float] = []
    for host in context.record.loading:
        origin_us = host.window.start_us if host.window is not None else 0
        step_us = host.spec.sampling.histogram_interval_ms * 1000
        lasting = {stream.key for stream in host.spec.streams if lasts_the_window(stream, host.spec.timing)}
        for interval in host.window_intervals():
            length = (interval.t1_us - interval.t0_us) / 1e6
            if length > 0 and interval.stream in lasting:
                slot = round((interval.t0_us - origin_us) / step_us)
                by_time[slot] = by_time.get(slot, 0.0) + interval.count / length
                lengths.append(length)
    rates = np.array([by_time[slot] for slot in sorted(by_time)], np.float64)
    return rates, float(np.median(lengths)) if lengths else 0.0
