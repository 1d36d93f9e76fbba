"""Was the request rate steady over the window (docs/method.md, Steady state)?"""

import math

import numpy as np
from numpy.typing import NDArray

from ngxlab.analysis.checks.check import TrialCheck
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
from ngxlab.analysis.checks.perturbed import is_perturbed
from ngxlab.analysis.records.stream_spans import lasts_the_window

_BATCH_S = 5.0
_MAX_DRIFT = 0.05
_MAX_STANDARD_ERRORS = 2
_LOOK_AT_ERRORS = "look at the errors and at nginx's log"
_LOOK_AT_CHART = "look at the chart: the perturbations may be the reason"
_LONGER_WARMUP = "lengthen the warm-up"


def _steady(context: TrialContext) -> Finding:
    """Compares the last third of the window with the first."""
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    rates, seconds = _rates(context)
    per_batch = max(1, round(_BATCH_S / seconds)) if seconds else 1
    batches = rates.size // per_batch
    if batches < 3:
        return unavailable("the window is too short: three batches of 5 s of a stream that lasts the window are needed")
    third = rates.size // 3
    first, last = float(rates[:third].mean()), float(rates[-third:].mean())
    if first <= 0 or last <= 0:
        return Finding("warning", "no response in a third of the window", _LOOK_AT_ERRORS)
    drift = math.log(last / first)
    means = rates[: batches * per_batch].reshape(batches, per_batch).mean(axis=1)
    # Each third's mean rests on a third of the batches; their difference has twice that variance.
    error = math.sqrt(2 * means.var(ddof=1) / (batches / 3)) / float(rates.mean())
    change = f"{100 * math.expm1(drift):+.1f} %".replace("-", "−")
    seen = f"requests/s changed by {change} from the first to the last third of the window"
    if abs(drift) > _MAX_DRIFT and abs(drift) > _MAX_STANDARD_ERRORS * error:
        if is_perturbed(context):
            return Finding("info", f"{seen}, and the trial was perturbed", _LOOK_AT_CHART)
        seen += f" (two standard errors: {100 * _MAX_STANDARD_ERRORS * error:.1f} %)"
        return Finding("warning", seen, _LONGER_WARMUP)
    return passed(seen)


def _rates(context: TrialContext) -> tuple[NDArray[np.float64], float]:
    """Requests per second of each histogram interval, and the median length of an interval in seconds.

    Only of streams that last the whole window: one that starts or ends within it by plan is no drift. Each host's
    time counts from the start of its own window.
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


STEADY = TrialCheck(
    number=21,
    key="steady",
    title="The rate was steady over the window",
    rule=f"Warning if requests/s of the last third of the window differ from the first third by more than "
    f"{100 * _MAX_DRIFT:g} % and by more than two standard errors, which come from means of {_BATCH_S:g} s batches; "
    "or if a third has no response. Info instead where perturbations may explain the change.",
    data="Response counts of the histogram intervals, of all streams that last the window.",
    severities=("warning", "info"),
    voids="The trial's values as those of a steady state: they depend on the length of warm-up and window.",
    remedies=(_LOOK_AT_ERRORS, _LOOK_AT_CHART, _LONGER_WARMUP),
    source="Georges et al., OOPSLA 2007, and Barrett et al., OOPSLA 2017, on steady state; batch means as in the "
    "simulation literature. The thresholds are ngxlab's own.",
    judge=_steady,
)
