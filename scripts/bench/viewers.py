"""Viewers of one run: how old a reading is when it reaches them; a thousand of them, and what it costs who sends."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

import httpx2
from ngxlab_contracts.telemetry import Batch, Frame

from scripts.bench.cpu import product_s, resident_bytes, running
from scripts.bench.lab import SILENCE_S, Lab, LiveEvent, live_events, loads, own_process
from scripts.bench.pretend import PretendTrial, layout, pretend_trial
from scripts.bench.report import Found, NotMeasuredError, percentile

JOINING_S = {1: 2, 200: 12}
"""The warm-up by the number of viewers, for all to join: each receives a snapshot and a replay first."""
ALONE_S, WATCHED_S = 15, 20
JOIN_PATIENCE_S = 40
TRIAL_S = ALONE_S + JOIN_PATIENCE_S + WATCHED_S + 20
WIDTH = 100
"""Series of a frame that the pretend host sends: about what a host's collectors read together."""
EVENT_END = b"\n\n"
READ_AT = b'"read_at_us":'
"""The last field of what comes as it is measured."""


@dataclass
class _Audience:
    """When each viewer joined, when each event reached each viewer, and how often a connection broke."""

    joined_us: dict[int, int] = field(default_factory=dict)
    arrivals: list[tuple[int, int]] = field(default_factory=list)
    """(stream position, microseconds since the epoch) of every ``points`` event at every viewer."""
    cut_off: int = 0

    def see(self, viewer: int, event: LiveEvent) -> None:
        """Record an event. Each stream begins with a snapshot."""
        if event.name == "snapshot":
            self.joined_us[viewer] = event.arrived_us
        elif event.name == "points":
            self.arrivals.append((event.seq, event.arrived_us))

    async def watch(self, viewer: int, client: httpx2.AsyncClient, run_id: str) -> None:
        """Watch as a browser does: reconnect where the connection breaks."""
        while True:
            try:
                async for event in live_events(client, run_id):
                    self.see(viewer, event)
            except httpx2.TransportError:
                self.cut_off += 1


async def sample_to_screen(lab: Lab, measure_s: int) -> dict[str, Found]:
    """How old a sample is when a viewer receives it: with one viewer and with 200."""
    return {f"sample-to-screen-{viewers}": await _sample_age(lab, viewers, measure_s) for viewers in JOINING_S}


async def _sample_age(lab: Lab, viewers: int, measure_s: int) -> Found:
    run_id = await lab.start_run(await lab.one_arm_experiment(warmup_s=JOINING_S[viewers], measure_s=measure_s))
    began_us = time.time_ns() // 1000
    audience = _Audience()
    async with lab.client(SILENCE_S) as client, asyncio.TaskGroup() as group:
        watching = [group.create_task(audience.watch(viewer, client, run_id)) for viewer in range(1, viewers)]
        await lab.follow(run_id, lambda event: audience.see(0, event))
        for task in watching:
            task.cancel()
    if len(audience.joined_us) < viewers:
        raise NotMeasuredError(f"only {len(audience.joined_us)} of {viewers} viewers could join during the trial")
    all_joined_us = max(audience.joined_us.values())
    frames = await _frames_by_event(lab, run_id, after_us=all_joined_us)
    ages_ms = [(at_us - t_us) / 1000 for seq, at_us in audience.arrivals for t_us in frames.get(seq, ())]
    if not ages_ms:
        raise NotMeasuredError(f"the trial was over before all {viewers} viewers had joined")
    detail = {
        "p50_ms": percentile(ages_ms, 50),
        "max_ms": max(ages_ms),
        "frames": sum(len(times) for times in frames.values()),
        "events_delivered": sum(1 for seq, _ in audience.arrivals if seq in frames),
        "events_due": viewers * len(frames),
        "connections_cut_off": audience.cut_off,
        "all_joined_after_s": (all_joined_us - began_us) / 1e6,
    }
    return Found(percentile(ages_ms, 95), detail)


async def _frames_by_event(lab: Lab, run_id: str, *, after_us: int) -> dict[int, list[int]]:
    """Times of the frames of the measured window, by the stream position of the event that carries them."""
    async with lab.database() as connection:
        [(trial_id, load)] = (await loads(connection, run_id)).items()
        rows = await connection.fetch(
            "SELECT live_seq, t_us FROM frame WHERE trial_id = $1 AND t_us BETWEEN $2 AND $3",
            trial_id, max(after_us, load.measured_from_us), load.measured_until_us,
        )  # fmt: skip
    found: dict[int, list[int]] = {}
    for row in rows:
        found.setdefault(row["live_seq"], []).append(row["t_us"])
    return found


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
        *events, self._rest = self._rest.split(EVENT_END)
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
            if (read_at := event.rfind(READ_AT)) > 0:
                self._seen.arrivals.append((int(event[read_at + len(READ_AT) : -1]), now_us))
        elif not self._joined and event.startswith(b"snapshot\n", name_at + 7):
            self._joined = True
            self._seen.joined_us.append(now_us)


async def _watch_all(seen: Seen, address: str, port: int, request: bytes, viewers: int) -> None:
    """All viewers come at once, and stay until the end."""
    loop = asyncio.get_running_loop()
    await asyncio.gather(
        *(loop.create_connection(lambda: _Viewer(request, seen), address, port) for _ in range(viewers))
    )
    await asyncio.Event().wait()


async def thousand_viewers(lab: Lab, viewers: int) -> dict[str, Found]:
    """Who got in, the age of samples, the delay of ingest, and memory."""
    run_id = await lab.start_run(await lab.one_arm_experiment(warmup_s=0, measure_s=TRIAL_S))
    request = (
        f"GET /api/v1/runs/{run_id}/live HTTP/1.1\r\nHost: ngxlab\r\nAccept: text/event-stream\r\n"
        f"Authorization: Bearer {lab.token}\r\n\r\n"
    ).encode()
    backend = running(lab, "backend").pid
    async with pretend_trial(lab) as beside:
        beside.report(Batch(seq=beside.next_seq, clock_offset_us=0, layouts=[layout(WIDTH)]))
        alone = await _post(beside, ALONE_S)
        resident, used, began_s = resident_bytes(backend), product_s(lab), time.monotonic()
        with own_process(_watch_all, Seen(), lab.settings.bind, lab.settings.port, request, viewers) as ask:
            joined = await _all_joined(ask, viewers)
            per_viewer = (resident_bytes(backend) - resident) / viewers
            joining, joining_s = _used_since(lab, used), time.monotonic() - began_s
            used, began_s = product_s(lab), time.monotonic()
            watched = await _post(beside, WATCHED_S)
            watching_s = time.monotonic() - began_s
            cores = {name: seconds / watching_s for name, seconds in _used_since(lab, used).items()}
            seen = ask()
    await lab.post(f"/runs/{run_id}/cancel", {})
    all_joined_us = max(seen.joined_us, default=0)
    ages = [(at_us - read_us) / 1000 for read_us, at_us in seen.arrivals if read_us > all_joined_us]
    if not ages:
        raise NotMeasuredError("no viewer saw any reading that was taken after all had joined")
    detail = {
        "connected": joined, "refused": seen.refused, "connections_cut_off": seen.cut_off,
        "joining_s": joining_s, "cpu_s_of_joining": joining, "cores_while_watched": cores,
        "events_of_all_viewers": len(ages),
        "received_mib": seen.received_bytes / 2**20, "p50_ms": percentile(ages, 50), "p99_ms": percentile(ages, 99),
        "ingest_p95_alone_ms": percentile(alone, 95), "ingest_p95_watched_ms": percentile(watched, 95),
        "load_average": os.getloadavg()[0],
    }  # fmt: skip
    values = {
        "left-out": viewers - joined,
        "to-screen": percentile(ages, 95),
        "ingest": median(watched) - median(alone),
        "memory": per_viewer / 1024,
    }
    return {f"viewers-{{viewers}}-{name}": Found(value, detail) for name, value in values.items()}


def _used_since(lab: Lab, before: Mapping[str, float]) -> dict[str, float]:
    return {name: seconds - before[name] for name, seconds in product_s(lab).items()}


async def _all_joined(ask: Callable[[], Seen], viewers: int) -> int:
    """How many have; waits until it is all of them, or the patience is over."""
    deadline = time.monotonic() + JOIN_PATIENCE_S
    while True:
        seen = await asyncio.to_thread(ask)
        if len(seen.joined_us) + sum(seen.refused.values()) >= viewers or time.monotonic() > deadline:
            return len(seen.joined_us)
        await asyncio.sleep(0.5)


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
