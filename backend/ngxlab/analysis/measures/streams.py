"""Requests, latency, errors and accounting of each stream."""

from collections.abc import Sequence
from typing import NamedTuple

from ngxlab_contracts.telemetry import LatencyInterval, StreamResult, WrkPrint

from ngxlab.analysis.histograms import Histogram, add, merge
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.schemas import Accounting, ErrorSummary, StreamSummary


class StreamMeasure(NamedTuple):
    summary: StreamSummary
    histogram: Histogram | None


def measure_streams(record: HostRecord) -> list[StreamMeasure]:
    """In the order of the spec."""
    return [_measure(record, stream.key) for stream in record.spec.streams]


def merged(measures: Sequence[StreamMeasure]) -> Histogram | None:
    return add(measure.histogram for measure in measures if measure.histogram is not None)


def _measure(record: HostRecord, stream: str) -> StreamMeasure:
    intervals = record.window_intervals(stream)
    histogram = merge(interval.histogram for interval in intervals)
    result = record.stream_result(stream)
    printed = result.printed if result is not None else None
    summary = StreamSummary(
        stream=stream,
        requests=sum(interval.count for interval in intervals) if intervals else None,
        requests_per_s=requests_per_s(intervals),
        latency=histogram.summarise() if histogram is not None else None,
        errors=_errors(printed) if printed is not None else None,
        accounting=_account(result) if result is not None else None,
        printed=printed,
    )
    return StreamMeasure(summary, histogram)


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


def _account(result: StreamResult) -> Accounting:
    printed = result.printed.requests if result.printed is not None else None
    counts = [count for count in (result.live_requests, printed, result.stub_requests) if count is not None]
    disagreement = None
    if len(counts) >= 2:
        disagreement = 100 * (max(counts) - min(counts)) / max(counts) if max(counts) else 0.0
    return Accounting(
        live_requests=result.live_requests,
        printed_requests=printed,
        stub_requests=result.stub_requests,
        max_disagreement_percent=disagreement,
    )
