"""How telemetry is stored: how fast, beside a bare COPY of the same rows, and what a backlog costs its agent."""

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from ngxlab_contracts.telemetry import Batch, Frame, Layout, SeriesDef
from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.uplink.spool import Spool
from ngxlab_worker.uplink.steering import Steering
from ngxlab_worker.uplink.uploader import Uploader

from scripts.bench.copies import Connection
from scripts.bench.lab import Lab
from scripts.bench.pretend import PretendTrial, pretend_trial
from scripts.bench.report import Found, NotMeasuredError, paired

WIDTH = 1000
"""Series in a frame, as many as a process collector has with some sixty nginx workers."""
FRAMES = 100
SAMPLES = WIDTH * FRAMES
COLUMNS = ("trial_id", "host_id", "layout", "t_us", "took_us", "live_seq", "values")
BACKLOG_WIDTH = 150
"""Values of a second, as of a small host."""
BACKLOG_PATIENCE_S = 1200

Row = tuple[UUID, UUID, int, int, int, int, list[float]]


async def rate(lab: Lab, pairs: int, batches: int, sustained_batches: int) -> dict[str, Found]:
    async with lab.database() as connection, pretend_trial(lab) as trial:
        try:
            layout = _layout("process", "ngxlab_process_cpu_seconds_total", "index", WIDTH)
            trial.report(Batch(seq=trial.next_seq, clock_offset_us=0, layouts=[layout]))
            found = [await _pair(connection, trial, batches, bare_first=n % 2 == 1) for n in range(pairs)]
            sustained = _post(trial, _bodies(trial.next_seq, sustained_batches))
            await _require_all(connection, trial, pairs * batches + sustained_batches)
        finally:
            # Otherwise the trial's end would start an analysis of them. The database is private.
            await connection.execute("TRUNCATE frame")
    ratio = paired(found)
    return {
        "ingest-against-copy": Found(ratio.ratio, {"samples_per_s": found}, ratio.interval_95),
        "ingest-sustained": Found(sustained, {"samples": sustained_batches * SAMPLES}),
    }


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


def _layout(collector: str, name: str, label: str, width: int) -> Layout:
    series = [SeriesDef(name=name, labels={label: str(n)}, unit="seconds", kind="counter") for n in range(width)]
    return Layout(id=0, collector=collector, series=series)


def _readings(count: int) -> list[tuple[int, list[float]]]:
    """``count`` frames' times and values: half of the counters in whole numbers, half in seconds."""
    random = np.random.default_rng(seed=1)
    begin = np.concatenate(
        [random.integers(0, 10**9, WIDTH // 2).astype(np.float64), np.round(random.random(WIDTH // 2) * 10**5, 6)]
    )
    now_us = time.time_ns() // 1000
    return [(now_us + step * 1000, (begin + step).tolist()) for step in range(count)]


def _bodies(first_seq: int, batches: int) -> list[bytes]:
    readings = _readings(batches * FRAMES)
    frames = [Frame(layout=0, t_us=t_us, took_us=50, values=list(values)) for t_us, values in readings]
    return [
        Batch(seq=first_seq + n, clock_offset_us=0, frames=frames[n * FRAMES : (n + 1) * FRAMES])
        .model_dump_json()
        .encode()
        for n in range(batches)
    ]


def _rows(host_id: UUID, batches: int) -> list[list[Row]]:
    """The same frames as rows of a trial that exists nowhere else."""
    trial_id = uuid4()
    rows = [(trial_id, host_id, 0, t_us, 50, n, values) for n, (t_us, values) in enumerate(_readings(batches * FRAMES))]
    return [rows[n * FRAMES : (n + 1) * FRAMES] for n in range(batches)]


async def backlog(lab: Lab, batches: int) -> dict[str, Found]:
    """What it takes an agent to send what has piled up while the backend was away, in the middle of a trial."""
    with TemporaryDirectory(prefix="ngxlab-backlog-") as folder:
        async with pretend_trial(lab) as trial:
            spool = _filled(Path(folder), trial, batches)
            used_s, took_s = _send(trial, spool)
            trial.next_seq = spool.next_seq
    return {"backlog": Found(100 * used_s / took_s, {"took_s": took_s, "cpu_ms_a_batch": 1000 * used_s / batches})}


def _filled(folder: Path, trial: PretendTrial, count: int) -> Spool:
    """With a batch for each second, as while somebody watches; else they are five seconds long."""
    spool = Spool(folder, trial.trial_id)
    spool.acknowledge(trial.next_seq - 1)
    layouts = [_layout("cpu", "node_cpu_seconds_total", "cpu", BACKLOG_WIDTH)]
    first_us = time.time_ns() // 1000 - count * 1_000_000
    for second in range(count):
        values = [float(1000 * number + second) for number in range(BACKLOG_WIDTH)]
        frame = Frame(layout=0, t_us=first_us + second * 1_000_000, took_us=100, values=values)
        spool.append(Batch(seq=spool.next_seq, clock_offset_us=0, layouts=layouts, frames=[frame]))
        layouts = []
    return spool


def _send(trial: PretendTrial, spool: Spool) -> tuple[float, float]:
    """Seconds of CPU, and seconds."""
    steering = Steering(monotonic_us() + BACKLOG_PATIENCE_S * 1_000_000)
    uploader = Uploader(trial.client, spool, steering, lambda: False)
    began_s, used_s = time.monotonic(), time.process_time()
    uploader.start()
    while spool.oldest() is not None:
        if not uploader.is_alive() or time.monotonic() - began_s > BACKLOG_PATIENCE_S:
            raise NotMeasuredError(f"{len(spool.pending())} batches were not sent")
        time.sleep(0.2)
    found = time.process_time() - used_s, time.monotonic() - began_s
    uploader.close(0)
    return found
