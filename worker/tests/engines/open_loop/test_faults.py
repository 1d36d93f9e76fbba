"""The engine against servers that refuse, reset, stall and send garbage: every request is counted."""

import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.telemetry import EngineTotals
from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.engines import GeneratorContext, GeneratorError, Target
from ngxlab_worker.engines.open_loop import OpenLoopEngine
from ngxlab_worker.sandbox import Sandbox
from ngxlab_worker.sandbox.identity import hand_over
from ngxlab_worker.uplink.steering import Steering, TrialStopError
from tests.support.hosts import processes_in, wait_until
from tests.support.streams import (
    OK,
    Behaviour,
    Server,
    answering,
    fall_silent,
    half_close,
    once,
    open_loop,
    read_request,
    reset,
    running,
)

LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"
UNTIL_CLOSE = b"HTTP/1.1 200 OK\r\n\r\nuntil the end"


def nothing(connection: socket.socket) -> None:
    """Just close."""


def hear_out(connection: socket.socket) -> None:
    """Read everything and answer nothing."""
    while connection.recv(4096):
        pass


def ended(totals: EngineTotals) -> int:
    """Requests that have ended, in whatever way."""
    failed = totals.errors_read + totals.errors_write + totals.errors_timeout + totals.errors_garbage
    return totals.completed + failed


def assert_accounted(totals: EngineTotals, refused: int = 0) -> None:
    assert totals.intended == ended(totals) + refused + totals.unfinished


FAULTS: dict[str, tuple[Behaviour, str]] = {
    "reset in the middle": (once(LONG, reset), "errors_read"),
    "closed in the middle": (once(LONG, nothing), "errors_read"),
    "half-closed in the middle": (once(LONG, half_close), "errors_read"),
    "half-closed instead of an answer": (once(b"", half_close), "errors_read"),
    "reset instead of an answer": (once(b"", reset), "errors_read"),
    "garbage": (once(b"\x00\x01\x02 what?", fall_silent), "errors_garbage"),
    "garbage after an answer": (once(OK + b"and more", fall_silent), "errors_garbage"),
    "broken chunks": (
        once(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot hex\r\n", fall_silent),
        "errors_garbage",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("keep_alive", [True, False])
def test_a_broken_answer_is_counted_and_its_connection_replaced(
    agent_folder: Path, sandbox: Sandbox, fault: str, keep_alive: bool
) -> None:
    behaviour, kind = FAULTS[fault]
    with (
        Server(behaviour) as server,
        running(open_loop(200, keep_alive=keep_alive), server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for(kind, 30)
        totals = stream.end()
        assert server.accepted >= 30
    assert totals.completed == 0
    assert totals.errors_connect == 0
    assert_accounted(totals)
    assert stream.counted("latency") == 0


def test_refused_connections_leave_requests_in_the_backlog(agent_folder: Path, sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        target = Target("127.0.0.1", (unused.getsockname()[1],))
    with running(open_loop(1000), target, agent_folder, sandbox) as stream:
        stream.wait_for("errors_connect", 20)
        stream.wait_for("backlog", 100)
        totals = stream.end()
    assert stream.notes == ["connections-short"]
    assert (totals.sent, totals.completed, totals.connects) == (0, 0, 0)
    assert totals.unfinished == totals.intended
    assert totals.backlog_max >= 100


def test_a_refused_connection_for_one_request_is_that_requests_end(agent_folder: Path, sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        target = Target("127.0.0.1", (unused.getsockname()[1],))
    with running(open_loop(200, keep_alive=False), target, agent_folder, sandbox) as stream:
        stream.wait_for("errors_connect", 20)
        totals = stream.end()
    assert totals.sent == 0
    assert_accounted(totals, refused=totals.errors_connect)


def test_a_server_that_comes_back_gets_its_load(agent_folder: Path, sandbox: Sandbox) -> None:
    answered = 0

    def moody(connection: socket.socket) -> None:
        nonlocal answered
        if answered < 40 and read_request(connection):
            answered += 1
            reset(connection)
            return
        while read_request(connection):
            connection.sendall(OK)

    with Server(moody) as server, running(open_loop(400), server.target, agent_folder, sandbox) as stream:
        stream.wait_for("completed", 50)
        totals = stream.end()
    assert totals.errors_read >= 40
    assert totals.reconnects >= 40
    assert totals.connects == 4 + totals.reconnects
    assert_accounted(totals)


SOUND: dict[str, Behaviour] = {
    "byte by byte": answering(*(bytes([byte]) for byte in OK)),
    "interim first": answering(b"HTTP/1.1 100 Continue\r\n\r\n", OK),
    "until the close": once(UNTIL_CLOSE, nothing),
    "until the half-close": once(UNTIL_CLOSE, half_close),
    "closing as announced": once(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", nothing),
    "closing without a word": once(OK, nothing),
}


@pytest.mark.parametrize("way", SOUND)
def test_unusual_answers_that_are_complete(agent_folder: Path, sandbox: Sandbox, way: str) -> None:
    with Server(SOUND[way]) as server, running(open_loop(100), server.target, agent_folder, sandbox) as stream:
        stream.wait_for("completed", 30)
        totals = stream.end()
    assert ended(totals) - totals.completed <= (totals.completed if "without" in way else 0)
    assert_accounted(totals)
    assert stream.counted("latency") == stream.counted("service") == totals.completed
    assert stream.counted("schedule") == totals.sent


def test_bad_statuses_are_complete_answers(agent_folder: Path, sandbox: Sandbox) -> None:
    failing = answering(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
    with Server(failing) as server, running(open_loop(100), server.target, agent_folder, sandbox) as stream:
        stream.wait_for("errors_status", 10)
        totals = stream.end()
    assert totals.errors_status == totals.completed


def test_a_slow_server_makes_a_backlog_and_its_latency_counts_from_the_intended_instant(
    agent_folder: Path, sandbox: Sandbox
) -> None:
    slow = answering(OK, pause_s=0.1)
    with Server(slow) as server, running(open_loop(100, connections=2), server.target, agent_folder, sandbox) as stream:
        stream.wait_for("completed", 20)  # 20 a second of 100
        totals = stream.end()
        latency, service = (stream.generator.page.counts(number) for number in (0, 2))
    assert totals.backlog_max > 40
    assert_accounted(totals)
    assert service.latency_us[0] >= 99_000
    # The tenth pair is sent 0.9 s after the start, when it was due 0.19 s after it.
    assert latency.latency_us[-1] >= service.latency_us[0] + 600_000


def test_a_trial_that_ends_meanwhile_leaves_nothing_of_a_stream_in_preparation(
    agent_folder: Path, sandbox: Sandbox
) -> None:
    own = agent_folder / "stream"
    own.mkdir()
    hand_over(own, sandbox.run_as)
    steering = Steering(monotonic_us() + 60_000_000)
    with Server(hear_out) as server:

        def pause(seconds: float) -> None:
            if server.accepted:
                steering.stop(TrialStopError("cancelled", "cancelled", "cancelled on request"))
            steering.pause(seconds)

        context = GeneratorContext(server.target, sandbox, own, life_s=60, pause=pause)
        with pytest.raises(TrialStopError):
            OpenLoopEngine().prepare(open_loop(tls=True), context, lambda severity, code, message: None)
        assert processes_in(agent_folder) == []


def test_silence_is_a_timeout(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        Server(once(b"", fall_silent)) as server,
        running(open_loop(100, timeout_s=1), server.target, agent_folder, sandbox) as stream,
    ):
        stream.wait_for("errors_timeout", 4)
        totals = stream.end()
    assert totals.completed == 0
    assert totals.unfinished >= 4
    assert_accounted(totals)


CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "fewer connections than processes": {"threads": 5},
    "two bodies": {"body": "a", "body_bytes": 1},
    "a script": {"script": "return"},
    "a path of two words": {"path": "/a b"},
    "a header of two lines": {"headers": {"X-A": "b\r\nX-C: d"}},
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_contradictions_are_refused(agent_folder: Path, sandbox: Sandbox, what: str) -> None:
    spec = open_loop(**CONTRADICTIONS[what])
    with (
        pytest.raises(GeneratorError) as raised,
        running(spec, Target("127.0.0.1", (1,)), agent_folder, sandbox),
    ):
        pass
    assert raised.value.code == "stream-invalid"


def test_a_killed_process_is_noticed(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        Server(answering(OK)) as server,
        running(open_loop(100, threads=2), server.target, agent_folder, sandbox) as stream,
    ):
        _, other = stream.generator.pids
        os.kill(other, signal.SIGKILL)

        def died() -> bool:
            try:
                stream.generator.check()
            except GeneratorError as error:
                return error.code == "generator-died" and "ended early" in str(error)
            return False

        wait_until(died)
