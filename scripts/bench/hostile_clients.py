"""What a thousand hostile connections without a credential cost the backend."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from scripts.bench.cpu import resident_bytes, running
from scripts.bench.lab import Lab, own_process
from scripts.bench.report import Found, NotMeasuredError

LOOK_EVERY_S = 0.1
PIECE = b"0," * 32_768
BODY_BYTES = 60 << 20
PATIENCE_S = 30.0

Attack = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class _Watch:
    rss_before: int
    rss: list[int] = field(default_factory=list)
    answers: list["_Answer"] = field(default_factory=list)


class _Answer(NamedTuple):
    """Seconds until an answer came, of which processes waited for a core, and of which the event loop worked."""

    total_s: float
    waited_s: float
    worked_s: float

    @property
    def own_s(self) -> float:
        return max(self.total_s - self.waited_s, self.worked_s)


async def hostile_clients(lab: Lab, connections: int, seconds: int) -> dict[str, Found]:
    """Growth of the backend's memory, and the slowest answer of its health check."""
    pids = [running(lab, "backend").pid, running(lab, "front").pid]
    watch = _Watch(resident_bytes(*pids))
    with own_process(_attack_all, _Attacks(), lab.settings.bind, lab.settings.port, connections) as ask:
        await _look(lab, pids, watch, seconds)
        ended_by_backend = ask().ended
    slowest = max(watch.answers, key=lambda answer: answer.own_s)
    detail = {
        "connections_ended_by_the_backend": ended_by_backend,
        "health_checks": len(watch.answers), "rss_before_mib": watch.rss_before / (1 << 20),
        "slowest_with_waits_for_cores_s": max(watch.answers).total_s, "load_average": os.getloadavg()[0],
    }  # fmt: skip
    return {
        "hostile-memory": Found((max(watch.rss) - watch.rss_before) / (1 << 20), detail),
        "hostile-answer": Found(slowest.own_s, detail),
    }


async def _look(lab: Lab, pids: list[int], watch: _Watch, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        watch.answers.append(await _health(lab, pids))
        watch.rss.append(resident_bytes(*pids))
        await asyncio.sleep(LOOK_EVERY_S)


async def _health(lab: Lab, pids: list[int]) -> _Answer:
    """Raises :class:`NotMeasuredError` for anything but 200."""
    asked = [*pids, os.getpid()]
    before, began = [_on_core(pid) for pid in asked], time.monotonic()
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(lab.settings.bind, lab.settings.port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: ngxlab\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
    total_s, after = time.monotonic() - began, [_on_core(pid) for pid in asked]
    writer.close()
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise NotMeasuredError(f"the health check was answered {answer[:40]!r}")
    waited_s = sum(now.waited_s - then.waited_s for now, then in zip(after, before, strict=True))
    return _Answer(total_s, waited_s, max(after[i].worked_s - before[i].worked_s for i in range(len(pids))))


class _OnCore(NamedTuple):
    """How long a thread has had a core, and how long it could have run and had none."""

    worked_s: float
    waited_s: float


def _on_core(pid: int) -> _OnCore:
    """A process' first thread, which runs its event loop."""
    worked_ns, waited_ns, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    return _OnCore(int(worked_ns) / 1e9, int(waited_ns) / 1e9)


@dataclass
class _Attacks:
    """``ended``: connections that the backend has ended."""

    ended: int = 0


async def _attack_all(seen: _Attacks, address: str, port: int, connections: int) -> None:
    attacks: tuple[Attack, ...] = (_trickle, _silence, _batch, _sign_in)
    await asyncio.gather(*(_again(attacks[n % len(attacks)], address, port, seen) for n in range(connections)))


async def _again(attack: Attack, address: str, port: int, seen: _Attacks) -> None:
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(address, port)
            try:
                await attack(reader, writer)
            finally:
                writer.transport.abort()
                seen.ended += 1
        await asyncio.sleep(1)  # as an attacker with a bounded number of sockets would


async def _trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"GET / HTTP/1.1\r\nHost: ngxlab\r\nX-Slow: ")
    while not reader.at_eof() and not writer.is_closing():
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(1)


async def _silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def _batch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _large_body(f"/api/v1/agent/trials/{uuid4()}/batches", b'{"frames":[{"a":[', reader, writer)


async def _sign_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _large_body("/api/v1/auth/login", b'{"email":[', reader, writer)


async def _large_body(path: str, opening: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: ngxlab\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {'x' * 40}\r\nContent-Length: {BODY_BYTES}\r\n\r\n"
    )
    writer.write(head.encode() + opening)
    for _ in range(BODY_BYTES // len(PIECE)):
        if reader.at_eof() or writer.is_closing():
            return
        writer.write(PIECE)
        await writer.drain()
