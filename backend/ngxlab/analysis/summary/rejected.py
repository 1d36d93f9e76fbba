"""Responses that served nobody, such as 429: apart from those that did, as far as the engine can tell them apart."""

from collections.abc import Mapping
from typing import NamedTuple

from ngxlab_contracts.statuses import covers
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval, Totals

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.records.readings import Window
from ngxlab.analysis.schemas import LatencySummary, RejectedSummary, ToldApart
from ngxlab.analysis.statistics.histograms import Histogram, add, merge

_COUNTED_SHARE = 0.95
"""The intervals have at least this share of the rejected responses, or they were not told apart: the rest may have come
in moments in which the generator was not read."""


class _Rejected(NamedTuple):
    """Responses of one stream in the window: numbers of served and rejected ones, and the latency of the latter."""

    served: int
    rejected: int
    latency: Histogram | None


def rejected_summary(record: HostRecord, stream: StreamSpec, active: Window | None) -> RejectedSummary | None:
    """``None`` where the generator reported no totals, and rejected nothing that it could count."""
    result = record.stream_result(stream.key)
    totals = (result.printed or result.totals) if result is not None else None
    own = [one for one in record.intervals if (one.stream, one.quantity) == (stream.key, "rejected")]
    if totals is None and not own:
        return None
    found = _in_window(record, stream)
    return RejectedSummary(
        requests=found.rejected,
        per_s=found.rejected / active.seconds if active is not None else None,
        share_percent=_percent(found),
        latency=found.latency.summarise() if found.latency is not None else None,
        statuses=_statuses(stream, totals.statuses or {}) if totals is not None else {},
        told_apart=_told_apart(own, whole_life(stream, totals)),
    )


def whole_life(stream: StreamSpec, totals: Totals | None) -> int:
    """Responses that served nobody, warm-up included."""
    if totals is None:
        return 0
    return sum(_statuses(stream, totals.statuses).values()) if totals.statuses else totals.errors_status


def answered(totals: Totals) -> int:
    """All responses, warm-up included."""
    return totals.completed if isinstance(totals, EngineTotals) else totals.requests


def unexpected(stream: StreamSpec, totals: Totals) -> int:
    """Responses whose status the stream does not expect, over its whole life."""
    if not totals.statuses:
        return totals.errors_status
    return sum(count for status, count in totals.statuses.items() if not stream.expects(int(status)))


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """Values of all streams together, except probes."""
    streams = [(host, stream) for host in record.hosts for stream in host.spec.streams if not stream.probe]
    every = [_in_window(host, stream) for host, stream in streams if host.window is not None]
    whole = _Rejected(
        sum(one.served for one in every),
        sum(one.rejected for one in every),
        add(one.latency for one in every if one.latency is not None),
    )
    seconds = next((host.window.seconds for host, _ in streams if host.window is not None), None)
    latency: LatencySummary | None = whole.latency.summarise() if whole.latency is not None else None
    return {
        "rejected_per_s": whole.rejected / seconds if seconds else None,
        "rejected_percent": _percent(whole),
        "rejected_latency_p50_us": latency.p50_us if latency is not None else None,
        "rejected_latency_p99_us": latency.p99_us if latency is not None else None,
    }


def _in_window(record: HostRecord, stream: StreamSpec) -> _Rejected:
    rejected = record.window_intervals(stream.key, "rejected")
    return _Rejected(
        sum(one.count for one in record.window_intervals(stream.key)),
        sum(one.count for one in rejected),
        merge(one.histogram for one in rejected),
    )


def _percent(found: _Rejected) -> float | None:
    whole = found.served + found.rejected
    return 100 * found.rejected / whole if whole else None


def _statuses(stream: StreamSpec, statuses: Mapping[str, int]) -> dict[str, int]:
    return {status: count for status, count in statuses.items() if not covers(stream.served_statuses, int(status))}


def _told_apart(own: list[LatencyInterval], rejected: int) -> ToldApart:
    if sum(one.count for one in own) < _COUNTED_SHARE * rejected:
        return "nothing"
    return "all" if all(one.histogram is not None for one in own if one.count) else "rate"
