"""How old a sample is when a viewer receives it."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import httpx2
import numpy as np
from numpy.typing import NDArray

from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.stored import loads
from scripts.bench.viewer import LiveEvent, browser, follow, live_events

DEFINITION = (
    "From a frame's own time (t_us, when its collector began to read) to the arrival of the event that carries it, "
    "received by an SSE client in this process, over all frames of the measured window read after every viewer had "
    "joined; 95th percentile over frames and viewers. One process holds all the viewers' connections and shares the "
    "cores with everything else."
)


class Case(NamedTuple):
    """``warmup_s`` gives all viewers time to join: each receives a snapshot and a replay first."""

    viewers: int
    limit_ms: float
    warmup_s: int


CASES = (Case(viewers=1, limit_ms=300, warmup_s=2), Case(viewers=200, limit_ms=1000, warmup_s=12))
MEASURE_S = 20
QUICK_MEASURE_S = 8


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


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """With one viewer and with 200."""
    return [await _measure(lab, case, QUICK_MEASURE_S if quick else MEASURE_S) for case in CASES]


async def _measure(lab: Lab, case: Case, measure_s: int) -> Measurement:
    viewers = case.viewers
    experiment = await lab.one_arm_experiment(warmup_s=case.warmup_s, measure_s=measure_s)
    run_id = await lab.start_run(experiment)
    began_us = time.time_ns() // 1000
    audience = _Audience()
    async with browser(lab) as client, asyncio.TaskGroup() as group:
        watching = [group.create_task(audience.watch(viewer, client, run_id)) for viewer in range(1, viewers)]
        await follow(lab, run_id, lambda event: audience.see(0, event))
        for task in watching:
            task.cancel()
    if len(audience.joined_us) < viewers:
        raise NotMeasuredError(f"only {len(audience.joined_us)} of {viewers} viewers could join during the trial")
    all_joined_us = max(audience.joined_us.values())
    frames = await _frames_by_event(lab, run_id, after_us=all_joined_us)
    ages_ms = _ages_ms(audience.arrivals, frames)
    if not ages_ms.size:
        raise NotMeasuredError(f"the trial was over before all {viewers} viewers had joined")
    return Measurement(
        name=f"sample-to-screen-{viewers}",
        what=f"sample to screen at 1 Hz, p95, {viewers} viewer{'s' if viewers > 1 else ''}",
        value=float(np.percentile(ages_ms, 95)),
        unit="ms",
        budget=Budget("at most", case.limit_ms),
        definition=DEFINITION,
        detail={
            "p50_ms": float(np.percentile(ages_ms, 50)),
            "max_ms": float(ages_ms.max()),
            "frames": sum(len(times) for times in frames.values()),
            "events_delivered": sum(1 for seq, _ in audience.arrivals if seq in frames),
            "events_due": viewers * len(frames),
            "connections_cut_off": audience.cut_off,
            "all_joined_after_s": (all_joined_us - began_us) / 1e6,
        },
    )


async def _frames_by_event(lab: Lab, run_id: str, *, after_us: int) -> dict[int, list[int]]:
    """Times of the frames of the measured window, by the stream position of the event that carries them."""
    async with lab.database() as connection:
        (load,) = await loads(connection, run_id)
        rows = await connection.fetch(
            "SELECT live_seq, t_us FROM frame WHERE trial_id = $1 AND t_us BETWEEN $2 AND $3",
            load.trial_id, max(after_us, load.measured_from_us), load.measured_until_us,
        )  # fmt: skip
    found: dict[int, list[int]] = {}
    for row in rows:
        found.setdefault(row["live_seq"], []).append(row["t_us"])
    return found


def _ages_ms(arrivals: Sequence[tuple[int, int]], frames: dict[int, list[int]]) -> NDArray[np.float64]:
    return np.array([(at_us - t_us) / 1000 for seq, at_us in arrivals for t_us in frames.get(seq, ())], np.float64)
