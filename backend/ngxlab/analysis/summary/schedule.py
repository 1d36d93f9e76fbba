"""What an engine that follows a schedule counted within the window: due and sent requests, backlog."""

from typing import NamedTuple

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.raw_series import Increase
from ngxlab.analysis.records.readings import Window


class ScheduleCounts(NamedTuple):
    """Over the stream's own time within the window. ``None``: not an open loop, or not read."""

    intended: int | None = None
    intended_per_s: float | None = None
    sent: int | None = None
    backlog_max: int | None = None


def schedule_counts(record: HostRecord, stream: StreamSpec, active: Window | None) -> ScheduleCounts:
    if ENGINES[stream.engine].loop != "open" or active is None:
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
