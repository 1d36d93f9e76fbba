"""The status page: its text, the HTTP around it, and a real nginx that closes connections."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.collectors import ParseError, StubStatus, read_status
from ngxlab_worker.collectors.stub_status import StatusConnection, StubStatusCollector, parse, parse_response

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import StartNginx

    Golden = Callable[[str], bytes]


def test_a_real_answer(golden: Golden) -> None:
    response = parse_response(golden("stub_status_response"))
    assert response is not None
    assert (response.status, response.keep_alive) == (200, True)
    status = parse(response.body)
    assert status == StubStatus(active=9, accepts=131, handled=131, requests=124_209, reading=0, writing=1, waiting=8)


def test_tengines_page_has_one_number_more(golden: Golden) -> None:
    status = parse(golden("awkward/stub_status_tengine"))
    assert (status.accepts, status.handled, status.requests, status.waiting) == (28, 27, 58, 1)


@given(cut=st.integers(min_value=0, max_value=249))
def test_an_answer_is_complete_at_its_last_byte(cut: int) -> None:
    body = b"x" * 100
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n" + b"X-Pad: " + b"-" * 98 + b"\r\nConnection: close\r\n\r\n"
    assert parse_response((whole + body)[: min(cut, len(whole) + 99)]) is None
    complete = parse_response(whole + body)
    assert complete is not None
    assert (complete.body, complete.keep_alive) == (body, False)


@given(data=st.binary(max_size=300))
def test_anything_is_a_parse_error(data: bytes) -> None:
    with pytest.raises(ParseError, match="unexpected content"):
        parse(data)
    with suppress(ParseError):
        parse_response(data + b"\r\n\r\n")


def test_a_poll_counts_itself(start_nginx: StartNginx) -> None:
    nginx = start_nginx()
    first, second = read_status(nginx.address), read_status(nginx.address)
    assert second.requests - first.requests == 1
    assert second.accepts - first.accepts == 1
    # Another worker may still count the first connection.
    assert second.writing >= 1


def test_polls_share_one_connection(start_nginx: StartNginx) -> None:
    nginx = start_nginx()
    connection = StatusConnection(nginx.address)
    pages = [connection.poll() for _ in range(20)]
    connection.close()
    assert pages[-1].accepts == pages[0].accepts
    assert pages[-1].requests - pages[0].requests == 19


def test_nginx_may_close_after_every_few_requests(start_nginx: StartNginx) -> None:
    nginx = start_nginx(keepalive_requests=3)
    connection = StatusConnection(nginx.address)
    pages = [connection.poll() for _ in range(10)]
    connection.close()
    assert [page.requests - pages[0].requests for page in pages] == list(range(10))
    assert pages[-1].accepts - pages[0].accepts == 3


def test_a_connection_closed_while_idle_is_opened_again() -> None:
    body = b"Active connections: 1 \nserver accepts handled requests\n 1 1 1 \nReading: 0 Writing: 1 Waiting: 0 \n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = StatusConnection(server.getsockname())
        for _ in range(2):
            # What the peer says first waits in the socket, so one thread can play both sides.
            poll_with_prepared_answer(server, connection, answer)
        connection.close()


def poll_with_prepared_answer(server: socket.socket, connection: StatusConnection, answer: bytes) -> None:
    def serve() -> None:
        peer, _ = server.accept()
        with peer:
            peer.recv(1000)
            peer.sendall(answer)

    thread = Thread(target=serve)
    thread.start()
    assert connection.poll().requests == 1
    thread.join()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", OSError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", ParseError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", OSError),
        (b"SSH-2.0-OpenSSH\r\n\r\n", ParseError),
        (b"", ConnectionError),
    ],
)
def test_what_is_no_status_page_is_an_error(answer: bytes, error: type[Exception]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = StatusConnection(server.getsockname())
        with pytest.raises(error):
            poll_with_prepared_answer(server, connection, answer)
        connection.close()


def test_a_silent_listener_is_a_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(TimeoutError):
        read_status(server.getsockname(), timeout=0.05)


def test_only_answered_polls_are_counted(start_nginx: StartNginx) -> None:
    collector = StubStatusCollector()
    assert not collector.read().columns, "no address, nothing to read"
    nginx = start_nginx()
    collector.point_at(nginx.address)
    assert collector.read().values[-1] == collector.polls == 1
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        collector.point_at(closed.getsockname())
        with pytest.raises(ConnectionRefusedError):
            collector.read()
    assert collector.polls == 1
    collector.close()


def test_an_answer_that_comes_late_is_that_of_the_next_reading() -> None:
    body = b"Active connections: 1 \nserver accepts handled requests\n 1 1 7 \nReading: 0 Writing: 1 Waiting: 0 \n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = StatusConnection(server.getsockname(), timeout=20)
        assert connection.poll_within(0.01) is None
        peer, _ = server.accept()
        assert connection.poll_within(0) is None
        with peer:
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            status = connection.poll_within(10)
            assert status is not None
            assert status.requests == 7
            assert peer.recv(1000).count(b"GET") == 1, "asked once, however often it was waited for"
        connection.close()


def test_a_reading_does_not_wait_for_a_blocked_nginx() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        collector = StubStatusCollector(patience_s=0.01)
        collector.point_at(server.getsockname())
        readings = [collector.read() for _ in range(3)]
        assert [reading.columns for reading in readings] == [(), (), ()]
        assert {notice.code for reading in readings for notice in reading.notices} == {"status-late"}
        assert collector.polls == 0
        collector.close()
