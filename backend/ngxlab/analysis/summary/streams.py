"""Requests, latency, errors and accounting of each stream."""

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Literal, NamedTuple, TypedDict, TypeVar

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval, Quantity, StreamResult

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.raw_series import Increase
from ngxlab.analysis.records.readings import Window
from ngxlab.analysis.records.stream_spans import lasts_the_window
from ngxlab.analysis.schemas import Accounting, ErrorSummary, LatencySummary, NginxCounts, StreamSummary
from ngxlab.analysis.statistics.histograms import Histogram, add, merge
from ngxlab.analysis.summary.rejected import answered, rejected_summary, unexpected

Number = TypeVar("Number", int, float)


def total(values: Sequence[Number | None]) -> Number | None:
    """The sum, or ``None`` if a value is missing or there is none: a partial sum would be too small."""
    present = [value for value in values if value is not None]
    return reduce(operator.add, present) if present and len(present) == len(values) else None


class SummarisedStream(NamedTuple):
    """``adds_per_s``: the stream's share of the trial's requests per second, which is over the whole window."""

    summary: StreamSummary
    adds_per_s: float | None
    histogram: Histogram | None


def summarise_streams(record: HostRecord) -> list[SummarisedStream]:
    """Summaries in the order of the spec."""
    return [_summarised(record, stream) for stream in record.spec.streams]


def without_probes(streams: Sequence[SummarisedStream]) -> list[SummarisedStream]:
    """The streams that make the trial's totals: a probe only observes the others. All, if there are only probes."""
    return [stream for stream in streams if not stream.summary.probe] or list(streams)


def merged(streams: Sequence[SummarisedStream]) -> Histogram | None:
    return add(stream.histogram for stream in streams if stream.histogram is not None)


def _summarised(record: HostRecord, stream: StreamSpec) -> SummarisedStream:
    intervals, active = record.window_intervals(stream.key), record.active_window(stream)
    histogram = merge(interval.histogram for interval in intervals)
    result = record.stream_result(stream.key)
    idle = record.window is not None and active is None
    rate = requests_per_s(record.intervals_during(active, stream.key)) if active is not None else None
    counts = schedule_counts(record, stream, active)
    summary = StreamSummary(
        stream=stream.key,
        host_id=record.host_id,
        connections=stream.connections,
        threads=stream.threads,
        engine=stream.engine,
        probe=stream.probe,
        latency_basis="intended" if stream.loop == "open" else "closed-loop",
        active_s=active.seconds if active is not None else 0.0 if idle else None,
        requests=sum(interval.count for interval in intervals) if intervals or idle else None,
        requests_per_s=rate,
        latency=histogram.summarise() if histogram is not None else None,
        service=_summarise(record, stream, "service"),
        schedule=_summarise(record, stream, "schedule"),
        intended=counts.intended,
        intended_per_s=counts.intended_per_s,
        sent=counts.sent,
        backlog_max=counts.backlog_max,
        cpu_s=_cpu_s(record, stream),
        rejected=rejected_summary(record, stream, active),
        errors=errors_of(stream, result) if result is not None else None,
        accounting=_account_stream(stream, result) if result is not None else None,
        printed=result.printed if result is not None else None,
        totals=result.totals if result is not None else None,
    )
    return SummarisedStream(summary, _adds_per_s(record, stream, summary), histogram)


def _adds_per_s(record: HostRecord, stream: StreamSpec, summary: StreamSummary) -> float | None:
    """Over the whole window, in requests per second.

    For a stream that lasts the window it is the stream's own rate, which an interval lost at an edge does not change.
    Otherwise its responses in the window, those in flight when the generator was stopped included.
    """
    if lasts_the_window(stream, record.spec.timing):
        return summary.requests_per_s
    if summary.requests is None or record.window is None:
        return None
    return summary.requests / record.window.seconds


def requests_per_s(intervals: Sequence[LatencyInterval]) -> float | None:
    """Responses over the time that the intervals cover, so that a lost interval does not change the rate."""
    covered_us = sum(interval.t1_us - interval.t0_us for interval in intervals)
    return sum(interval.count for interval in intervals) * 1e6 / covered_us if covered_us > 0 else None


def _summarise(record: HostRecord, stream: StreamSpec, quantity: Quantity) -> LatencySummary | None:
    histogram = merge(interval.histogram for interval in record.window_intervals(stream.key, quantity))
    return histogram.summarise() if histogram is not None else None


def _cpu_s(record: HostRecord, stream: StreamSpec) -> float | None:
    if record.window is None:
        return None
    name = "ngxlab_process_run_seconds_total"
    cores = record.series.rate(record.window, name, role="generator", stream=stream.key)
    return cores * record.window.seconds if cores is not None else None


def errors_of(stream: StreamSpec, result: StreamResult) -> ErrorSummary | None:
    """``None`` if the generator did not report its totals."""
    totals = result.printed or result.totals
    if totals is None:
        return None
    own = totals if isinstance(totals, EngineTotals) else None
    garbage, reset, refused = (own.errors_garbage, own.errors_reset, own.errors_refused) if own else (0, 0, 0)
    failed = totals.errors_connect + totals.errors_read + totals.errors_write + totals.errors_timeout
    failed += garbage + reset + refused
    status = unexpected(stream, totals)
    return ErrorSummary(
        connect=totals.errors_connect,
        read=totals.errors_read,
        write=totals.errors_write,
        timeout=totals.errors_timeout,
        status=status,
        garbage=garbage,
        reset=reset,
        refused=refused,
        share_percent=_share_percent(failed + status, answered(totals)),
    )


def _share_percent(failed: int, answered: int) -> float | None:
    """100 if no request was answered and some failed; ``None`` if there was neither."""
    if answered:
        return 100 * failed / answered
    return 100.0 if failed else None


def _account_stream(stream: StreamSpec, result: StreamResult) -> Accounting:
    """Requests whose client went away are in nginx's count, so that they are added to those that were answered. nginx
    counts no messages: to it, a WebSocket is one request."""
    printed = result.printed.requests if result.printed is not None else None
    live = result.live_requests
    if result.totals is not None:
        printed = result.totals.completed + result.totals.aborted
        live = None if live is None else live + result.totals.aborted
    unread = result.live_unavailable_reason is not None
    stub = result.stub_requests if stream.websocket is None else None
    return account(live, printed, stub, unread=unread)


def account(live: int | None, printed: int | None, stub: int | None, *, unread: bool = False) -> Accounting:
    """Three counts of the same requests, and how much they differ. ``unread``: the generator's last moments were not
    read, so that ``live`` is less than the others for a known reason."""
    lacking = max(0, printed - live) if unread and printed and live is not None else 0
    counts = [count for count in (None if lacking else live, printed, stub) if count is not None]
    disagreement = None
    if len(counts) >= 2:
        disagreement = 100 * (max(counts) - min(counts)) / max(counts) if max(counts) else 0.0
    return Accounting(
        live_requests=live,
        printed_requests=printed,
        stub_requests=stub,
        unread_percent=100 * lacking / printed if lacking and printed else 0.0,
        max_disagreement_percent=disagreement,
    )


RateSource = Literal["histogram", "stub_status", "none"]


class LoadFields(TypedDict):
    """Named as in :class:`TrialSummary`."""

    requests: int | None
    requests_per_s: float | None
    rate_source: RateSource
    latency: LatencySummary | None
    latency_histogram: str | None


def load_fields(streams: Sequence[SummarisedStream], nginx: NginxCounts | None) -> LoadFields:
    """``streams``: without probes. Raises ValueError if their histograms have different precisions."""
    histogram = merged(streams)
    rate, source = _rate(streams, nginx)
    return LoadFields(
        requests=_requests(streams, nginx),
        requests_per_s=rate,
        rate_source=source,
        latency=histogram.summarise() if histogram is not None else None,
        latency_histogram=histogram.encode() if histogram is not None else None,
    )


def _rate(streams: Sequence[SummarisedStream], nginx: NginxCounts | None) -> tuple[float | None, RateSource]:
    """The rate is from the histograms only if all streams have one, as two sources would not add up."""
    rate = total([stream.adds_per_s for stream in streams])
    if rate is not None:
        return rate, "histogram"
    if nginx is not None:
        return nginx.requests / nginx.seconds, "stub_status"
    return None, "none"


def _requests(streams: Sequence[SummarisedStream], nginx: NginxCounts | None) -> int | None:
    requests = total([stream.summary.requests for stream in streams])
    if requests is not None:
        return requests
    return nginx.requests if nginx is not None else None


class ScheduleCounts(NamedTuple):
    """Over the stream's own time within the window. ``None``: not an open loop, or not read."""

    intended: int | None = None
    intended_per_s: float | None = None
    sent: int | None = None
    backlog_max: int | None = None


def schedule_counts(record: HostRecord, stream: StreamSpec, active: Window | None) -> ScheduleCounts:
    if stream.loop != "open" or active is None:
        return ScheduleCounts()
    intended = _increase(record, stream, active, "ngxlab_stream_requests_intended_total")
    sent = _increase(record, stream, active, "ngxlab_stream_requests_sent_total")
    return ScheduleCounts(
        intended=round(intended.amount) if intended is not None else None,
        intended_per_s=intended.per_second if intended is not None else None,
        sent=round(sent.amount) if sent is not None else None,
        backlog_max=_maximum(record, stream, active, "ngxlab_stream_backlog"),
    )


def _increase(record: HostRecord, stream: StreamSpec, active: Window, name: str) -> Increase | None:
    increases = (series.increase(active) for series in record.series.find(name, stream=stream.key))
    return next(increases, None)


def _maximum(record: HostRecord, stream: StreamSpec, active: Window, name: str) -> int | None:
    maxima = (series.maximum(active) for series in record.series.find(name, stream=stream.key))
    maximum = next(maxima, None)
    return round(maximum) if maximum is not None else None
