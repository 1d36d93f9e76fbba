"""What nginx itself shows: blocked workers, request times by its own log, temporary files."""

import numpy as np
from ngxlab_contracts.telemetry import Quantity

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import LatencySummary
from ngxlab.analysis.statistics.histograms import merge
from ngxlab.analysis.summary.websockets import holds_websockets, served_in_load


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    target = record.target
    if target is None or target.window is None:
        return {}
    request = upstream = None
    if not holds_websockets(record):  # the log has how long each was open
        request, upstream = _times(target, "request_time"), _times(target, "upstream_time")
    request_p99_us = request.p99_us if request is not None else None
    upstream_p99_us = upstream.p99_us if upstream is not None else None
    return {
        "worker_blocked_percent": _blocked_percent(target),
        "request_time_p50_ms": request.p50_us / 1000 if request is not None else None,
        "request_time_p99_ms": request_p99_us / 1000 if request_p99_us is not None else None,
        "upstream_time_p50_ms": upstream.p50_us / 1000 if upstream is not None else None,
        "upstream_time_p99_ms": upstream_p99_us / 1000 if upstream_p99_us is not None else None,
        "temp_file_warnings_per_1000_requests": _temporary_files(record, target),
    }


def _blocked_percent(target: HostRecord) -> float | None:
    """Share of the readings in which a worker's main thread was in state D (uninterruptible, waiting for the disk)."""
    if target.window is None:
        return None
    columns = target.series.find("ngxlab_process_main_thread_blocked", role="nginx-worker")
    readings = [column.within(target.window).values for column in columns]
    seen = np.concatenate(readings) if readings else np.empty(0)
    return 100 * float(seen.mean()) if seen.size else None


def _times(target: HostRecord, quantity: Quantity) -> LatencySummary | None:
    """nginx logs milliseconds without decimals, so less than 1 ms is 0."""
    merged = merge(interval.histogram for interval in target.window_intervals("nginx", quantity))
    return merged.summarise() if merged is not None else None


def _temporary_files(record: TrialRecord, target: HostRecord) -> float | None:
    """Over the whole load: the log's lines are not separated by window."""
    files, total = target.temporary_files(), target.nginx_total()
    served = served_in_load(record, total.requests) if total is not None else 0
    if files is None or not served:
        return None
    return 1000 * (files.requests + files.responses) / served
