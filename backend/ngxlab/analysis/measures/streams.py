"""Requests, latency, errors and accounting of each stream."""

from collections.abc import Sequence
from typing import NamedTuple

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import LatencyInterval, StreamResult, WrkPrint

from ngxlab.analysis.histograms import Histogram, add, merge
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.schemas import Accounting, ErrorSummary, StreamSummary
from ngxlab.analysis.stream_spans import lasts_the_window


class StreamMeasure(NamedTuple):
    """``adds_per_s``: what the stream adds to the trial's requests per second, which is over the whole window."""

    summary: StreamSummary
    adds_per_s: float | None
    histogram: Histogram | None


def measure_streams(record: HostRecord) -> list[StreamMeasure]:
    """In the order of the spec."""
    return [_measure(record, stream) for stream in record.spec.streams]


def merged(measures: Sequence[StreamMeasure]) -> Histogram | None:
    return add(measure.histogram for measure in measures if measure.histogram is not None)


def _measure(record: HostRecord, stream: StreamSpec) -> StreamMeasure:
    intervals, active = record.window_intervals(stream.key), record.active_window(stream)
    histogram = merge(interval.histogram for interval in intervals)
    result = record.stream_result(stream.key)
    printed = result.printed if result is not None else None
    idle = record.window is not None and active is None
    rate = requests_per_s(record.intervals_during(active, stream.key)) if active is not None else None
    summary = StreamSummary(
        stream=stream.key,
        host_id=record.host_id,
        connections=stream.connections,
        threads=stream.threads,
        active_s=active.seconds if active is not None else 0.0 if idle else None,
        requests=sum(interval.count for interval in intervals) if intervals or idle else None,
        requests_per_s=rate,
        latency=histogram.summarise() if histogram is not None else None,
        errors=_errors(printed) if printed is not None else None,
        accounting=_account_stream(result) if result is not None else None,
        printed=printed,
    )
    return StreamMeasure(summary, _adds_per_s(record, stream, summary), histogram)


def _adds_per_s(record: HostRecord, stream: StreamSpec, summary: StreamSummary) -> float | None:
    """The rate of a stream that lasts the window, which an interval lost at an edge does not bend; else its responses
    over the window, those among them that wrk still had under way when it was told to stop.
    """
    if lasts_the_window(stream, record.spec.timing):
        return summary.requests_per_s
    if summary.requests is None or record.window is None:
        return None
    return summary.requests / record.window.seconds


def requests_per_s(intervals: Sequence[LatencyInterval]) -> float | None:
    """Responses over the time the intervals really cover, so that an edge cut a little off does not bend the rate."""
    covered_us = sum(interval.t1_us - interval.t0_us for interval in intervals)
    return sum(interval.count for interval in intervals) * 1e6 / covered_us if covered_us > 0 else None


def _errors(printed: WrkPrint) -> ErrorSummary:
    socket_errors = printed.errors_connect + printed.errors_read + printed.errors_write + printed.errors_timeout
    every = socket_errors + printed.errors_status
    return ErrorSummary(
        connect=printed.errors_connect,
        read=printed.errors_read,
        write=printed.errors_write,
        timeout=printed.errors_timeout,
        status=printed.errors_status,
        share_percent=100 * every / printed.requests if printed.requests else None,
    )


def _account_stream(result: StreamResult) -> Accounting:
    printed = result.printed.requests if result.printed is not None else None
    return account(result.live_requests, printed, result.stub_requests)


def account(live: int | None, printed: int | None, stub: int | None) -> Accounting:
    """Three counts of the same requests, and by how much they differ."""
    counts = [count for count in (live, printed, stub) if count is not None]
    disagreement = None
    if len(counts) >= 2:
        disagreement = 100 * (max(counts) - min(counts)) / max(counts) if max(counts) else 0.0
    return Accounting(
        live_requests=live,
        printed_requests=printed,
        stub_requests=stub,
        max_disagreement_percent=disagreement,
    )
