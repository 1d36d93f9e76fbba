"""The errors of generators that still run, from the counters that some engines report while they do."""

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import ErrorSummary, TrialSummary

_KINDS = ("connect", "read", "write", "timeout", "status", "garbage")
_ERRORS = "ngxlab_stream_errors_total"
_COMPLETED = "ngxlab_stream_requests_completed_total"


def with_errors_so_far(summary: TrialSummary, record: TrialRecord) -> TrialSummary:
    """wrk tells its errors only at its end: its streams stay without."""
    streams = []
    for stream in summary.streams:
        host = next((one for one in record.hosts if one.host_id == stream.host_id), None)
        counted = _errors(host, stream.stream) if host is not None else None
        streams.append(stream.model_copy(update={"errors": stream.errors or counted}))
    return summary.model_copy(update={"streams": streams})


def _errors(host: HostRecord, stream: str) -> ErrorSummary | None:
    counts = {kind: _latest(host, _ERRORS, stream=stream, kind=kind) for kind in _KINDS}
    answered = _latest(host, _COMPLETED, stream=stream)
    if answered is None or any(count is None for count in counts.values()):
        return None
    known = {kind: count or 0 for kind, count in counts.items()}
    failed = sum(known.values())
    share = 100 * failed / answered if answered else 100.0 if failed else None
    return ErrorSummary(**known, share_percent=share)


def _latest(host: HostRecord, name: str, **labels: str) -> int | None:
    series = host.series.find(name, **labels)
    value = series[-1].last_before(int(series[-1].t_us[-1]) + 1) if series and series[-1].t_us.size else None
    return round(value) if value is not None else None
