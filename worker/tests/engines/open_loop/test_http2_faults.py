"""HTTP/2 against servers that reset, refuse, leave and fall silent: every request is counted as what became of it."""

import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ngxlab_contracts.telemetry import EngineTotals
from ngxlab_worker.sandbox import Sandbox
from tests.support.streams import Server, fall_silent, open_loop, reset, running

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, GOAWAY = 1, 3, 4, 7
INTERNAL_ERROR, REFUSED_STREAM = 2, 7
STATUS_200 = b"\x88"
"""Entry 8 of HPACK's static table (RFC 7541, appendix A)."""

OnRequest = Callable[[socket.socket, int], None]
"""What to do with the request that came on a stream; ``ConnectionError`` ends the connection."""


def frame(kind: int, stream: int, payload: bytes = b"", flags: int = 0) -> bytes:
    """RFC 9113, 4.1."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def answer(connection: socket.socket, stream: int) -> None:
    connection.sendall(frame(HEADERS, stream, STATUS_200, flags=0x5))  # END_STREAM, END_HEADERS


def exactly(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        piece = connection.recv(size - len(received))
        if not piece:
            raise ConnectionError
        received += piece
    return received


def requests(connection: socket.socket) -> Iterator[int]:
    """The streams of requests without bodies, as they come; the connection is set up before."""
    assert exactly(connection, len(PREFACE)) == PREFACE
    connection.sendall(frame(SETTINGS, 0))
    while True:
        size, kind, _, stream = struct.unpack(">IBBI", b"\0" + exactly(connection, 9))
        exactly(connection, size)
        if kind == HEADERS:
            yield stream


def serving(on_request: OnRequest) -> Callable[[socket.socket], None]:
    def behave(connection: socket.socket) -> None:
        for stream in requests(connection):
            on_request(connection, stream)

    return behave


def end_stream(code: int) -> OnRequest:
    return lambda connection, stream: connection.sendall(frame(RST_STREAM, stream, struct.pack(">I", code)))


def leave(connection: socket.socket, stream: int) -> None:
    raise ConnectionError


def cut_off(connection: socket.socket, stream: int) -> None:
    reset(connection)
    raise ConnectionError


def babble(connection: socket.socket, stream: int) -> None:
    connection.sendall(frame(SETTINGS, 0, b"12345"))  # no multiple of 6
    fall_silent(connection)


FAULTS: dict[str, tuple[OnRequest, str]] = {
    "resets": (end_stream(INTERNAL_ERROR), "errors_reset"),
    "refuses": (end_stream(REFUSED_STREAM), "errors_refused"),
    "closes": (leave, "errors_read"),
    "cuts off": (cut_off, "errors_read"),
    "babbles": (babble, "errors_garbage"),
}


def ended(totals: EngineTotals) -> int:
    failed = totals.errors_read + totals.errors_write + totals.errors_timeout + totals.errors_garbage
    return totals.completed + failed + totals.errors_reset + totals.errors_refused


@pytest.mark.parametrize("fault", FAULTS)
def test_a_request_that_is_not_answered_is_counted(agent_folder: Path, sandbox: Sandbox, fault: str) -> None:
    on_request, kind = FAULTS[fault]
    spec = open_loop(200, protocol="http/2")
    with (
        Server(serving(on_request)) as server,
        running(spec, server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for(kind, 30)
        totals = stream.end()
    assert (totals.completed, totals.errors_connect, stream.counted("latency")) == (0, 0, 0)
    assert totals.intended == ended(totals) + totals.unfinished
    assert totals.reconnects == 0 if kind in {"errors_reset", "errors_refused"} else totals.reconnects > 0


def test_requests_that_an_orderly_end_left_unprocessed_are_sent_again(agent_folder: Path, sandbox: Sandbox) -> None:
    def goes_away(connection: socket.socket) -> None:
        """After ten requests, of which it has processed five."""
        for number, stream in enumerate(requests(connection), start=1):
            if number <= 5:
                last = stream
            elif number == 10:
                connection.sendall(frame(GOAWAY, 0, struct.pack(">II", last, 0)))
                answer(connection, last)
                while connection.recv(4096):
                    pass
                return
            if number < 5:
                answer(connection, stream)

    spec = open_loop(1000, connections=2, protocol="http/2", requests_at_once=20)
    with Server(goes_away) as server, running(spec, server.target, agent_folder, sandbox) as stream:
        stream.wait_for("completed", 100)
        totals = stream.end()
    assert ended(totals) == totals.completed
    assert totals.intended == totals.completed + totals.unfinished
    assert totals.completed <= totals.sent <= totals.intended
    assert totals.goaways >= 20
    assert totals.requests_repeated >= 50
    assert stream.counted("latency") == stream.counted("service") == totals.completed
    assert stream.counted("schedule") == totals.sent


def test_silence_is_a_timeout_of_each_request_and_then_another_connection(agent_folder: Path, sandbox: Sandbox) -> None:
    spec = open_loop(100, connections=1, timeout_s=1, protocol="http/2", requests_at_once=10)
    with (
        Server(serving(lambda connection, stream: None)) as server,
        running(spec, server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("errors_timeout", 15)
        stream.wait_for("reconnects", 1)
        totals = stream.end()
    assert totals.completed == 0
    assert totals.intended == ended(totals) + totals.unfinished
