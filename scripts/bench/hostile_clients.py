"""What a thousand hostile connections without a credential cost the backend."""

import asyncio
import multiprocessing
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.stack.processes import living

CONNECTIONS = 1000
QUICK_CONNECTIONS = 200
ATTACK_S = 30.0
QUICK_ATTACK_S = 8.0
LOOK_EVERY_S = 0.1
PIECE = b"0," * 32_768
BODY_BYTES = 60 << 20
PATIENCE_S = 30.0

DEFINITION = (
    f"{CONNECTIONS} connections without a credential, a quarter each: the head of a request that never ends, a byte a "
    "second; nothing at all; a batch of 60 MiB of numbers; a sign-in with a body as large. Each that the backend "
    f"ends is opened again after a second, for {ATTACK_S:.0f} s, by one process on the same cores. Memory is VmRSS of "
    "the backend's process and the front's, largest against before; an answer is that of GET /healthz on a new "
    "connection each 0.1 s; the slowest of all, less the time in which backend, front and this benchmark could have "
    "run, but other processes had the cores (the kernel's run delay)."
)


Attack = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class _Watch:
    """What was seen during the attack."""

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


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Growth of the backend's memory, and the slowest answer of its health check."""
    alive = living(lab.settings.run)
    if not {"backend", "front"} <= alive.keys():
        raise NotMeasuredError("the stack's backend or its front does not run")
    pids = [alive["backend"].pid, alive["front"].pid]
    watch = _Watch(_rss(pids))
    connections, seconds = (QUICK_CONNECTIONS, QUICK_ATTACK_S) if quick else (CONNECTIONS, ATTACK_S)
    with _attackers(lab, connections) as ended:
        await _look(lab, pids, watch, seconds)
        ended_by_backend = ended()
    slowest = max(watch.answers, key=lambda answer: answer.own_s)
    detail = {
        "connections": connections, "seconds": seconds, "connections_ended_by_the_backend": ended_by_backend,
        "health_checks": len(watch.answers), "rss_before_mib": watch.rss_before / (1 << 20),
        "slowest_with_waits_for_cores_s": max(watch.answers).total_s, "load_average": os.getloadavg()[0],
    }  # fmt: skip
    return [
        Measurement(
            "hostile-memory", "backend's memory added by hostile connections",
            (max(watch.rss) - watch.rss_before) / (1 << 20), "MiB", Budget("at most", 300), DEFINITION, detail,
        ),
        Measurement(
            "hostile-answer", "slowest health check beside hostile connections",
            slowest.own_s, "s", Budget("at most", 1.0), DEFINITION, detail,
        ),
    ]  # fmt: skip


async def _look(lab: Lab, pids: list[int], watch: _Watch, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        watch.answers.append(await _health(lab, pids))
        watch.rss.append(_rss(pids))
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
    """Of a process' first thread, which runs its event loop."""
    worked_ns, waited_ns, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    return _OnCore(int(worked_ns) / 1e9, int(waited_ns) / 1e9)


@contextmanager
def _attackers(lab: Lab, connections: int) -> Iterator[Callable[[], int]]:
    """Attack from a process of its own; gives a function that says how many connections the backend has ended."""
    context = multiprocessing.get_context("spawn")
    ended = context.Value("q", 0)
    process = context.Process(target=_attack, args=(lab.settings.bind, lab.settings.port, connections, ended))
    process.start()
    try:
        yield lambda: ended.value
    finally:
        process.kill()
        process.join()


def _attack(address: str, port: int, connections: int, ended: "Synchronized[int]") -> None:
    asyncio.run(_all_attacks(address, port, connections, ended))


async def _all_attacks(address: str, port: int, connections: int, ended: "Synchronized[int]") -> None:
    attacks: tuple[Attack, ...] = (_trickle, _silence, _batch, _sign_in)
    await asyncio.gather(*(_again(attacks[n % len(attacks)], address, port, ended) for n in range(connections)))


async def _again(attack: Attack, address: str, port: int, ended: "Synchronized[int]") -> None:
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(address, port)
            try:
                await attack(reader, writer)
            finally:
                writer.transport.abort()
                ended.value += 1
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


def _rss(pids: list[int]) -> int:
    """Resident memory of all of them in bytes."""
    lines = [line for pid in pids for line in Path(f"/proc/{pid}/status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) * 1024
