"""What a connection may ask of the server before, while and after it sends a request."""

import asyncio
import json
import socket
from typing import Any
from unittest.mock import MagicMock

import pytest
import uvicorn
from ngxlab.core.connections import http_protocol
from ngxlab.core.connections.http_protocol import BODY_SECONDS, HEAD_SECONDS, MAX_HEAD_BYTES, BoundedHttpProtocol
from uvicorn.server import ServerState


class Loop:
    """Of an event loop what a protocol uses. Time stands still; ``timers`` are those that are not cancelled."""

    def __init__(self) -> None:
        self._handles: list[tuple[float, Any, MagicMock]] = []

    def call_later(self, seconds: float, action: Any) -> MagicMock:
        handle = MagicMock()
        self._handles.append((seconds, action, handle))
        return handle

    def call_soon(self, action: Any) -> None:
        action()

    def create_task(self, work: Any, **_: Any) -> MagicMock:
        work.close()
        return MagicMock()

    @property
    def timers(self) -> list[tuple[float, Any]]:
        return [(seconds, action) for seconds, action, handle in self._handles if not handle.cancel.called]


class Connection:
    def __init__(self) -> None:
        self.loop = Loop()
        self.transport = MagicMock(asyncio.Transport)
        self.transport.get_extra_info.return_value = None
        self.transport.is_closing.side_effect = lambda: self.transport.close.called
        config = uvicorn.Config(MagicMock(), log_config=None, ws="none")
        config.load()
        self.protocol = BoundedHttpProtocol(config, ServerState(), {}, self.loop)  # type: ignore[arg-type]
        self.protocol.connection_made(self.transport)

    @property
    def is_closed(self) -> bool:
        return bool(self.transport.close.called)

    @property
    def written(self) -> bytes:
        return b"".join(call.args[0] for call in self.transport.write.call_args_list)

    def send(self, data: bytes, times: int = 1) -> int:
        """How often, until the connection was closed."""
        for i in range(times):
            if self.is_closed:
                return i
            self.protocol.data_received(data)
        return times

    def answer(self) -> None:
        """As an application that has not read the body."""
        self.protocol.cycle.response_complete = True
        self.protocol.on_response_complete()


@pytest.fixture
def connection() -> Connection:
    return Connection()


def _pass(connection: Connection, seconds: float) -> None:
    ((found, action),) = connection.loop.timers
    assert found == seconds
    action()
    assert connection.is_closed


def test_a_connection_that_says_nothing_ends(connection: Connection) -> None:
    _pass(connection, HEAD_SECONDS)


def test_a_head_that_trickles_ends(connection: Connection) -> None:
    connection.send(b"GET / HTTP/1.1\r\n")
    connection.send(b"X: y\r\n", 20)
    _pass(connection, HEAD_SECONDS)


def test_a_body_that_trickles_ends(connection: Connection) -> None:
    connection.send(b"POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\nx")
    _pass(connection, BODY_SECONDS)


def test_line_ends_between_requests_keep_no_connection(connection: Connection) -> None:
    connection.send(b"GET / HTTP/1.1\r\n\r\n")
    connection.answer()
    connection.send(b"\r\n", 20)
    _pass(connection, HEAD_SECONDS)


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET /", b"a" * 1000),
        (b"GET / HTTP/1.1\r\nX: ", b"a" * 1000),
        (b"GET / HTTP/1.1\r\n", b"A: " + b"b" * 1000 + b"\r\n"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"a" * 1000),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;x=", b"a" * 1000),
    ],
    ids=["target", "header", "headers", "trailer", "chunk extension"],
)
def test_a_head_or_trailer_without_end(connection: Connection, begin: bytes, more: bytes) -> None:
    connection.send(begin)
    assert connection.send(more, 10_000) <= MAX_HEAD_BYTES // 1000 + 2


@pytest.mark.parametrize("begin", [b"GET /", b"GET / HTTP/1.1\r\nX: ", b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nX: "])
def test_a_head_that_is_too_long_is_told_so(connection: Connection, begin: bytes) -> None:
    connection.send(begin)
    connection.send(b"a" * (MAX_HEAD_BYTES + 1))
    head, _, body = connection.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    assert b"content-type: application/problem+json" in head
    assert json.loads(body)["status"] == 431
    assert connection.is_closed


def test_what_is_no_http_is_told_so(connection: Connection) -> None:
    connection.send(b"\x16\x03\x01 hello\r\n\r\n")
    head, _, body = connection.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["code"] == "bad-request"
    assert connection.is_closed


def test_a_refused_body_is_not_read_on(connection: Connection) -> None:
    connection.send(b"POST / HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n")
    connection.send(b"x" * 1000, 50)
    connection.answer()
    assert connection.send(b"x" * 1000, 10_000) <= MAX_HEAD_BYTES // 1000 + 2
    assert connection.is_closed
    assert connection.written == b""


def test_the_rest_of_a_refused_body_that_does_not_come_is_not_waited_for(connection: Connection) -> None:
    connection.send(b"POST / HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n")
    connection.answer()
    assert HEAD_SECONDS in [seconds for seconds, _ in connection.loop.timers]


def test_a_short_refused_body_costs_no_connection(connection: Connection) -> None:
    connection.send(b"POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n")
    connection.answer()
    connection.send(b"x" * 1000)
    connection.send(b"GET / HTTP/1.1\r\n\r\n")
    assert not connection.is_closed
    assert connection.protocol.scope["method"] == "GET"


def test_long_bodies_pass_in_any_chunks(connection: Connection) -> None:
    connection.send(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert connection.send(b"1\r\nx\r\n", 40_000) == 40_000
    assert connection.send(b"1000\r\n" + b"x" * 4096 + b"\r\n", 1_000) == 1_000
    connection.send(b"0\r\n\r\n")
    assert not connection.is_closed
    assert connection.loop.timers == []


async def _endless(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while True:
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
        await asyncio.sleep(0)  # sending to a connection that is lost waits for nothing


def test_a_reader_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "UNREAD_SECONDS", 0.5)

    async def serve() -> None:
        loop, lost = asyncio.get_running_loop(), asyncio.Event()
        config = uvicorn.Config(_endless, log_config=None, ws="none")
        config.load()

        class Watched(BoundedHttpProtocol):
            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                lost.set()

        server = await loop.create_server(lambda: Watched(config, ServerState(), {}, loop), "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()) as reader:
            reader.sendall(b"GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
            await asyncio.wait_for(lost.wait(), 90)
        server.close()

    asyncio.run(serve())
