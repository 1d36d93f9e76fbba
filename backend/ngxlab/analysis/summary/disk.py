"""What nginx's workers read and wrote, as the kernel counts it for each process (proc_pid_io(5)).

``read_bytes`` counts what was fetched from the storage layer, read-ahead included. ``write_bytes`` counts
pages that were made dirty in the page cache; they go to the disk unless the file is removed before.
"""

from collections.abc import Sequence

from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.summary.host import nginx_counts
from ngxlab.analysis.summary.streams import requests_per_s, total
from ngxlab.analysis.summary.websockets import holds_websockets

_WORKER = "nginx-worker"


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    target = record.target
    if target is None or target.window is None:
        return {}
    read = target.series.rate(target.window, "ngxlab_process_read_bytes_total", role=_WORKER)
    return {
        "disk_read_bytes_per_s": read,
        "bytes_from_disk_percent": _from_disk_percent(record, target, read),
        "disk_written_bytes_per_request": _per_request(record, target, "ngxlab_process_written_bytes_total"),
        "write_syscalls_per_request": _per_request(record, target, "ngxlab_process_write_syscalls_total"),
    }


def served_bytes_per_s(record: TrialRecord, streams: Sequence[tuple[HostRecord, StreamSpec]]) -> float | None:
    """What these streams received within the window; ``None`` if one of them was not measured."""
    return total([_received_per_s(host, stream) for host, stream in streams])


def reading_streams(record: TrialRecord, target: HostRecord) -> list[tuple[HostRecord, StreamSpec]]:
    """The streams whose requests go to cold files; all streams, if none does."""
    folders = {files.folder for files in target.nginx.files if files.cold}
    every = [(host, stream) for host in record.hosts for stream in host.spec.streams]
    return [pair for pair in every if _first_folder(pair[1]) in folders] or every


def _from_disk_percent(record: TrialRecord, target: HostRecord, read: float | None) -> float | None:
    """Bytes from the disk in percent of those served from files. Above 100 if read-ahead was dropped unsent."""
    served = served_bytes_per_s(record, reading_streams(record, target)) if target.nginx.files else None
    return 100 * read / served if read is not None and served else None


def _first_folder(stream: StreamSpec) -> str:
    return stream.asked_path.split("/")[1]


def _received_per_s(host: HostRecord, stream: StreamSpec) -> float | None:
    """Its rate in the window times the mean size of its responses, which is known over its whole life only."""
    result, intervals = host.stream_result(stream.key), host.window_intervals(stream.key)
    if result is None or host.window is None or not intervals:
        return None
    count, size = 0, 0
    if result.printed is not None:
        count, size = result.printed.requests, result.printed.bytes_read
    elif result.totals is not None:
        count, size = result.totals.completed, result.totals.bytes_read
    responses = [*intervals, *host.window_intervals(stream.key, "rejected")]
    rate = sum(interval.count for interval in responses) / host.window.seconds
    return rate * size / count if count else None


def _per_request(record: TrialRecord, target: HostRecord, name: str) -> float | None:
    rate = target.series.rate(target.window, name, role=_WORKER) if target.window is not None else None
    requests = _requests_per_s(record, target)
    return rate / requests if rate is not None and requests else None


def _requests_per_s(record: TrialRecord, target: HostRecord) -> float | None:
    """As nginx counts them, or the generators if nginx was too busy to answer the polls, or sees no messages."""
    counts = nginx_counts(target) if not holds_websockets(record) else None
    if counts is not None:
        return counts.requests / counts.seconds
    streams = ((host, stream) for host in record.hosts for stream in host.spec.streams)
    return total([requests_per_s(host.window_intervals(stream.key)) for host, stream in streams])
