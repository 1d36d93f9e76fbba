"""stub_status of an upstream server, in series of its own.

Each poll counts itself, as in ``stub_status``: subtract ``upstream_stub_status_polls_total``.
"""

from ngxlab_worker.collectors.reading import Reading, Table, Values, counter, gauge
from ngxlab_worker.collectors.stub_status import StatusConnection

METRICS = (
    gauge("upstream_connections_active", "connections", "upstream"),
    counter("upstream_connections_accepted_total", "connections", "upstream"),
    counter("upstream_connections_handled_total", "connections", "upstream"),
    counter("upstream_http_requests_total", "requests", "upstream"),
    gauge("upstream_connections_reading", "connections", "upstream"),
    gauge("upstream_connections_writing", "connections", "upstream"),
    gauge("upstream_connections_waiting", "connections", "upstream"),
    counter("upstream_stub_status_polls_total", "requests", "upstream"),
)


class UpstreamStatusCollector:
    """One for each upstream server, so that one that does not answer does not affect the others."""

    def __init__(self, key: str, address: tuple[str, int]) -> None:
        self.name = f"upstream_status.{key}"
        self._key = key
        self._polls = 0
        self._connection = StatusConnection(address)
        self._table = Table(METRICS)

    def read(self) -> Reading:
        status = self._connection.poll()
        self._polls += 1
        values: Values = {
            (metric.name, self._key): float(number)
            for metric, number in zip(METRICS, (*status, self._polls), strict=True)
        }
        return self._table.reading(values)

    def close(self) -> None:
        self._connection.close()
