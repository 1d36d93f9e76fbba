"""Many viewers of one run in a process of their own, each with a connection that reads the live stream."""

import asyncio
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from scripts.bench.lab import Lab

_OVER = b"\n\n"
_READ_AT = b'"read_at_us":'
"""The last field of what comes as it is measured."""


@dataclass
class Seen:
    """What the viewers saw; times are microseconds since the epoch. ``joined_us``: when each had its snapshot.

    ``refused``: how many answers had which status. ``arrivals``: of each ``points`` event at each viewer, when its
    newest reading was taken and when it arrived; not of those that were repeated. ``received_bytes``: of all viewers.
    """

    joined_us: list[int] = field(default_factory=list)
    refused: dict[int, int] = field(default_factory=dict)
    cut_off: int = 0
    arrivals: list[tuple[int, int]] = field(default_factory=list)
    received_bytes: int = 0


class _Viewer(asyncio.Protocol):
    """Reads no more of an event than its name and its position: who measures shares the cores with who is measured."""

    def __init__(self, request: bytes, seen: Seen) -> None:
        self._request, self._seen = request, seen
        self._rest = b""
        self._status: int | None = None
        self._joined = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def connection_lost(self, _: Exception | None) -> None:
        self._seen.cut_off += 1

    def data_received(self, data: bytes) -> None:
        now_us = time.time_ns() // 1000
        self._seen.received_bytes += len(data)
        self._rest += data
        if self._status is None and not self._read_head():
            return
        *events, self._rest = self._rest.split(_OVER)
        for event in events:
            self._note(event, now_us)

    def _read_head(self) -> bool:
        head, end, rest = self._rest.partition(b"\r\n\r\n")
        if not end:
            return False
        self._status, self._rest = int(head.split(b" ", 2)[1]), rest
        if self._status != 200:
            self._seen.refused[self._status] = self._seen.refused.get(self._status, 0) + 1
        return True

    def _note(self, event: bytes, now_us: int) -> None:
        name_at = event.find(b"event: ")
        if event.startswith(b"points\n", name_at + 7):
            if (read_at := event.rfind(_READ_AT)) > 0:
                self._seen.arrivals.append((int(event[read_at + len(_READ_AT) : -1]), now_us))
        elif not self._joined and event.startswith(b"snapshot\n", name_at + 7):
            self._joined = True
            self._seen.joined_us.append(now_us)


class Audience:
    """A running audience."""

    def __init__(self, answers: Connection) -> None:
        self._answers = answers

    def ask(self) -> Seen:
        """What was seen so far."""
        self._answers.send("so far")
        seen: Seen = self._answers.recv()
        return seen


@contextmanager
def audience(lab: Lab, run_id: str, viewers: int) -> Iterator[Audience]:
    """All of them come at once, and stay until the end."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    request = (
        f"GET /api/v1/runs/{run_id}/live HTTP/1.1\r\nHost: ngxlab\r\nAccept: text/event-stream\r\n"
        f"Authorization: Bearer {lab.token}\r\n\r\n"
    ).encode()
    process = context.Process(target=_watch, args=(lab.settings.bind, lab.settings.port, request, viewers, theirs))
    process.start()
    try:
        yield Audience(mine)
    finally:
        process.kill()
        process.join()


def _watch(address: str, port: int, request: bytes, viewers: int, asked: Connection) -> None:
    asyncio.run(_watch_all(address, port, request, viewers, asked))


async def _watch_all(address: str, port: int, request: bytes, viewers: int, asked: Connection) -> None:
    seen, loop = Seen(), asyncio.get_running_loop()

    def answer() -> None:
        asked.recv()
        asked.send(seen)

    loop.add_reader(asked.fileno(), answer)
    await asyncio.gather(
        *(loop.create_connection(lambda: _Viewer(request, seen), address, port) for _ in range(viewers))
    )
    await asyncio.Event().wait()
