"""The effect of a churn of upstreams on latency during and after it.

Only for trials with a churn. Percentiles are those of merged histograms. The histograms' intervals are one second long,
which is the resolution of the recovery time. Probes are left out.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import NamedTuple

from ngxlab_contracts.telemetry import ActionEvent, LatencyInterval

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.readings import Window
from ngxlab.analysis.statistics.histograms import merge
from ngxlab.analysis.statistics.paired import MIN_MARGIN


class Second(NamedTuple):
    """``t_us`` is its end, on the clock of the host that made the churn; ``p99_us`` is ``None`` without a response."""

    t_us: int
    seconds: float
    p99_us: float | None


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    churns = [(host, action) for host, action in record.actions() if action.action == "churn"]
    if not churns:
        return {}
    host, actions = churns[0][0], [action for _, action in churns]
    done = [action for action in actions if not action.skipped and action.ended_us is not None]
    window = host.window
    if not done or window is None:
        return {}
    span = Window(done[0].t_us, max(action.ended_us or 0 for action in done))
    intervals = _intervals(record, host.clock_offset_us)
    before = [one for one in intervals if one.t1_us <= span.start_us]
    # A delayed request counts in the interval in which its response arrived.
    during = [one for one in intervals if span.start_us < one.t1_us and one.t0_us < span.end_us]
    after = [one for one in intervals if one.t0_us >= span.end_us]
    usual_us = _p99(before)
    return {
        **_calls(actions, done),
        "churn_p50_before_us": _percentile(before, 0.5),
        "churn_p50_during_us": _percentile(during, 0.5),
        "churn_p99_before_us": usual_us,
        "churn_p99_during_us": _p99(during),
        "churn_p99_after_us": _p99(after),
        **_aftermath(span.end_us, usual_us, *(_by_second(phase) for phase in (before, during, after))),
    }


def _intervals(record: TrialRecord, clock_offset_us: int) -> list[LatencyInterval]:
    """Intervals of all streams except probes in the window, by time, on the clock of the host with the given offset."""
    shifted_intervals = []
    for host in record.hosts:
        shift_us = host.clock_offset_us - clock_offset_us
        for stream in (one for one in host.spec.streams if not one.probe):
            for one in host.window_intervals(stream.key):
                shifted = {"t0_us": one.t0_us + shift_us, "t1_us": one.t1_us + shift_us}
                shifted_intervals.append(one.model_copy(update=shifted))
    return sorted(shifted_intervals, key=lambda one: one.t0_us)


def _calls(actions: Sequence[ActionEvent], done: Sequence[ActionEvent]) -> dict[str, float | None]:
    taken_us = [(action.ended_us or action.t_us) - action.t_us for action in done]
    answered = [us for action, us in zip(done, taken_us, strict=True) if action.ok]
    return {
        "churn_calls": float(len(actions)),
        "churn_calls_failed": float(sum(not action.ok for action in done)),
        "churn_calls_skipped": float(len(actions) - len(done)),
        "churn_call_us": fmean(taken_us),
        "churn_call_least_us": float(min(answered)) if answered else None,
    }


def _aftermath(
    end_us: int,
    usual_us: float | None,
    before: Sequence[Second],
    during: Sequence[Second],
    after: Sequence[Second],
) -> dict[str, float | None]:
    """A second has recovered if its p99 is not above the highest of a second before the churn.

    The p99 of a second rests on few responses: how far it strays is seen in the seconds before. Beyond the highest of
    them, a difference below the margin counts as none.
    """
    if usual_us is None:
        return {}
    near_us = (1 + MIN_MARGIN) * max(one.p99_us for one in before if one.p99_us is not None)
    seconds = [*during, *after]
    fine = [one.p99_us is not None and one.p99_us <= near_us for one in after]
    # Two seconds in a row, as one second may be fast by chance; a single slow one later does not count.
    back = next((i for i, both in enumerate(pairwise(fine)) if all(both)), None)
    typical = [one.p99_us for one in during if one.p99_us is not None]
    return {
        "churn_excess_latency_ms_s": _excess_us_s(seconds, usual_us) / 1000,
        "churn_recovered": float(back is not None) if len(after) > 1 else None,
        "churn_recovery_s": None if back is None else (after[back - 1].t_us - end_us) / 1e6 if back else 0.0,
        "churn_p99_typical_us": median(typical) if typical else None,
    }


def _excess_us_s(seconds: Sequence[Second], usual_us: float) -> float:
    """Area between the p99 of each second and the usual one. A request that is due in a second without a response waits
    at least until the next second with one has begun, or until the window ends."""
    excess, answered_us = 0.0, seconds[-1].t_us if seconds else 0
    for one in reversed(seconds):
        begin_us = one.t_us - one.seconds * 1e6
        if one.p99_us is not None:
            answered_us = round(begin_us)
        waited_us = answered_us - (begin_us + one.t_us) / 2
        excess += one.seconds * max(0.0, (one.p99_us if one.p99_us is not None else waited_us) - usual_us)
    return excess


def _by_second(intervals: Sequence[LatencyInterval]) -> list[Second]:
    """All streams together: intervals that overlap by more than half belong to the same second."""
    groups: list[list[LatencyInterval]] = []
    for one in intervals:
        if groups and one.t0_us < (groups[-1][0].t0_us + groups[-1][0].t1_us) // 2:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [Second(group[0].t1_us, (group[0].t1_us - group[0].t0_us) / 1e6, _p99(group)) for group in groups]


def _p99(intervals: Sequence[LatencyInterval]) -> float | None:
    return _percentile(intervals, 0.99)


def _percentile(intervals: Sequence[LatencyInterval], fraction: float) -> float | None:
    histogram = merge(one.histogram for one in intervals)
    return histogram.value_at(fraction) if histogram is not None else None
