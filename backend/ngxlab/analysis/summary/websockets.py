"""WebSockets of a trial: to nginx each is one request, whatever it carries, so that the load counts messages."""

from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import TrialRecord


def streams_of(record: TrialRecord) -> list[StreamSpec]:
    return [stream for host_record in record.hosts for stream in host_record.spec.streams]


def holds_websockets(record: TrialRecord) -> bool:
    return any(stream.websocket is not None for stream in streams_of(record))


def served_in_load(record: TrialRecord, requests: int | None) -> int | None:
    """``requests``: as nginx counts those of the whole load. With WebSockets, requests and messages of all streams."""
    if not holds_websockets(record):
        return requests
    return sum(
        interval.count
        for host_record in record.hosts
        for interval in host_record.intervals
        if interval.quantity == "latency" and interval.stream in {stream.key for stream in host_record.spec.streams}
    )


def answered_in_window(record: TrialRecord) -> int:
    """Requests and messages of all streams, as the load counts them."""
    return sum(
        interval.count
        for host_record in record.hosts
        for stream in host_record.spec.streams
        for interval in host_record.window_intervals(stream.key)
    )
