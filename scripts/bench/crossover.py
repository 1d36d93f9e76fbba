"""Whether the product slows the measured nginx down: it is stopped and continued in windows within one trial."""

import asyncio
import contextlib
import math
import os
import random
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from ngxlab_worker.collectors.stub_status import StatusConnection
from ngxlab_worker.sandbox.process import children

from scripts.bench.lab import Lab
from scripts.bench.product_cpu import wait_for_window
from scripts.bench.ratios import interval, paired
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.stillness import everything_stopped
from scripts.bench.viewer import follow
from scripts.stack.processes import living

FILE_BYTES = 20_000


def packing(definition: dict[str, Any]) -> None:
    """Have nginx pack a file for each answer: work for nginx, and little for who asks."""
    definition["nginx"] |= {
        "files": [{"folder": "pages", "count": 1, "size_bytes": FILE_BYTES, "content": "html"}],
        "server": (
            "keepalive_requests 1000000000;\nroot @@folder@@/files;\ndefault_type text/html;\n"
            "gzip on;\ngzip_comp_level 6;\nlocation / { }"
        ),
    }
    for stream in definition["streams"]:
        stream |= {"path": "/pages/0", "headers": {"Accept-Encoding": "gzip"}}


@contextmanager
def nginx_on_a_cpu_of_its_own(lab: Lab) -> Iterator[None]:
    """The first CPU for the nginx that runs now, the others for the product, the load and this process."""
    every = os.sched_getaffinity(0)
    if len(every) < 2:
        raise NotMeasuredError("this machine has one CPU: nginx cannot have one to itself")
    first = {min(every)}
    nginx, others = _parted(lab)
    if not nginx:
        raise NotMeasuredError("no nginx runs")
    try:
        _pin(nginx, first)
        _pin(others, every - first)
        yield
    finally:
        _pin(_everybody(lab), every)


def _parted(lab: Lab) -> tuple[list[int], list[int]]:
    everybody = _everybody(lab)
    nginx = [pid for pid in everybody if _name(pid) == "nginx"]
    return nginx, [pid for pid in everybody if pid not in nginx]


def _everybody(lab: Lab) -> list[int]:
    """All processes of the stack and of the trial, and this one."""
    found = [os.getpid()]
    waiting = [process.pid for process in living(lab.settings.run).values()]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.append(pid)
            waiting += children(pid)
    return found


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _pin(pids: Iterable[int], cpus: set[int]) -> None:
    for pid in pids:
        with suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(thread.name), cpus)


_WINDOWS = (
    "pairs of successive windows of 2 s, one with all of the product's processes stopped (SIGSTOP: agent, coordinator, "
    "backend, PostgreSQL, Redis, supervisord; not nginx, not wrk), one with all of them running, in random order. "
    "Requests a second by nginx's stub_status at both ends of a window; latency of 200 requests a second to the same "
    "worker besides. What the product catches up on after a stop counts against it. Ratio: geometric mean over the "
    "pairs, with Student's 95 % interval."
)
DEFINITION = (
    "Within the measured window of one trial of one arm at 1 Hz, with a viewer attached and everything on one machine: "
    + _WINDOWS
)
APART_DEFINITION = (
    "The same where the generator, the backend and its stores are not in nginx's way: nginx has the first CPU to "
    "itself and packs each answer (gzip), so that it alone is busy; all else has the other CPUs. They stand in for "
    "machines of their own, and share its memory and caches: " + _WINDOWS
)
WINDOW_S = 2.0
"""Two stopped ones in a row are far from what anybody takes for a lost host or a stalled agent."""
PAIRS = 60
QUICK_PAIRS = 8
MARGIN_S = 10
STATUS_TIMEOUT_S = 2.0
POLL_S = 0.005
_STATUS_SERVER = re.compile(r"listen 127\.0\.0\.1:(\d+);[^{}]*location = /stub_status")


class Window(NamedTuple):
    requests_per_s: float
    p99_s: float


class Setting(NamedTuple):
    """One way to run the trial. ``least``, ``most``: the budgets of the ratios of requests and of latency."""

    name: str
    what: str
    definition: str
    apart: bool
    least: float
    most: float


SETTINGS = (
    Setting("fidelity-crossover", "within a trial", DEFINITION, apart=False, least=0.99, most=1.01),
    Setting("fidelity-apart", "within a trial, generator and backend apart", APART_DEFINITION, apart=True,
            least=0.999, most=1.001),
)  # fmt: skip


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The ratios of requests/s and of p99, with everything together and with nginx apart."""
    pairs = QUICK_PAIRS if quick else PAIRS
    return [measure for setting in SETTINGS for measure in await _ratios(lab, setting, pairs)]


async def _ratios(lab: Lab, setting: Setting, pairs: int) -> list[Measurement]:
    change = packing if setting.apart else None
    seconds = 2 * WINDOW_S * pairs * 1.1 + MARGIN_S
    run_id = await lab.start_run(await lab.one_arm_experiment(warmup_s=2, measure_s=seconds, change=change))
    viewer = asyncio.create_task(follow(lab, run_id))
    async with lab.database() as connection:
        await wait_for_window(connection, run_id)
        trial_id = await connection.fetchval("SELECT id::text FROM trial WHERE run_id = $1", run_id)
    seed = time.time_ns()
    with nginx_on_a_cpu_of_its_own(lab) if setting.apart else contextlib.nullcontext():
        found = await asyncio.to_thread(_windows, lab, _status_address(lab, trial_id), pairs, random.Random(seed))
    run = await viewer
    if run["trials"][0]["state"] != "completed":
        raise NotMeasuredError("the trial did not last as long as the windows")
    return list(_measurements(setting, found, seed))


def _measurements(setting: Setting, found: Sequence[tuple[Window, Window]], seed: int) -> Iterator[Measurement]:
    for of, name, measured, budget in (
        ("requests_per_s", setting.name, "requests/s", Budget("at least", setting.least)),
        ("p99_s", f"{setting.name}-p99", "p99", Budget("at most", setting.most)),
    ):
        values = [(getattr(runs, of), getattr(stopped, of)) for runs, stopped in found]
        ratio = paired(values)
        what = f"{measured} with the product / with the product stopped, {setting.what}"
        detail = {"pairs": ratio.pairs, "seed": seed, of: values}
        yield Measurement(name, what, math.exp(ratio.mean), "x", budget, setting.definition, detail, interval(ratio))


def _status_address(lab: Lab, trial_id: str) -> tuple[str, int]:
    config = (lab.settings.agent / "trials" / trial_id / "nginx.conf").read_text()
    found = _STATUS_SERVER.search(config)
    if found is None:
        raise NotMeasuredError("the trial's nginx has no status page")
    return "127.0.0.1", int(found[1])


def _windows(lab: Lab, address: tuple[str, int], pairs: int, chance: random.Random) -> list[tuple[Window, Window]]:
    """With the product running and stopped, for each pair of windows."""
    status = StatusConnection(address, STATUS_TIMEOUT_S)
    found = []
    try:
        for _ in range(pairs):
            both = {runs: _window(lab, status, product_runs=runs) for runs in chance.sample([True, False], 2)}
            found.append((both[True], both[False]))
    finally:
        status.close()
    return found


def _window(lab: Lab, status: StatusConnection, *, product_runs: bool) -> Window:
    with contextlib.nullcontext() if product_runs else everything_stopped(lab):
        took_s = []
        first, began = status.poll().requests, time.monotonic()
        last, ended = first, began
        while ended - began < WINDOW_S:
            time.sleep(POLL_S)
            asked = time.monotonic()
            last, ended = status.poll().requests, time.monotonic()
            took_s.append(ended - asked)
    return Window((last - first) / (ended - began), float(np.quantile(took_s, 0.99)))
