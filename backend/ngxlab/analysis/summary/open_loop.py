"""Whether an open loop kept its plan: what its engine counted within the window."""

from typing import NamedTuple

from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.raw_series import Window


class OpenLoopCounts(NamedTuple):
    """Of the stream's own time within the window. ``None``: not an open loop, or not read."""

    intended: int | None = None
    sent: int | None = None
    backlog_max: int | None = None


def open_loop_counts(record: HostRecord, stream: StreamSpec, active: Window | None) -> OpenLoopCounts:
    if stream.engine != "open-loop" or active is None:
        return OpenLoopCounts()
    return OpenLoopCounts(
        intended=_gained(record, stream, active, "ngxlab_stream_requests_intended_total"),
        sent=_gained(record, stream, active, "ngxlab_stream_requests_sent_total"),
        backlog_max=_most(record, stream, active, "ngxlab_stream_backlog"),
    )


def _gained(record: HostRecord, stream: StreamSpec, active: Window, name: str) -> int | None:
    found = (series.increase(active) for series in record.series.find(name, stream=stream.key))
    increase = next(found, None)
    return round(increase.amount) if increase is not None else None


def _most(record: HostRecord, stream: StreamSpec, active: Window, name: str) -> int | None:
    found = (series.maximum(active) for series in record.series.find(name, stream=stream.key))
    most = next(found, None)
    return round(most) if most is not None else None
