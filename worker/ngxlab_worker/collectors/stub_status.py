"""nginx's own counters over one keep-alive connection. Source: ngx_http_stub_status_module.

**Each poll counts itself**: one more request, one active connection, and one connection in ``writing`` while it is
answered. Values are kept raw; subtract the polls when reading (``ngxlab_stub_status_polls_total``, and for an upstream
server ``upstream_stub_status_polls_total``).
"""

import re
import socket
import time
from collections.abc import Sequence
from typing import NamedTuple

from ngxlab_worker.collectors.reading import Metric, Notice, Reading, Table, Values, counter, gauge, parser

PATH = "/stub_status"
TIMEOUT_S = 0.5
GIVE_UP_S = 10.0
"""A slow disk may block a worker for seconds, which alone is not a failure."""

_REQUEST = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
# Tengine adds a fourth word and number, request_time.
_PAGE = re.compile(
    rb"Active connections:\s+(\d{1,20})\s+server accepts handled requests[ a-z_]*\s+"
    rb"(\d{1,20})\s+(\d{1,20})\s+(\d{1,20})\s[\s\d]*Reading:\s+(\d{1,20})\s+Writing:\s+(\d{1,20})\s+Waiting:\s+(\d{1,20})"
)
_RECV_BYTES = 4096
_LONGEST_RESPONSE = 16_384

_LATE = Notice("status-late", "nginx did not answer stub_status at once: its counters lack readings")


def _metrics(owner: str, polls: str, *labels: str) -> tuple[Metric, ...]:
    """In the page's order, then our own polls."""
    return (
        gauge(f"{owner}_connections_active", "connections", *labels),
        counter(f"{owner}_connections_accepted_total", "connections", *labels),
        counter(f"{owner}_connections_handled_total", "connections", *labels),
        counter(f"{owner}_http_requests_total", "requests", *labels),
        gauge(f"{owner}_connections_reading", "connections", *labels),
        gauge(f"{owner}_connections_writing", "connections", *labels),
        gauge(f"{owner}_connections_waiting", "connections", *labels),
        counter(f"{polls}_stub_status_polls_total", "requests", *labels),
    )


METRICS = _metrics("nginx", "ngxlab")
UPSTREAM_METRICS = _metrics("upstream", "upstream", "upstream")


class StubStatus(NamedTuple):
    """One page of stub_status, raw, in the page's order. Counters since nginx started (a reload keeps them)."""

    active: int
    accepts: int
    handled: int
    requests: int
    reading: int
    writing: int
    waiting: int


class Response(NamedTuple):
    status: int
    body: bytes
    keep_alive: bool


@parser
def parse(body: bytes) -> StubStatus:
    page = _PAGE.search(body)
    if page is None:
        raise ValueError(body)
    return StubStatus(*map(int, page.groups()))


@parser
def parse_response(data: bytes) -> Response | None:
    """An HTTP/1.1 response with a Content-Length, or ``None`` while it is incomplete."""
    if len(data) > _LONGEST_RESPONSE:
        raise ValueError(data)
    head, blank, body = data.partition(b"\r\n\r\n")
    if not blank:
        return None
    status_line, *lines = head.split(b"\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    length = int(fields[b"content-length"])
    if not 0 <= length <= _LONGEST_RESPONSE:
        raise ValueError(length)
    if len(body) < length:
        return None
    return Response(int(status_line.split()[1]), body[:length], fields.get(b"connection", b"").lower() != b"close")


class ConnectionClosedError(ConnectionError):
    """nginx closed the connection before it sent any part of an answer."""


class StatusConnection:
    """Polls over one connection, and opens another when nginx has closed it (keepalive_requests, a worker's exit).

    A request is not repeated after a timeout: nginx may have counted it although its answer never came.
    """

    def __init__(self, address: tuple[str, int], timeout: float = TIMEOUT_S) -> None:
        self.address = address
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._asked_at: float | None = None
        self._reused = False
        self._data = b""

    def poll(self) -> StubStatus:
        """One reading. Raises ``OSError``, also ``TimeoutError``, or ``ParseError`` (not a stub_status page)."""
        while (status := self.poll_within(self._timeout)) is None:
            pass
        return status

    def poll_within(self, patience_s: float) -> StubStatus | None:
        """One reading, or ``None`` if it has not arrived yet: then the next call continues to wait for it.

        A blocked worker answers when it is free again, and must not delay other readings meanwhile. Raises what
        :meth:`poll` raises, ``TimeoutError`` once the connection's whole timeout has passed.
        """
        until = time.monotonic() + patience_s
        reusable = False
        try:
            if self._asked_at is None:
                self._ask()
            response = self._receive(until)
            reusable = response is None or response.keep_alive
        finally:
            if not reusable:
                self.close()
        if response is None:
            return None
        self._asked_at = None
        if response.status != 200:
            self.close()
            raise OSError(f"{PATH} answered {response.status}")
        return parse(response.body)

    def close(self) -> None:
        self._asked_at = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _ask(self) -> None:
        self._reused = self._socket is not None
        if self._socket is None:
            self._socket = socket.create_connection(self.address, timeout=self._timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._data, self._asked_at = b"", time.monotonic()
        self._socket.settimeout(self._timeout)
        try:
            self._socket.sendall(_REQUEST)
        except ConnectionError:
            self._ask_anew()

    def _ask_anew(self) -> None:
        """Ask over a new connection, if nginx closed this one while it was idle and so has not seen the request."""
        if not self._reused:
            raise ConnectionClosedError("nginx closed the connection before the answer")
        self.close()
        self._ask()

    def _receive(self, until: float) -> Response | None:
        while (part := self._part(until)) is not None:
            if not part and self._data:
                raise OSError("nginx closed the connection within the answer")
            if not part:
                self._ask_anew()
            self._data += part
            response = parse_response(self._data)
            if response is not None:
                return response
        return None

    def _part(self, until: float) -> bytes | None:
        """The next bytes: empty where nginx closed the connection, ``None`` where none came in time."""
        if self._socket is None or self._asked_at is None:
            raise ConnectionClosedError("no request was sent")
        give_up = self._asked_at + self._timeout
        left = min(until, give_up) - time.monotonic()
        if left > 0:
            self._socket.settimeout(left)
            try:
                return self._socket.recv(_RECV_BYTES)
            except ConnectionResetError:
                return b""
            except TimeoutError:
                pass
        if time.monotonic() >= give_up:
            raise TimeoutError("timed out")
        return None


def read_status(address: tuple[str, int], timeout: float = TIMEOUT_S) -> StubStatus:
    """One reading over a new connection, to test readiness and to count requests before and after a stream.

    The result includes the poll itself: requests + 1, accepts + 1, handled + 1, active 1, writing 1. The counters are
    exact; active and writing may for a moment include a poll that another worker has just answered. Raises what
    :meth:`StatusConnection.poll` raises. :attr:`Sampler.polls` does not include it: the caller counts it.
    """
    connection = StatusConnection(address, timeout)
    try:
        return connection.poll()
    finally:
        connection.close()


class StubStatusCollector:
    """``polls`` counts the answered polls over all addresses. Without an address there is nothing to read."""

    name = "stub_status"

    def __init__(self, patience_s: float = TIMEOUT_S) -> None:
        """``patience_s``: how long a reading may take. A later answer belongs to the next reading."""
        self.polls = 0
        self._patience_s = patience_s
        self._connection: StatusConnection | None = None
        self._table = Table(METRICS)

    def point_at(self, address: tuple[str, int] | None) -> None:
        if self._connection is not None and self._connection.address == address:
            return
        self.close()
        self._connection = StatusConnection(address, GIVE_UP_S) if address is not None else None

    def read(self) -> Reading:
        if self._connection is None:
            return Reading((), [])
        status = self._connection.poll_within(self._patience_s)
        if status is None:
            return Reading((), [], [_LATE])
        self.polls += 1
        return self._table.reading(_values(METRICS, status, self.polls))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class UpstreamStatusCollector:
    """The status of an upstream server, in series of its own. There is one for each, so that one that does not answer
    does not affect the others."""

    def __init__(self, key: str, address: tuple[str, int]) -> None:
        self.name = f"upstream_status.{key}"
        self._key = key
        self._polls = 0
        self._connection = StatusConnection(address)
        self._table = Table(UPSTREAM_METRICS)
        self.close = self._connection.close

    def read(self) -> Reading:
        status = self._connection.poll()
        self._polls += 1
        return self._table.reading(_values(UPSTREAM_METRICS, status, self._polls, self._key))


def _values(metrics: Sequence[Metric], status: StubStatus, polls: int, *labels: str) -> Values:
    figures = zip(metrics, (*status, polls), strict=True)
    return {(metric.name, *labels): float(number) for metric, number in figures}
