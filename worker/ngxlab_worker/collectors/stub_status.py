"""nginx's own counters over one keep-alive connection. Source: ngx_http_stub_status_module.

**Each poll counts itself**: one more request, one active connection, and one connection in ``writing`` while it is
answered. Values are kept raw; subtract the polls when reading (``ngxlab_stub_status_polls_total``).
"""

import re
import socket
import time
from typing import NamedTuple

from ngxlab_worker.collectors.reading import Reading, Table, Values, counter, gauge, parser

PATH = "/stub_status"
TIMEOUT_S = 0.5

_REQUEST = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
# Tengine adds a fourth word and number, request_time.
_PAGE = re.compile(
    rb"Active connections:\s+(\d{1,20})\s+server accepts handled requests[ a-z_]*\s+"
    rb"(\d{1,20})\s+(\d{1,20})\s+(\d{1,20})\s[\s\d]*Reading:\s+(\d{1,20})\s+Writing:\s+(\d{1,20})\s+Waiting:\s+(\d{1,20})"
)
_RECV_BYTES = 4096
_LONGEST_RESPONSE = 16_384

METRICS = (
    gauge("nginx_connections_active", "connections"),
    counter("nginx_connections_accepted_total", "connections"),
    counter("nginx_connections_handled_total", "connections"),
    counter("nginx_http_requests_total", "requests"),
    gauge("nginx_connections_reading", "connections"),
    gauge("nginx_connections_writing", "connections"),
    gauge("nginx_connections_waiting", "connections"),
    counter("ngxlab_stub_status_polls_total", "requests"),
)


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
    """The text of a stub_status page, nginx's or Tengine's."""
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
    """nginx closed the connection without a byte of an answer."""


class StatusConnection:
    """Polls over one connection, and opens another when nginx has closed it (keepalive_requests, a worker's exit).

    Nothing is repeated after a timeout: nginx may have counted that request though its answer never came.
    """

    def __init__(self, address: tuple[str, int], timeout: float = TIMEOUT_S) -> None:
        self.address = address
        self._timeout = timeout
        self._socket: socket.socket | None = None

    def poll(self) -> StubStatus:
        """One reading. Raises ``OSError`` (with ``TimeoutError``) or ``ParseError`` (not a stub_status page)."""
        deadline = time.monotonic() + self._timeout
        if self._socket is not None:
            try:
                return self._exchange(self._socket, deadline)
            except ConnectionError:
                pass  # closed while it was idle: nothing was asked yet
        self._socket = socket.create_connection(self.address, timeout=self._timeout)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._exchange(self._socket, deadline)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, connection: socket.socket, deadline: float) -> StubStatus:
        reusable = False
        try:
            _arm(connection, deadline)
            connection.sendall(_REQUEST)
            response = _receive(connection, deadline)
            reusable = response.keep_alive
            if response.status != 200:
                raise OSError(f"{PATH} answered {response.status}")
            return parse(response.body)
        finally:
            if not reusable:
                self.close()


def _receive(connection: socket.socket, deadline: float) -> Response:
    data = b""
    while True:
        _arm(connection, deadline)
        part = connection.recv(_RECV_BYTES)
        if not part:
            raise ConnectionClosedError("closed before the answer") if not data else OSError("answer cut short")
        data += part
        response = parse_response(data)
        if response is not None:
            return response


def _arm(connection: socket.socket, deadline: float) -> None:
    """Socket timeouts hold for one call; the poll as a whole has one deadline."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    connection.settimeout(left)


def read_status(address: tuple[str, int], timeout: float = TIMEOUT_S) -> StubStatus:
    """One reading over a connection of its own, for readiness and for accounting before and after a stream.

    It counts itself in what it returns: requests + 1, accepts + 1, handled + 1, active 1, writing 1. The counters are
    exact; active and writing may for an instant still hold a poll just answered by another worker. Raises as
    :meth:`StatusConnection.poll` does. Not counted in :attr:`Sampler.polls`: the caller keeps account of its own.
    """
    connection = StatusConnection(address, timeout)
    try:
        return connection.poll()
    finally:
        connection.close()


class StubStatusCollector:
    """``polls`` counts the polls answered, over all addresses; without an address there is nothing to read."""

    name = "stub_status"

    def __init__(self) -> None:
        self.polls = 0
        self._connection: StatusConnection | None = None
        self._table = Table(METRICS)

    def point_at(self, address: tuple[str, int] | None) -> None:
        """Read from here from now on."""
        if self._connection is not None and self._connection.address == address:
            return
        self.close()
        self._connection = StatusConnection(address) if address is not None else None

    def read(self) -> Reading:
        if self._connection is None:
            return Reading((), [])
        status = self._connection.poll()
        self.polls += 1
        values: Values = {
            (metric.name,): float(number) for metric, number in zip(METRICS, (*status, self.polls), strict=True)
        }
        return self._table.reading(values)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
