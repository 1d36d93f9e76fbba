"""A thousand viewers of one run: who gets in, how old what they see is, and what it costs those who send."""

import asyncio
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from ngxlab_contracts.telemetry import Batch, Frame, Layout, SeriesDef

from scripts.bench.lab import Lab
from scripts.bench.pretend_host import PretendTrial, pretend_trial
from scripts.bench.product_cpu import cpu_s
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.stack.processes import living

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


VIEWERS = 1000
QUICK_VIEWERS = 200
ALONE_S, WATCHED_S = 15, 20
JOIN_PATIENCE_S = 40
WIDTH = 100
"""Series of a frame that the pretend host sends: about what a host's collectors read together."""
TRIAL_S = ALONE_S + JOIN_PATIENCE_S + WATCHED_S + 20

DEFINITION = (
    "One trial at 1 Hz on this machine, whose load takes both cores; all viewers ask for its live stream in one "
    "moment, from one process on the same cores. Sample to screen: from the reading of a host's collectors to the "
    "arrival of the event that carries it, over all viewers and all readings after the last had joined. Ingest: a "
    "second host, which nobody watches, posts a batch a second; the time until its acknowledgement, median "
    f"over {WATCHED_S} s with all viewers less that over {ALONE_S} s before they came. Memory: growth of the backend's "
    "resident set until all have joined, over the viewers."
)


class _Delays(NamedTuple):
    """Milliseconds from sending a batch to its acknowledgement."""

    alone: list[float]
    watched: list[float]


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Who got in, the age of samples, the delay of ingest, and memory."""
    viewers = QUICK_VIEWERS if quick else VIEWERS
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=TRIAL_S)
    run_id = await lab.start_run(experiment)
    async with pretend_trial(lab) as beside:
        _declare(beside)
        alone = await _post(beside, ALONE_S)
        resident, used, began_s = _resident_bytes(lab), cpu_s(lab), time.monotonic()
        with audience(lab, run_id, viewers) as watching:
            joined = await _all_joined(watching, viewers)
            per_viewer = (_resident_bytes(lab) - resident) / viewers
            joining = {name: seconds - used[name] for name, seconds in cpu_s(lab).items()}
            joining_s = time.monotonic() - began_s
            used, began_s = cpu_s(lab), time.monotonic()
            watched = await _post(beside, WATCHED_S)
            watching_s = time.monotonic() - began_s
            cores = {name: (seconds - used[name]) / watching_s for name, seconds in cpu_s(lab).items()}
            seen = watching.ask()
    await lab.post(f"/runs/{run_id}/cancel", {})
    ages = _ages_ms(seen)
    if not ages:
        raise NotMeasuredError("no viewer saw any reading that was taken after all had joined")
    detail = {
        "viewers": viewers, "connected": joined, "refused": seen.refused, "connections_cut_off": seen.cut_off,
        "joining_s": joining_s, "cpu_s_of_joining": joining, "cores_while_watched": cores,
        "events_of_all_viewers": len(ages),
        "received_mib": seen.received_bytes / 2**20, "p50_ms": _percentile(ages, 50), "p99_ms": _percentile(ages, 99),
        "ingest_p95_alone_ms": _percentile(alone, 95), "ingest_p95_watched_ms": _percentile(watched, 95),
        "load_average": os.getloadavg()[0],
    }  # fmt: skip
    return _measurements(viewers, ages, _Delays(alone, watched), per_viewer, detail)


def _measurements(
    viewers: int, ages: Any, delays: _Delays, bytes_each: float, detail: dict[str, Any]
) -> list[Measurement]:
    missing = viewers - detail["connected"]
    added_ms = median(delays.watched) - median(delays.alone)
    rows = [
        ("left-out", "not connected", missing, "", 0),
        ("to-screen", "sample to screen, p95", _percentile(ages, 95), "ms", 1000),
        ("ingest", "delay added to ingest, median", added_ms, "ms", 50),
        ("memory", "memory of the backend a viewer", bytes_each / 1024, "KiB", 256),
    ]
    return [
        Measurement(f"viewers-{viewers}-{name}", f"{viewers} viewers of a run: {what}", value, unit,
                    Budget("at most", limit), DEFINITION, detail)
        for name, what, value, unit, limit in rows
    ]  # fmt: skip


async def _all_joined(watching: Audience, viewers: int) -> int:
    """How many have; waits until it is all of them, or the patience is over."""
    deadline = time.monotonic() + JOIN_PATIENCE_S
    while True:
        seen = await asyncio.to_thread(watching.ask)
        if len(seen.joined_us) + sum(seen.refused.values()) >= viewers or time.monotonic() > deadline:
            return len(seen.joined_us)
        await asyncio.sleep(0.5)


def _ages_ms(seen: Seen) -> list[float]:
    """Of the readings that were taken when all viewers had joined."""
    all_joined_us = max(seen.joined_us, default=0)
    return [(at_us - read_us) / 1000 for read_us, at_us in seen.arrivals if read_us > all_joined_us]


def _declare(trial: PretendTrial) -> None:
    series = [SeriesDef(name=f"bench_{n}_total", unit="things", kind="counter") for n in range(WIDTH)]
    trial.report(Batch(seq=trial.next_seq, clock_offset_us=0, layouts=[Layout(id=0, collector="bench", series=series)]))


async def _post(trial: PretendTrial, seconds: int) -> list[float]:
    """A batch each second; milliseconds until each was acknowledged."""
    took_ms = []
    for second in range(seconds):
        frame = Frame(layout=0, t_us=time.time_ns() // 1000, took_us=1, values=[float(second)] * WIDTH)
        began = time.perf_counter()
        await asyncio.to_thread(trial.report, Batch(seq=trial.next_seq, clock_offset_us=0, frames=[frame]))
        took_ms.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(max(0.0, 1 - took_ms[-1] / 1000))
    return took_ms


def _resident_bytes(lab: Lab) -> int:
    backend = living(lab.settings.run)["backend"]
    lines = Path(f"/proc/{backend.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:"))


def _percentile(values: Any, percent: float) -> float:
    return float(np.percentile(values, percent)) if len(values) else float("nan")
