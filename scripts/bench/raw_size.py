"""What the raw data of a trial takes in the database."""

import asyncio
import time

from scripts.bench.lab import Connection, Lab
from scripts.bench.packed import packed
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.viewer import follow

DEFINITION = (
    "A real trial at 1 Hz, its one host loaded by wrk as fast as it can: what the product says that the run's "
    "readings, histograms and events take in the database with their indexes, before and after it is packed. In "
    "detail, the same for an hour of trials."
)
MEASURE_S, QUICK_MEASURE_S = 120, 20
_PATIENCE_S = 60


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """How many times less it takes once it is packed; in detail, megabytes a host and hour of trials."""
    seconds = QUICK_MEASURE_S if quick else MEASURE_S
    run = await follow(lab, await lab.start_run(await lab.one_arm_experiment(warmup_s=0, measure_s=seconds)))
    async with lab.database() as connection:
        rows = await _raw_bytes(connection, run["id"])
        await packed(connection, run["id"])
        blocks = await _raw_bytes(connection, run["id"])
    an_hour = 3600 / seconds / 1e6
    detail = {"rows_mb_an_hour": rows * an_hour, "packed_mb_an_hour": blocks * an_hour, "trial_s": seconds}
    return [
        Measurement("raw-size", "raw data as it is reported / packed", rows / blocks, "x", Budget("at least", 3.0),
                    DEFINITION, detail),
    ]  # fmt: skip


async def _raw_bytes(connection: Connection, run_id: str) -> int:
    began = time.perf_counter()
    while time.perf_counter() - began < _PATIENCE_S:
        found: int | None = await connection.fetchval("SELECT raw_bytes FROM run WHERE id = $1", run_id)
        if found is not None:
            return found
        await asyncio.sleep(0.2)
    raise NotMeasuredError("nobody has measured what the run takes")
