"""What it takes an agent to send what has piled up while the backend was away, in the middle of a trial."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from ngxlab_contracts.telemetry import Batch, Frame, Layout, SeriesDef
from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.uplink.spool import Spool
from ngxlab_worker.uplink.steering import Steering
from ngxlab_worker.uplink.uploader import Uploader

from scripts.bench.lab import Lab
from scripts.bench.pretend_host import PretendTrial, pretend_trial
from scripts.bench.results import Budget, Measurement, NotMeasuredError

BATCHES, QUICK_BATCHES = 1800, 120
"""Half an hour at one a second, as while somebody watches; else they are five seconds long."""
WIDTH = 150
"""Values of a second, as of a small host."""
PATIENCE_S = 1200
DEFINITION = (
    "An agent's own uploader sends batches from its spool, each with one frame of {width} values, to the backend in "
    "the middle of a trial: CPU time of its process / time until the last one was acknowledged. After the end of a "
    "trial, it does not rest between batches."
)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The share of a core."""
    count = QUICK_BATCHES if quick else BATCHES
    with TemporaryDirectory(prefix="ngxlab-backlog-") as folder:
        async with pretend_trial(lab) as trial:
            spool = _filled(Path(folder), trial, count)
            used_s, took_s = _send(trial, spool)
            trial.next_seq = spool.next_seq
    return [
        Measurement(
            "backlog",
            f"agent's CPU while it sends a backlog of {count:,} batches",
            100 * used_s / took_s,
            "% of a core",
            Budget("at most", 2),
            DEFINITION.format(width=WIDTH),
            {"batches": count, "took_s": took_s, "cpu_ms_a_batch": 1000 * used_s / count},
        )
    ]


def _filled(folder: Path, trial: PretendTrial, count: int) -> Spool:
    spool = Spool(folder, trial.trial_id)
    spool.acknowledge(trial.next_seq - 1)
    series = [
        SeriesDef(name="node_cpu_seconds_total", labels={"cpu": str(n)}, unit="seconds", kind="counter")
        for n in range(WIDTH)
    ]
    layouts = [Layout(id=0, collector="cpu", series=series)]
    first_us = time.time_ns() // 1000 - count * 1_000_000
    for second in range(count):
        values = [float(1000 * number + second) for number in range(WIDTH)]
        frame = Frame(layout=0, t_us=first_us + second * 1_000_000, took_us=100, values=values)
        spool.append(Batch(seq=spool.next_seq, clock_offset_us=0, layouts=layouts, frames=[frame]))
        layouts = []
    return spool


def _send(trial: PretendTrial, spool: Spool) -> tuple[float, float]:
    """Seconds of CPU, and seconds."""
    steering = Steering(monotonic_us() + PATIENCE_S * 1_000_000)
    uploader = Uploader(trial.client, spool, steering, lambda: False)
    began_s, used_s = time.monotonic(), time.process_time()
    uploader.start()
    while spool.oldest() is not None:
        if not uploader.is_alive() or time.monotonic() - began_s > PATIENCE_S:
            raise NotMeasuredError(f"{len(spool.pending())} batches were not sent")
        time.sleep(0.2)
    found = time.process_time() - used_s, time.monotonic() - began_s
    uploader.close(0)
    return found
