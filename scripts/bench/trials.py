"""What comes with trials: the time between two, how long one waits behind a long queue, and what its data take."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from statistics import fmean, median
from typing import Any
from uuid import UUID

from scripts.bench.copies import Connection, copy_rows
from scripts.bench.lab import Lab, loads, packed
from scripts.bench.pretend import enrol
from scripts.bench.report import Found, NotMeasuredError, mean_interval

QUEUED = 500
SIZE_PATIENCE_S = 60

_RUNS = """
    SELECT run AS original, jsonb_build_object(
        'id', gen_random_uuid(), 'number', 1000 + n, 'state', 'queued', 'state_code', NULL, 'state_reason', NULL,
        'started_at', NULL, 'finished_at', NULL, 'lease_holder', NULL, 'lease_expires_at', NULL, 'hinted_at', NULL
    ) AS changes
    FROM run, generate_series(1, $2) n WHERE id = $1
"""
_HOSTS = """
    SELECT run_host AS original, jsonb_build_object('run_id', queued.id, 'host_id', $2::uuid) AS changes
    FROM run_host, run queued WHERE run_host.run_id = $1 AND queued.state = 'queued'
"""


async def dead_time(lab: Lab, trials: int) -> dict[str, Found]:
    """The time that a run spends between two trials."""
    run = await lab.run(await lab.one_arm_experiment(blocks=trials, warmup_s=0, measure_s=1))
    async with lab.database() as connection:
        phases = (await loads(connection, run["id"])).values()
    gaps = [(after.began_us - before.measured_until_us) / 1e6 for before, after in pairwise(phases)]
    if not gaps:
        raise NotMeasuredError("a run of a single trial has no dead time between trials")
    return {"dead-time": Found(median(gaps), {"pairs": len(gaps), "least": min(gaps), "most": max(gaps)})}


async def raw_size(lab: Lab, measure_s: int) -> dict[str, Found]:
    """What the raw data of a trial take in the database; in detail, megabytes a host and hour of trials."""
    run = await lab.run(await lab.one_arm_experiment(warmup_s=0, measure_s=measure_s))
    async with lab.database() as connection:
        rows = await _raw_bytes(connection, run["id"])
        await packed(connection, run["id"])
        blocks = await _raw_bytes(connection, run["id"])
    an_hour = 3600 / measure_s / 1e6
    detail = {"rows_mb_an_hour": rows * an_hour, "packed_mb_an_hour": blocks * an_hour, "trial_s": measure_s}
    return {"raw-size": Found(rows / blocks, detail)}


async def _raw_bytes(connection: Connection, run_id: str) -> int:
    began = time.perf_counter()
    while time.perf_counter() - began < SIZE_PATIENCE_S:
        found: int | None = await connection.fetchval("SELECT raw_bytes FROM run WHERE id = $1", run_id)
        if found is not None:
            return found
        await asyncio.sleep(0.2)
    raise NotMeasuredError("nobody has measured what the run takes")


async def queue(lab: Lab, pairs: int) -> dict[str, Found]:
    """How much later a run starts because hundreds wait in the queue for a host that is offline."""
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=1)
    seconds: dict[bool, list[float]] = {True: [], False: []}
    """With a full queue, and with an empty one."""
    async with lab.database() as connection, _queue(lab, connection, experiment):
        for number in range(pairs):
            for full in (False, True) if number % 2 else (True, False):
                await _pause_waiting(connection, paused=not full)
                seconds[full].append(await _seconds_to_load(lab, connection, experiment))
    differences = [full - empty for full, empty in zip(seconds[True], seconds[False], strict=True)]
    mean, interval = mean_interval(differences)
    detail = {
        "pairs": pairs,
        "empty_s": fmean(seconds[False]),
        "full_s": fmean(seconds[True]),
        "most_s": max(differences),
        "load_average": os.getloadavg()[0],
    }
    return {"queue-delay": Found(mean, detail, interval)}


@asynccontextmanager
async def _queue(lab: Lab, connection: Connection, experiment: dict[str, Any]) -> AsyncIterator[None]:
    """Runs like a finished one, for a host that has never been heard of again; they end with the benchmark."""
    like = UUID((await lab.run(experiment))["id"])
    host_id, _ = enrol(lab)
    try:
        await copy_rows(connection, "run", _RUNS, like, QUEUED)
        await copy_rows(connection, "run_host", _HOSTS, like, host_id)
        yield
    finally:
        await connection.execute("UPDATE run SET state = 'cancelled', paused_at = NULL WHERE state = 'queued'")


async def _pause_waiting(connection: Connection, *, paused: bool) -> None:
    """A paused run is not in the queue."""
    at = "now()" if paused else "NULL"
    await connection.execute(f"UPDATE run SET paused_at = {at} WHERE state = 'queued'")


async def _seconds_to_load(lab: Lab, connection: Connection, experiment: dict[str, Any]) -> float:
    asked_us = time.time_ns() // 1000
    run = await lab.run(experiment)
    (load,) = (await loads(connection, run["id"])).values()
    return (load.began_us - asked_us) / 1e6
