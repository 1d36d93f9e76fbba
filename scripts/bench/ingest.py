"""How fast telemetry is stored: through the product, and by a bare COPY of the same rows."""

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import numpy as np
from ngxlab_contracts.telemetry import Batch, Frame, Layout, SeriesDef

from scripts.bench.lab import Connection, Lab
from scripts.bench.pretend_host import PretendTrial, pretend_trial
from scripts.bench.ratios import interval, paired
from scripts.bench.results import Budget, Measurement, NotMeasuredError

WIDTH = 1000
"""Series in a frame, as many as a process collector has with some sixty nginx workers."""
FRAMES = 100
SAMPLES = WIDTH * FRAMES
LAYOUT = 0
COLUMNS = ("trial_id", "host_id", "layout", "t_us", "took_us", "live_seq", "values")
RATIO_DEFINITION = (
    f"Samples/s of POST /agent/trials/ID/batches over one keep-alive connection, batch after batch of {FRAMES} frames "
    f"x {WIDTH} series, prepared beforehand, against COPY of the same rows into the same table, one transaction a "
    "batch, in alternating order. Geometric mean of the ratios with Student's 95 % interval."
)
SUSTAINED_DEFINITION = (
    "The same batches one after another without a pause: samples sent / time until the last was acknowledged. All "
    "rows and samples are then counted in the database; a missing one fails the benchmark. Sender, backend "
    "and PostgreSQL share the machine's cores."
)


class Size(NamedTuple):
    pairs: int
    batches: int
    sustained_batches: int


FULL = Size(pairs=6, batches=8, sustained_batches=60)
QUICK = Size(pairs=3, batches=3, sustained_batches=12)

Row = tuple[UUID, UUID, int, int, int, int, list[float]]


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The ratio, and the sustained rate."""
    size = QUICK if quick else FULL
    async with lab.database() as connection, pretend_trial(lab) as trial:
        try:
            trial.report(Batch(seq=trial.next_seq, clock_offset_us=0, layouts=[_layout()]))
            pairs = [await _pair(connection, trial, size.batches, bare_first=n % 2 == 1) for n in range(size.pairs)]
            sustained = _post(trial, _bodies(trial.next_seq, size.sustained_batches))
            await _require_all(connection, trial, size.pairs * size.batches + size.sustained_batches)
        finally:
            # Otherwise the trial's end would start an analysis of them. The database is private.
            await connection.execute("TRUNCATE frame")
    ratio = paired(pairs)
    return [
        Measurement(
            name="ingest-against-copy",
            what="ingest / bare COPY of the same rows",
            value=math.exp(ratio.mean),
            unit="x",
            budget=Budget("at least", 0.6),
            definition=RATIO_DEFINITION,
            detail={"pairs": ratio.pairs, "samples_per_s": pairs},
            interval_95=interval(ratio),
        ),
        Measurement(
            name="ingest-sustained",
            what="samples ingested, sustained, none lost",
            value=sustained,
            unit="samples/s",
            budget=Budget("at least", 200_000),
            definition=SUSTAINED_DEFINITION,
            detail={"samples": size.sustained_batches * SAMPLES},
        ),
    ]


async def _pair(connection: Connection, trial: PretendTrial, batches: int, *, bare_first: bool) -> tuple[float, float]:
    """Samples/s through the product and by COPY."""
    bodies, rows = _bodies(trial.next_seq, batches), _rows(trial.host_id, batches)
    if bare_first:
        bare = await _copy(connection, rows)
        return _post(trial, bodies), bare
    return _post(trial, bodies), await _copy(connection, rows)


def _post(trial: PretendTrial, bodies: Sequence[bytes]) -> float:
    began = time.perf_counter()
    for body in bodies:
        trial.client.send_batch(trial.trial_id, body)
        trial.next_seq += 1
    return len(bodies) * SAMPLES / (time.perf_counter() - began)


async def _copy(connection: Connection, batches: Sequence[list[Row]]) -> float:
    began = time.perf_counter()
    for rows in batches:
        async with connection.transaction():
            await connection.copy_records_to_table("frame", columns=COLUMNS, records=rows)
    return len(batches) * SAMPLES / (time.perf_counter() - began)


async def _require_all(connection: Connection, trial: PretendTrial, batches: int) -> None:
    query = "SELECT count(*) AS frames, coalesce(sum(cardinality(values)), 0) AS samples FROM frame WHERE trial_id = $1"
    found: Any = await connection.fetchrow(query, trial.trial_id)
    if (found["frames"], found["samples"]) != (batches * FRAMES, batches * SAMPLES):
        raise NotMeasuredError(
            f"of {batches * FRAMES} frames with {batches * SAMPLES} samples, {found['frames']} with "
            f"{found['samples']} are in the database: data were lost or stored twice"
        )


def _layout() -> Layout:
    """The layout of a collector on a host with many processes."""
    series = [
        SeriesDef(
            name="ngxlab_process_cpu_seconds_total",
            labels={"role": "nginx-worker", "index": str(index)},
            unit="seconds",
            kind="counter",
        )
        for index in range(WIDTH)
    ]
    return Layout(id=LAYOUT, collector="process", series=series)


def _readings(count: int) -> list[tuple[int, list[float]]]:
    """``count`` frames' times and values: half of the counters in whole numbers, half in seconds."""
    random = np.random.default_rng(seed=1)
    begin = np.concatenate(
        [random.integers(0, 10**9, WIDTH // 2).astype(np.float64), np.round(random.random(WIDTH // 2) * 10**5, 6)]
    )
    now_us = time.time_ns() // 1000
    return [(now_us + step * 1000, (begin + step).tolist()) for step in range(count)]


def _bodies(first_seq: int, batches: int) -> list[bytes]:
    """Batches as they are sent."""
    readings = _readings(batches * FRAMES)
    frames = [Frame(layout=LAYOUT, t_us=t_us, took_us=50, values=list(values)) for t_us, values in readings]
    return [
        Batch(seq=first_seq + n, clock_offset_us=0, frames=frames[n * FRAMES : (n + 1) * FRAMES])
        .model_dump_json()
        .encode()
        for n in range(batches)
    ]


def _rows(host_id: UUID, batches: int) -> list[list[Row]]:
    """The same frames as rows of a trial that exists nowhere else."""
    trial_id = uuid4()
    rows = [
        (trial_id, host_id, LAYOUT, t_us, 50, n, values) for n, (t_us, values) in enumerate(_readings(batches * FRAMES))
    ]
    return [rows[n * FRAMES : (n + 1) * FRAMES] for n in range(batches)]
