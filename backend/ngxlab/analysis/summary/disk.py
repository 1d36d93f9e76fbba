"""What nginx's workers read and wrote, by the kernel's account of each process (proc_pid_io(5)).

``read_bytes`` is what really came from the storage layer, read ahead included; ``write_bytes`` what was made dirty in
the page cache and so goes to the disk, unless it is removed before.
"""

from collections.abc import Sequence

from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.summary.host import nginx_counts
from ngxlab.analysis.summary.streams import requests_per_s

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
    """What these streams received within the window; ``None`` where one of them does not tell."""
    rates = [_received_per_s(host, stream) for host, stream in streams]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if known and len(known) == len(rates) else None


def reading_streams(record: TrialRecord, target: HostRecord) -> list[tuple[HostRecord, StreamSpec]]:
    """The streams whose requests go to cold files; all of them, where none does or there are none."""
    folders = {files.folder for files in target.nginx.files if files.cold}
    every = [(host, stream) for host in record.hosts for stream in host.spec.streams]
    return [pair for pair in every if _first_folder(pair[1]) in folders] or every


def _from_disk_percent(record: TrialRecord, target: HostRecord, read: float | None) -> float | None:
    """Of the bytes served to those who read files: above 100 where read ahead was dropped before it was sent."""
    served = served_bytes_per_s(record, reading_streams(record, target)) if target.nginx.files else None
    return 100 * read / served if read is not None and served else None


def _first_folder(stream: StreamSpec) -> str:
    path = stream.paths.pattern if stream.paths is not None else stream.path
    return path.split("/")[1]


def _received_per_s(host: HostRecord, stream: StreamSpec) -> float | None:
    """Its rate in the window times the mean size of its responses, which only its whole life tells."""
    result, intervals = host.stream_result(stream.key), host.window_intervals(stream.key)
    if result is None or host.window is None or not intervals:
        return None
    count, size = 0, 0
    if result.printed is not None:
        count, size = result.printed.requests, result.printed.bytes_read
    elif result.totals is not None:
        count, size = result.totals.completed, result.totals.bytes_read
    rate = sum(interval.count for interval in intervals) / host.window.seconds
    return rate * size / count if count else None


def _per_request(record: TrialRecord, target: HostRecord, name: str) -> float | None:
    rate = target.series.rate(target.window, name, role=_WORKER) if target.window is not None else None
    requests = _requests_per_s(record, target)
    return rate / requests if rate is not None and requests else None


def _requests_per_s(record: TrialRecord, target: HostRecord) -> float | None:
    """As nginx counts them, or the generators where nginx was too busy to tell."""
    counts = nginx_counts(target)
    if counts is not None:
        return counts.requests / counts.seconds
    rates = [requests_per_s(host.window_intervals(stream.key)) for host in record.hosts for stream in host.spec.streams]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if known and len(known) == len(rates) else None
