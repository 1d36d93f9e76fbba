"""Whether the product slows the measured nginx down: it is stopped and continued in windows within one trial."""

import asyncio
import contextlib
import math
import random
import re
import time
from typing import NamedTuple

from ngxlab_worker.collectors.stub_status import StatusConnection

from scripts.bench.lab import Lab
from scripts.bench.product_cpu import wait_for_window
from scripts.bench.ratios import interval, paired
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.stillness import everything_stopped
from scripts.bench.viewer import follow

DEFINITION = (
    "Within the measured window of one trial of one arm at 1 Hz, with a viewer attached and everything on one machine: "
    "pairs of successive windows of 2 s, one with all of the product's processes stopped (SIGSTOP: agent, coordinator, "
    "backend, PostgreSQL, Redis, supervisord; not nginx, not wrk), one with all of them running, in random order. "
    "Requests a second by nginx's stub_status at both ends of a window. What the product catches up on after a stop "
    "counts against it. Ratio: geometric mean over the pairs, with Student's 95 % interval."
)
WINDOW_S = 2.0
"""Two stopped ones in a row are far from what anybody takes for a lost host or a stalled agent."""
PAIRS = 60
QUICK_PAIRS = 8
MARGIN_S = 10
STATUS_TIMEOUT_S = 2.0
_STATUS_SERVER = re.compile(r"listen 127\.0\.0\.1:(\d+);[^{}]*location = /stub_status")


class Reading(NamedTuple):
    at_s: float
    requests: int


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The ratio of requests/s."""
    pairs = QUICK_PAIRS if quick else PAIRS
    experiment = await lab.one_arm_experiment(warmup_s=2, measure_s=2 * WINDOW_S * pairs * 1.1 + MARGIN_S)
    run_id = await lab.start_run(experiment)
    viewer = asyncio.create_task(follow(lab, run_id))
    async with lab.database() as connection:
        await wait_for_window(connection, run_id)
        trial_id = await connection.fetchval("SELECT id::text FROM trial WHERE run_id = $1", run_id)
    seed = time.time_ns()
    rates = await asyncio.to_thread(_rates, lab, _status_address(lab, trial_id), pairs, random.Random(seed))
    run = await viewer
    if run["trials"][0]["state"] != "completed":
        raise NotMeasuredError("the trial did not last as long as the windows")
    ratio = paired(rates)
    return [
        Measurement(
            name="fidelity-crossover",
            what="requests/s with the product / with the product stopped, within a trial",
            value=math.exp(ratio.mean),
            unit="x",
            budget=Budget("at least", 0.99),
            definition=DEFINITION,
            detail={"pairs": ratio.pairs, "seed": seed, "requests_per_s": rates},
            interval_95=interval(ratio),
        )
    ]


def _status_address(lab: Lab, trial_id: str) -> tuple[str, int]:
    config = (lab.settings.agent / "trials" / trial_id / "nginx.conf").read_text()
    found = _STATUS_SERVER.search(config)
    if found is None:
        raise NotMeasuredError("the trial's nginx has no status page")
    return "127.0.0.1", int(found[1])


def _rates(lab: Lab, address: tuple[str, int], pairs: int, chance: random.Random) -> list[tuple[float, float]]:
    """Requests a second with the product running and stopped, for each pair of windows."""
    status = StatusConnection(address, STATUS_TIMEOUT_S)
    found = []
    try:
        for _ in range(pairs):
            rates = {runs: _rate(lab, status, product_runs=runs) for runs in chance.sample([True, False], 2)}
            found.append((rates[True], rates[False]))
    finally:
        status.close()
    return found


def _rate(lab: Lab, status: StatusConnection, *, product_runs: bool) -> float:
    with contextlib.nullcontext() if product_runs else everything_stopped(lab):
        first = _read(status)
        time.sleep(WINDOW_S)
        last = _read(status)
    return (last.requests - first.requests) / (last.at_s - first.at_s)


def _read(status: StatusConnection) -> Reading:
    requests = status.poll().requests
    return Reading(time.monotonic(), requests)
