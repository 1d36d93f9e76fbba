"""What a connection may ask of the product before, while and after it sends a request, with nginx in front."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
import services
from harness import Backend
from ngxlab.core import answers
from ngxlab.core.config import Settings
from serving import front, fronted

SOON_S = 1
MAX_HEAD_BYTES = 64 << 10
LOGIN = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: lab\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def lab(migrated: Settings) -> Iterator[Backend]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "BODY_SECONDS", 2 * SOON_S)
        with fronted(migrated, head_s=SOON_S, body_s=SOON_S, unread_s=SOON_S) as reached:
            yield reached


class Connection:
    def __init__(self, own: socket.socket) -> None:
        self.socket = own

    def send(self, data: bytes, times: int = 1, pause_s: float = 0) -> int:
        """How often, until the connection was closed."""
        for i in range(times):
            try:
                self.socket.sendall(data)
            except OSError:
                return i
            time.sleep(pause_s)
        return times

    def said(self) -> bytes:
        """All that came until the connection was closed."""
        came = b""
        try:
            while more := self.socket.recv(65_536):
                came += more
        except ConnectionError:
            pass
        return came

    def is_ended(self) -> bool:
        """Within the time limit of the socket."""
        self.said()
        return True


@contextmanager
def connected(port: int) -> Iterator[Connection]:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as own:
        yield Connection(own)


@pytest.fixture
def connection(lab: Backend) -> Iterator[Connection]:
    with connected(int(lab.url.rpartition(":")[2])) as made:
        yield made


def _problem(said: bytes) -> dict[str, object]:
    head, _, body = said.partition(b"\r\n\r\n")
    assert b"Content-Type: application/problem+json" in head
    found: dict[str, object] = json.loads(body)
    assert head.startswith(f"HTTP/1.1 {found['status']} ".encode())
    return found


def test_a_connection_that_says_nothing_ends(connection: Connection) -> None:
    assert connection.is_ended()


def test_a_head_that_trickles_ends(connection: Connection) -> None:
    connection.send(b"GET / HTTP/1.1\r\n")
    assert connection.send(b"X: y\r\n", 100, 0.1) < 100


def test_a_body_that_does_not_come_ends(connection: Connection) -> None:
    connection.send(LOGIN + b"Content-Length: 1000\r\n\r\nx")
    assert connection.is_ended()


def test_a_body_that_trickles_ends(connection: Connection) -> None:
    connection.send(LOGIN + b"Content-Length: 1000\r\n\r\n")
    assert connection.send(b"x", 200, 0.1) < 200


def test_line_ends_between_requests_keep_no_connection(connection: Connection) -> None:
    connection.send(b"GET /healthz HTTP/1.1\r\nHost: lab\r\n\r\n")
    assert connection.send(b"\r\n", 100, 0.1) < 100


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET /", b"a" * 1000),
        (b"GET / HTTP/1.1\r\nX: ", b"a" * 1000),
        (b"GET / HTTP/1.1\r\n", b"A: " + b"b" * 1000 + b"\r\n"),
    ],
    ids=["target", "header", "headers"],
)
def test_a_head_without_end(connection: Connection, begin: bytes, more: bytes) -> None:
    connection.send(begin)
    for _ in range(2 * MAX_HEAD_BYTES // 1000):
        connection.send(more)
    assert _problem(connection.said())["status"] == 431


@pytest.mark.parametrize("begin", [b"0\r\nX: ", b"1;x="], ids=["trailer", "chunk extension"])
def test_what_is_wrapped_around_a_body_ends(connection: Connection, begin: bytes) -> None:
    connection.send(LOGIN + b"Transfer-Encoding: chunked\r\n\r\n" + begin)
    assert connection.send(b"a" * 100, 200, 0.1) < 200


@pytest.mark.parametrize(
    "begin", [b"GET /", b"GET / HTTP/1.1\r\nX: ", b"GET /healthz HTTP/1.1\r\nHost: lab\r\n\r\nGET / HTTP/1.1\r\nX: "]
)
def test_a_head_that_is_too_long_is_told_so(connection: Connection, begin: bytes) -> None:
    connection.send(begin + b"a" * (MAX_HEAD_BYTES + 1000))
    said = connection.said()
    found = _problem(said[said.rindex(b"HTTP/1.1 ") :])
    assert (found["status"], found["code"]) == (431, "request-header-fields-too-large")


def test_a_long_head_passes(connection: Connection) -> None:
    connection.send(b"GET /healthz HTTP/1.1\r\nHost: lab\r\nConnection: close\r\nX: " + b"a" * 60_000 + b"\r\n\r\n")
    assert connection.said().startswith(b"HTTP/1.1 200 ")


def test_what_is_no_http_is_told_so(connection: Connection) -> None:
    connection.send(b"\x16\x03\x01 hello\r\n\r\n")
    assert _problem(connection.said())["code"] == "bad-request"


def test_a_body_that_is_too_long_is_refused_before_it_comes_and_not_read_on(connection: Connection) -> None:
    connection.send(LOGIN + b"Content-Length: 67108864\r\n\r\n")
    head = connection.socket.recv(65_536)
    assert head.startswith(b"HTTP/1.1 413 ")
    assert connection.send(b"x" * 1000, 200, 0.1) < 200


def test_a_strangers_body_is_refused_before_it_comes(connection: Connection) -> None:
    connection.send(b"POST /api/v1/experiments HTTP/1.1\r\nHost: lab\r\nContent-Length: 1000000\r\n\r\n")
    assert connection.socket.recv(65_536).startswith(b"HTTP/1.1 401 ")
    assert connection.send(b"x" * 1000, 200, 0.1) < 200


@pytest.mark.parametrize("chunk", [b"1\r\n \r\n", b"1000\r\n" + b" " * 4096 + b"\r\n"], ids=["small", "large"])
def test_long_bodies_pass_in_any_chunks(connection: Connection, chunk: bytes) -> None:
    connection.send(LOGIN + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
    connection.send(chunk * 20)
    connection.send(b"2\r\n{}\r\n0\r\n\r\n")
    assert connection.said().startswith(b"HTTP/1.1 422 ")


@contextmanager
def _endless() -> Iterator[tuple[str, Thread]]:
    """A backend that answers without end, and its thread, which ends once nobody takes the answer."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        taken, _ = listener.accept()
        with taken:
            taken.recv(65_536)
            try:
                taken.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while True:
                    taken.sendall(b"x" * 65_536)
            except OSError:
                return

    thread = Thread(target=answer, daemon=True)
    thread.start()
    with listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}", thread


def test_a_reader_that_takes_nothing_is_given_up() -> None:
    with (
        _endless() as (address, answering),
        front(address, unread_s=SOON_S) as port,
        socket.create_connection(("127.0.0.1", port)) as reader,
    ):
        reader.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: lab\r\n\r\n")
        answering.join(30)
        assert not answering.is_alive()


def test_one_request_too_many_at_once_is_a_problem_and_health_is_asked_for_all_the_same() -> None:
    with (
        _endless() as (address, _),
        front(address, connections=1) as port,
        connected(port) as first,
        connected(port) as second,
        connected(port) as third,
    ):
        first.send(b"GET /api/v1/runs HTTP/1.1\r\nHost: lab\r\n\r\n")
        assert first.socket.recv(10)
        second.send(b"GET /api/v1/runs HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
        said = second.said()
        third.send(b"GET /healthz HTTP/1.1\r\nHost: lab\r\n\r\n")
        third.socket.settimeout(0.5)
        with pytest.raises(TimeoutError):  # it is passed on, to a backend that answers nobody else
            third.socket.recv(10)
    assert _problem(said)["code"] == "unavailable"
    assert b"Retry-After: 5" in said


def test_a_backend_that_is_away_is_named() -> None:
    with front(f"127.0.0.1:{services.free_port()}") as port, connected(port) as connection:
        connection.send(b"GET /api/v1/runs HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
        said = connection.said()
    assert _problem(said)["code"] == "unavailable"
    assert b"Retry-After: 2" in said
