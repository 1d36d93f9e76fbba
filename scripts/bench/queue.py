"""How much later a run starts because hundreds wait in the queue for a host that is offline."""

import math
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from statistics import fmean, stdev
from typing import Any
from uuid import UUID

from ngxlab.analysis.statistics.paired import t_quantile

from scripts.bench.lab import Connection, Lab
from scripts.bench.pretend_host import enrol
from scripts.bench.results import Budget, Measurement
from scripts.bench.stored import loads
from scripts.bench.viewer import follow

WAITING = 500
PAIRS = 10
QUICK_PAIRS = 3
MOST_S = 1.0

DEFINITION = (
    f"The time from asking for a run on an idle host to the start of its first load, with {WAITING} runs in the queue "
    "before it that wait for another host, which is offline, less the time with an empty queue (they are paused then). "
    "Pairs of successive runs, in alternating order; the mean difference."
)

_COLUMNS = """
    SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
    WHERE table_name = 'run' AND is_generated = 'NEVER'
"""
_RUNS = """
    INSERT INTO run ({columns}) SELECT {columns} FROM (SELECT (jsonb_populate_record(run, jsonb_build_object(
        'id', gen_random_uuid(), 'number', 1000 + n, 'state', 'queued', 'state_code', NULL, 'state_reason', NULL,
        'started_at', NULL, 'finished_at', NULL, 'lease_holder', NULL, 'lease_expires_at', NULL, 'hinted_at', NULL))).*
    FROM run, generate_series(1, $2) n WHERE id = $1) AS queued
"""
_HOSTS = """
    INSERT INTO run_host SELECT (jsonb_populate_record(run_host, jsonb_build_object(
        'run_id', queued.id, 'host_id', $2::uuid))).*
    FROM run_host, run queued WHERE run_host.run_id = $1 AND queued.state = 'queued'
"""


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The mean difference, in seconds."""
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=1)
    pairs: list[tuple[float, float]] = []
    async with lab.database() as connection, _queue(lab, connection, experiment):
        for number in range(QUICK_PAIRS if quick else PAIRS):
            seconds = {}
            for full in (False, True) if number % 2 else (True, False):
                await _pause_waiting(connection, paused=not full)
                seconds[full] = await _seconds_to_load(lab, connection, experiment)
            pairs.append((seconds[True], seconds[False]))
    differences = [full - empty for full, empty in pairs]
    return [
        Measurement(
            name="queue-delay",
            what=f"delay of a run by {WAITING} queued ones on an offline host",
            value=fmean(differences),
            unit="s",
            budget=Budget("at most", MOST_S),
            definition=DEFINITION,
            detail={
                "pairs": len(pairs),
                "empty_s": fmean(empty for _, empty in pairs),
                "full_s": fmean(full for full, _ in pairs),
                "most_s": max(differences),
                "load_average": os.getloadavg()[0],
            },
            interval_95=_interval(differences),
        )
    ]


@asynccontextmanager
async def _queue(lab: Lab, connection: Connection, experiment: dict[str, Any]) -> AsyncIterator[None]:
    """Runs like a finished one, for a host that has never been heard of again; they end with the benchmark."""
    like = UUID(await lab.start_run(experiment))
    await follow(lab, str(like))
    host_id, _ = enrol(lab)
    try:
        columns = await connection.fetchval(_COLUMNS)
        await connection.execute(_RUNS.format(columns=columns), like, WAITING)
        await connection.execute(_HOSTS, like, host_id)
        yield
    finally:
        await connection.execute("UPDATE run SET state = 'cancelled', paused_at = NULL WHERE state = 'queued'")


async def _pause_waiting(connection: Connection, *, paused: bool) -> None:
    """A paused run is not in the queue."""
    at = "now()" if paused else "NULL"
    await connection.execute(f"UPDATE run SET paused_at = {at} WHERE state = 'queued'")


async def _seconds_to_load(lab: Lab, connection: Connection, experiment: dict[str, Any]) -> float:
    asked_us = time.time_ns() // 1000
    run_id = await lab.start_run(experiment)
    await follow(lab, run_id)
    (load,) = await loads(connection, run_id)
    return (load.began_us - asked_us) / 1e6


def _interval(differences: Sequence[float]) -> tuple[float, float]:
    half = t_quantile(len(differences) - 1) * stdev(differences) / math.sqrt(len(differences))
    return fmean(differences) - half, fmean(differences) + half
