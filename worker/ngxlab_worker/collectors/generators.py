"""The counters of load engines that report them while they run. A stream of any other engine has no columns here."""

from collections.abc import Callable, Mapping

from ngxlab_worker.collectors.reading import Reading, Table, Values, counter, gauge

Counts = Callable[[], Mapping[str, int]]
"""Counts by the names of ``EngineTotals``, and the present ``backlog`` and ``connections``. A name may be missing."""

KINDS = ("connect", "read", "write", "timeout", "status", "garbage", "reset", "refused")

_GAUGES = {
    "backlog": gauge("ngxlab_stream_backlog", "requests", "stream"),
    "connections": gauge("ngxlab_stream_connections", "connections", "stream"),
}
_COUNTERS = {
    "intended": counter("ngxlab_stream_requests_intended_total", "requests", "stream"),
    "sent": counter("ngxlab_stream_requests_sent_total", "requests", "stream"),
    "completed": counter("ngxlab_stream_requests_completed_total", "requests", "stream"),
    "connects": counter("ngxlab_stream_connects_total", "connections", "stream"),
    "reconnects": counter("ngxlab_stream_reconnects_total", "connections", "stream"),
    "handshakes": counter("ngxlab_stream_handshakes_total", "handshakes", "stream"),
    "handshakes_resumed": counter("ngxlab_stream_handshakes_resumed_total", "handshakes", "stream"),
}
_METRICS = _COUNTERS | _GAUGES
_ERRORS = counter("ngxlab_stream_errors_total", "errors", "stream", "kind")


class GeneratorCollector:
    """``streams``: how to read the counts of each stream that reports them, by its key."""

    name = "generators"

    def __init__(self, streams: Mapping[str, Counts]) -> None:
        self._streams = streams
        self._table = Table((*_METRICS.values(), _ERRORS))

    def read(self) -> Reading:
        values: Values = {}
        for stream, counts in self._streams.items():
            counted = counts()
            values |= {
                (metric.name, stream): float(counted[name]) for name, metric in _METRICS.items() if name in counted
            }
            values |= {
                (_ERRORS.name, stream, kind): float(counted[name])
                for kind in KINDS
                if (name := f"errors_{kind}") in counted
            }
        return self._table.reading(values)

    def close(self) -> None:
        """Nothing is held open."""
