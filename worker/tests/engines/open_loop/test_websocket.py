"""WebSockets through a real nginx, to an upstream server that sends messages back: what is known of them is found."""

import http.client
import os
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, OpenLoopSpec, RateStep, StreamSpec, WebSocketSpec
from ngxlab_contracts.telemetry import EngineTotals
from ngxlab_contracts.trials import NginxSpec, Responder, UpstreamServerSpec
from ngxlab_worker.engines import GeneratorError, Target
from ngxlab_worker.engines.open_loop import message
from ngxlab_worker.nginx import NginxServer, UpstreamServer, upstream_server
from ngxlab_worker.nginx.certificate import make_certificate
from ngxlab_worker.sandbox import Sandbox
from ngxlab_worker.trial.folder import make_workplace
from tests.support.hosts import wait_until
from tests.support.served import failed, requests_of, target_of
from tests.support.specs import NGINX, PROXY_CONFIG
from tests.support.streams import RunningStream, Server, open_loop, read_request, running

UPGRADES = "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;"
DELAY_US = 10_000


def passing(more: str = "") -> str:
    config = PROXY_CONFIG.replace('proxy_set_header Connection "";', f"{UPGRADES} {more}")
    assert UPGRADES in config
    return config


def websocket(per_s: float = 200, message_bytes: int = 64, **changes: Any) -> StreamSpec:
    return open_loop(per_s, websocket=WebSocketSpec(message_bytes=message_bytes), **changes)


@dataclass(frozen=True)
class Served:
    nginx: NginxServer
    echo: UpstreamServer

    @property
    def target(self) -> Target:
        return target_of(self.nginx)

    def counted(self) -> tuple[int, int]:
        """Connections and messages, as the upstream server counts them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.echo.endpoint.ports[0], timeout=10)
        connection.request("GET", "/")
        words = connection.getresponse().read().split()
        connection.close()
        return int(words[1]), int(words[3])


@contextmanager
def served(folder: Path, sandbox: Sandbox, config: str = passing(), **told: Any) -> Iterator[Served]:
    with ExitStack() as leftovers:
        responder = Responder.model_validate({"echoes": True, **told})
        spec = UpstreamServerSpec(key="app", binary=NGINX, config="", instances=1, responder=responder)
        echo = upstream_server(spec, make_workplace(folder / "echo", sandbox.run_as), sandbox, time.sleep)
        leftovers.callback(echo.stop)
        echo.configure()
        echo.start(60)
        target = NginxSpec(binary=NGINX, config=config, workers=2, upstream_servers=["upstream.app"])
        nginx = NginxServer(target, make_workplace(folder / "nginx", sandbox.run_as), sandbox, time.sleep)
        leftovers.callback(nginx.stop)
        nginx.configure([echo.endpoint])
        nginx.start(60)
        yield Served(nginx, echo)


def done(stream: RunningStream, least: int) -> EngineTotals:
    stream.wait_for("completed", least)
    return stream.end()


def test_every_message_is_sent_back_and_counted_once(agent_folder: Path, sandbox: Sandbox) -> None:
    plan = OpenLoopSpec(steps=[RateStep(per_s=2000, duration_s=0.5), RateStep(per_s=0, duration_s=60)])
    spec = websocket(connections=50, threads=2, open_loop=plan)
    with served(agent_folder, sandbox, processes=2) as both:
        polled = requests_of(both.nginx) + 1
        with running(spec, both.target, agent_folder, sandbox) as stream:
            totals = done(stream, 1000)
        asked = requests_of(both.nginx) - polled
        counted = both.counted()
    assert totals.sent == totals.completed == totals.intended == counted[1] == 1000
    assert stream.counted("latency") == stream.counted("service") == stream.counted("first_byte") == totals.sent
    assert asked == counted[0] == totals.connects == totals.connections_max == 50
    assert stream.counted("connect") == 50
    assert (totals.reconnects, totals.unfinished, failed(totals), totals.statuses) == (0, 0, 0, {})


def test_a_delay_shows_as_it_is(agent_folder: Path, sandbox: Sandbox) -> None:
    """The quickest of many: a busy machine may delay some."""
    with (
        served(agent_folder, sandbox, delay_ms=DELAY_US / 1000) as both,
        running(websocket(100, connections=20), both.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 100)
        quickest = stream.generator.counts_of("latency").latency_us[0]
        totals = stream.end()
    assert DELAY_US <= quickest < 1.1 * DELAY_US
    assert (totals.reconnects, failed(totals)) == (0, 0)


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536, 1 << 20])
def test_messages_of_any_size_come_back(agent_folder: Path, sandbox: Sandbox, size: int) -> None:
    with (
        served(agent_folder, sandbox) as both,
        running(websocket(20, size, connections=2), both.target, agent_folder, sandbox) as stream,
    ):
        totals = done(stream, 5)
        counted = both.counted()
    assert counted[1] >= totals.completed
    assert (totals.reconnects, failed(totals)) == (0, 0)
    assert totals.bytes_read >= totals.completed * size
    assert len(message(size)) - size in {6, 8, 14}


def test_memory_for_a_message_is_given_back_once_it_is_sent_back(agent_folder: Path, sandbox: Sandbox) -> None:
    size, connections = 1 << 20, 64
    with served(agent_folder, sandbox) as both, ExitStack() as leftovers:
        for _ in range(connections):
            one = socket.create_connection(("127.0.0.1", both.echo.endpoint.ports[0]), timeout=10)
            leftovers.callback(one.close)
            one.sendall(b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a2V5\r\n\r\n")
            assert read_request(one)
            one.sendall(message(size))
            with one.makefile("rb") as answer:
                assert len(answer.read(10 + size)) == 10 + size
        held = sum(resident_bytes(process) for process in both.echo.workers())
    assert held < connections * size / 4


def resident_bytes(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS"))


def test_connections_take_turns_so_that_a_short_read_timeout_ends_each(agent_folder: Path, sandbox: Sandbox) -> None:
    """Each has a message every 1.5 s, and nginx ends it after 1 s without one."""
    with (
        served(agent_folder, sandbox, passing("proxy_read_timeout 1s;")) as both,
        running(websocket(20, connections=30), both.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("reconnects", 30)
        totals = stream.end()
        connections, _ = both.counted()
    assert totals.reconnects >= 30
    assert totals.connects == totals.reconnects + 30
    assert connections in {totals.connects, totals.connects + 1}
    assert failed(totals) <= totals.reconnects / 10, "nothing was under way on those that were ended"


def test_a_long_read_timeout_ends_none(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        served(agent_folder, sandbox, passing("proxy_read_timeout 60s;")) as both,
        running(websocket(20, connections=30), both.target, agent_folder, sandbox) as stream,
    ):
        totals = done(stream, 30)
    assert (totals.connects, totals.reconnects, failed(totals)) == (30, 0, 0)


def test_a_reload_ends_old_connections_when_their_worker_has_to_go(agent_folder: Path, sandbox: Sandbox) -> None:
    config = f"worker_shutdown_timeout 200ms;\n{passing()}"
    with (
        served(agent_folder, sandbox, config) as both,
        running(websocket(100, connections=20), both.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 20)
        assert stream.count("reconnects") == 0
        os.kill(both.nginx.master, signal.SIGHUP)
        stream.wait_for("reconnects", 20)
        held = stream.count("connections")
        totals = stream.end()
    assert held in {19, 20}
    assert totals.reconnects in {20, 21}
    assert totals.intended == totals.completed + totals.errors_read + totals.errors_write + totals.unfinished


def test_a_handshake_that_is_refused_is_a_connect_that_failed(agent_folder: Path, sandbox: Sandbox) -> None:
    plain = PROXY_CONFIG.replace('proxy_set_header Connection "";', "return 403;")
    with (
        served(agent_folder, sandbox, plain) as both,
        running(websocket(20), both.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("errors_connect", 8)
        totals = stream.end()
        assert stream.generator.page.last_errno() == 403
    assert stream.notes == ["connections-short"]
    assert (totals.sent, totals.completed, totals.connects) == (0, 0, 0)


def test_an_upstream_server_that_echoes_no_frames_answers_nothing(agent_folder: Path, sandbox: Sandbox) -> None:
    """Without the headers of an upgrade nginx passes on a plain request."""
    with (
        served(agent_folder, sandbox, PROXY_CONFIG) as both,
        running(websocket(20), both.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("errors_connect", 8)
        totals = stream.end()
        assert both.counted() == (0, 0)
        assert stream.generator.page.last_errno() == 200
    assert (totals.sent, totals.connects) == (0, 0)


SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
ECHO = b"\x82\x40" + 64 * b"x"


BINARY = 0x82


def _next_frame(connection: socket.socket) -> int | None:
    """The first byte of a frame that is read whole; ``None`` where the client has closed."""
    head = connection.recv(2, socket.MSG_WAITALL)
    if len(head) < 2:
        return None
    connection.recv(4 + (head[1] & 0x7F), socket.MSG_WAITALL)
    return head[0]


def speaking(*frames: bytes, beside: bytes = b"") -> Callable[[socket.socket], None]:
    """Answers each message with these bytes, one by one; ``beside``: right after the handshake."""

    def behave(connection: socket.socket) -> None:
        if not read_request(connection):
            return
        connection.sendall(SWITCHED + beside)
        while (kind := _next_frame(connection)) is not None:
            for frame in frames if kind == BINARY else ():
                for at in range(0, len(frame), 7):
                    connection.sendall(frame[at : at + 7])

    return behave


@pytest.mark.parametrize(
    "frames", [(b"\x89\x02hi", ECHO), (b"\x01\x02ab\x89\x00\x80\x40", 64 * b"x"), (b"\x8a\x00", ECHO)]
)
def test_pings_and_messages_in_pieces(agent_folder: Path, sandbox: Sandbox, frames: tuple[bytes, ...]) -> None:
    with (
        Server(speaking(*frames)) as server,
        running(websocket(50, connections=1), server.target, agent_folder, sandbox) as stream,
    ):
        totals = done(stream, 5)
    assert failed(totals) == totals.reconnects == 0


def test_a_ping_before_the_answer_is_no_first_byte_of_it(agent_folder: Path, sandbox: Sandbox) -> None:
    def behave(connection: socket.socket) -> None:
        if not read_request(connection):
            return
        connection.sendall(SWITCHED)
        while (kind := _next_frame(connection)) is not None:
            if kind == BINARY:
                connection.sendall(b"\x89\x00")
                time.sleep(0.2)
                connection.sendall(ECHO)

    with (
        Server(behave) as server,
        running(websocket(50, connections=1), server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 2)
        quickest = stream.generator.counts_of("first_byte").latency_us[0]
        assert failed(stream.end()) == 0
    assert quickest >= 200_000


PING = b"\x89\x7d" + 125 * b"p"
PONGS_TO_FILL_A_LINE = 50_000
"""6.5 MB; what is sent and not read is less."""


@pytest.mark.parametrize("tls", [False, True])
def test_a_pong_that_waits_for_the_line_goes_before_the_next_message(
    agent_folder: Path, sandbox: Sandbox, tls: bool
) -> None:
    due, kinds = threading.Event(), set[int | None]()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if tls:
        make_certificate(agent_folder, "127.0.0.1", sandbox.run_as)
        context.load_cert_chain(agent_folder / "tls.crt", agent_folder / "tls.key")

    def behave(plain: socket.socket) -> None:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 256 << 10)
        connection = context.wrap_socket(plain, server_side=True) if tls else plain
        if not read_request(connection):
            return
        connection.sendall(SWITCHED)
        connection.sendall(PONGS_TO_FILL_A_LINE * PING)
        due.wait(10)
        with connection.makefile("rb") as frames:
            while len(head := frames.read(2)) == 2:
                size = head[1] & 0x7F
                size = int.from_bytes(frames.read(2), "big") if size == 126 else size
                kinds.add(head[0])
                if len(frames.read(4 + size)) < 4 + size:
                    return
                if head[0] == BINARY:
                    connection.sendall(ECHO)
        connection.detach()

    with Server(behave) as server:
        spec = websocket(20, 1000, connections=1, tls=tls)
        with running(spec, server.target, agent_folder, sandbox) as stream:
            stream.wait_for("bytes_read", PONGS_TO_FILL_A_LINE * len(PING))
            stream.wait_for("intended", 1)
            due.set()
            totals = done(stream, 2)
    assert failed(totals) == totals.reconnects == 0
    assert kinds == {0x8A, BINARY}


@pytest.mark.parametrize(
    ("frames", "beside", "error"),
    [
        ((b"\x82\xc0" + 68 * b"x",), b"", "errors_garbage"),  # masked
        ((b"\xc2\x40" + 64 * b"x",), b"", "errors_garbage"),  # an extension that nobody asked for
        ((b"\x83\x01x",), b"", "errors_garbage"),
        ((b"\x88\x00",), b"", "errors_read"),
        ((ECHO + ECHO,), b"", "errors_garbage"),
        ((), ECHO, "errors_garbage"),
    ],
)
def test_what_is_no_answer(
    agent_folder: Path, sandbox: Sandbox, frames: tuple[bytes, ...], beside: bytes, error: str
) -> None:
    with (
        Server(speaking(*frames, beside=beside)) as server,
        running(websocket(50, connections=1), server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for(error, 1)
        stream.end()


def test_a_server_that_closes_an_idle_connection_does_no_harm(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        Server(speaking(ECHO + b"\x88\x02\x03\xe8")) as server,
        running(websocket(50, connections=2), server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("reconnects", 5)
        totals = stream.end()
    assert failed(totals) == 0
    assert totals.completed >= 5


def test_a_connection_that_was_opened_anew_keeps_its_turn(agent_folder: Path, sandbox: Sandbox) -> None:
    """The server closes the one that is next, again and again: its message goes over the new one, if that is open in
    time."""
    lock, kept = threading.Lock(), list[int]()
    waiting: list[socket.socket] = []  # by the instants of their last messages
    fresh: set[socket.socket] = set()

    def next_one(connection: socket.socket) -> None:
        if connection in fresh:
            kept.append(1)
        fresh.clear()
        if connection in waiting:
            waiting.remove(connection)
        waiting.append(connection)
        if len(waiting) == 3:
            waiting.pop(0).sendall(b"\x88\x00")

    def behave(connection: socket.socket) -> None:
        if not read_request(connection):
            return
        with lock:
            fresh.add(connection)
        connection.sendall(SWITCHED)
        while (kind := _next_frame(connection)) is not None:
            if kind == BINARY:
                connection.sendall(ECHO)
                with lock:
                    next_one(connection)

    with (
        Server(behave) as server,
        running(websocket(20, connections=3), server.target, agent_folder, sandbox) as stream,
    ):
        wait_until(lambda: len(kept) > 5)
        stream.end()


def test_a_message_without_an_answer_times_out(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        Server(speaking()) as server,
        running(websocket(50, connections=1, timeout_s=1), server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("errors_timeout", 1)
        assert stream.end().completed == 0


def test_a_search_sets_its_rates(agent_folder: Path, sandbox: Sandbox) -> None:
    goal = CapacitySpec(goal=CapacityGoal(p99_ms=50), from_per_s=100, to_per_s=1000)
    spec = websocket(connections=20, open_loop=OpenLoopSpec(steps=[], capacity=goal))
    with served(agent_folder, sandbox) as both, running(spec, both.target, agent_folder, sandbox) as stream:
        assert stream.generator.rates is not None
        stream.generator.rates.set(400, stream.generator.page.start_ns // 1000 + 100_000)
        wait_until(stream.generator.rates.has_begun)
        assert failed(done(stream, 100)) == 0


@pytest.mark.parametrize("changes", [{"keep_alive": False}, {"protocol": "http/2"}])
def test_what_no_websocket_can_be(agent_folder: Path, sandbox: Sandbox, changes: dict[str, Any]) -> None:
    with (
        pytest.raises(GeneratorError, match="WebSocket"),
        running(websocket(**changes), Target("127.0.0.1", (1,)), agent_folder, sandbox),
    ):
        pass
