"""A single stream: a generator that a test drives, and a server of the test's that misbehaves."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval, Quantity
from ngxlab_worker.engines import GeneratorContext, Target
from ngxlab_worker.engines.native import NativeGenerator
from ngxlab_worker.engines.open_loop import OpenLoopEngine
from ngxlab_worker.sandbox import Sandbox
from ngxlab_worker.sandbox.identity import hand_over
from tests.support.hosts import wait_until

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n"


def open_loop(per_s: float = 100, **changes: Any) -> StreamSpec:
    """At a constant rate, unless ``open_loop`` says something else."""
    plan = OpenLoopSpec(steps=[RateStep(per_s=per_s, duration_s=1)])
    return StreamSpec(
        engine="open-loop", **{"key": "main", "threads": 1, "connections": 4, "open_loop": plan, **changes}
    )


@dataclass
class RunningStream:
    """A released generator. ``notes``: the codes of its notes."""

    generator: NativeGenerator
    notes: list[str]
    intervals: list[LatencyInterval] = field(default_factory=list)

    def count(self, name: str) -> int:
        return self.generator.page.counters()[name]

    def wait_for(self, name: str, at_least: int) -> None:
        wait_until(lambda: self.count(name) >= at_least)

    def end(self) -> EngineTotals:
        """Stop it in order; what it counted."""
        self.generator.stop(time.time_ns() // 1000)
        wait_until(lambda: self.generator.stopped(time.time_ns() // 1000))
        intervals, end = self.generator.finish()
        self.intervals += intervals
        assert end.exit_code == 0
        assert end.totals is not None
        return end.totals

    def counted(self, measure: Quantity) -> int:
        """In the intervals so far."""
        return sum(interval.count for interval in self.intervals if interval.quantity == measure)


@contextmanager
def running(spec: StreamSpec, target: Target, folder: Path, sandbox: Sandbox) -> Iterator[RunningStream]:
    """Prepare and release a generator, and kill it in any case."""
    own = folder / "stream"
    own.mkdir()
    hand_over(own, sandbox.run_as)
    notes: list[str] = []
    context = GeneratorContext(target, sandbox, own, life_s=60)
    generator = OpenLoopEngine().prepare(spec, context, lambda severity, code, message: notes.append(code))
    try:
        generator.release(time.time_ns() // 1000)
        yield RunningStream(generator, notes)
    finally:
        generator.kill()


Behaviour = Callable[[socket.socket], None]
"""What to do with one accepted connection; it is closed afterwards."""


class Server:
    """Listens on a port of its own until the end of the ``with`` block; each connection has its own thread."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self.accepted = 0
        self.target = Target("127.0.0.1", (self._listener.getsockname()[1],))
        self._threads = [threading.Thread(target=self._accept)]

    def __enter__(self) -> "Server":
        self._threads[0].start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._listener.close()
        for connection in list(self._open):
            shut(connection)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            self._open.add(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._behaviour(connection)
        except (ConnectionError, BrokenPipeError):
            pass  # the client has closed first
        finally:
            self._open.discard(connection)
            connection.close()


def shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # closed already


def read_request(connection: socket.socket) -> bool:
    """One request without a body; false where the client has closed."""
    received = b""
    while not received.endswith(b"\r\n\r\n"):
        piece = connection.recv(4096)
        if not piece:
            return False
        received += piece
    return True


def answering(*pieces: bytes, pause_s: float = 0) -> Behaviour:
    """Answer each request with the pieces, one by one."""

    def behave(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while read_request(connection):
            for piece in pieces:
                time.sleep(pause_s)
                connection.sendall(piece)

    return behave


def once(answer: bytes, end: Callable[[socket.socket], None]) -> Behaviour:
    """Answer the first request, then do what ``end`` does."""

    def behave(connection: socket.socket) -> None:
        if read_request(connection):
            connection.sendall(answer)
            end(connection)

    return behave


def reset(connection: socket.socket) -> None:
    """Closing sends RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def half_close(connection: socket.socket) -> None:
    """Send nothing more, and read until the client closes."""
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)


def fall_silent(connection: socket.socket) -> None:
    connection.recv(1)
