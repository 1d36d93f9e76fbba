"""The CPU time that all of the product takes on one machine: at rest, and while it measures."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from scripts.bench.agent_cpu import UNDER_TEST
from scripts.bench.lab import Connection, Lab
from scripts.bench.packed import all_packed
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.viewer import follow
from scripts.stack.processes import living

DEFINITION = (
    "CPU time of the stack's services together (backend, jobs, coordinator, agent, PostgreSQL, Redis, supervisord; not "
    "nginx, not wrk), of their living threads and of children, also of those that ended meanwhile; percent of a core. "
    "At rest: no run, no viewer, and nothing left to be done for runs before, which are packed. At 1 Hz and 10 Hz: "
    "inside the measured window of one trial of one arm, no viewer."
)
RATES = ((1000, "1 Hz", 1.5), (100, "10 Hz", 4.0))
REST_BUDGET = 0.3
WINDOW_S = 40
QUICK_WINDOW_S = 8
SETTLE_S = 10
MARGIN_S = 2
PATIENCE_S = 60
POLL_S = 0.5
TICK_S = 0.01
"""Unit of the times in ``/proc/PID/stat``: USER_HZ is 100 on all that Linux supports."""

_PHASE = """
    SELECT event ->> 'phase' AS phase FROM trial_event JOIN trial ON trial.id = trial_id
    WHERE run_id = $1 AND event ->> 'kind' = 'phase' ORDER BY t_us DESC LIMIT 1
"""


class Use(NamedTuple):
    """Percent of a core by service, over a window."""

    window_s: float
    percent: Mapping[str, float]

    @property
    def total(self) -> float:
        return sum(self.percent.values())


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """At rest, at 1 Hz and at 10 Hz."""
    window_s = QUICK_WINDOW_S if quick else WINDOW_S
    async with lab.database() as connection:
        await all_packed(connection)
    await asyncio.sleep(SETTLE_S)
    found = [_measurement("at rest", REST_BUDGET, await _use(lab, window_s))]
    for interval_ms, label, limit in RATES:
        found.append(_measurement(f"at {label}", limit, await _while_measuring(lab, interval_ms, window_s)))
    return found


async def _while_measuring(lab: Lab, interval_ms: int, window_s: int) -> Use:
    experiment = await lab.one_arm_experiment(warmup_s=2, measure_s=window_s + 2 * MARGIN_S, interval_ms=interval_ms)
    run_id = await lab.start_run(experiment)
    async with lab.database() as connection:
        await wait_for_window(connection, run_id)
        await asyncio.sleep(MARGIN_S)
        use = await _use(lab, window_s)
        if await connection.fetchval(_PHASE, run_id) != "measure":
            raise NotMeasuredError("the trial's measured window ended before the reading")
    await follow(lab, run_id)
    return use


async def wait_for_window(connection: Connection, run_id: str) -> None:
    """Until the measured window of the run's first trial has begun."""
    deadline = time.monotonic() + PATIENCE_S
    while await connection.fetchval(_PHASE, run_id) != "measure":
        if time.monotonic() > deadline:
            raise NotMeasuredError("no trial came to its measured window")
        await asyncio.sleep(POLL_S)


async def _use(lab: Lab, window_s: float) -> Use:
    """What each service uses in the next ``window_s`` seconds."""
    began_s, before = time.monotonic(), cpu_s(lab)
    await asyncio.sleep(window_s)
    took_s, after = time.monotonic() - began_s, cpu_s(lab)
    if before.keys() != after.keys():
        raise NotMeasuredError("a service came or went meanwhile")
    return Use(took_s, {name: 100 * (after[name] - before[name]) / took_s for name in sorted(after)})


def cpu_s(lab: Lab) -> dict[str, float]:
    """Seconds of CPU that each service has used, with its children."""
    services = {process.pid: name for name, process in living(lab.settings.run).items()}
    used: dict[str, float] = defaultdict(float)
    parents, names = _processes()
    for pid in parents:
        if names[pid] not in UNDER_TEST and (service := _service(pid, parents, services)):
            used[service] += _own_s(pid) + (0 if service == "agent" else _ended_children_s(pid))
    return dict(used)


def _processes() -> tuple[dict[int, int], dict[int, str]]:
    """The parent and the name of each process of this machine."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            name, fields = (folder / "comm").read_text().strip(), _stat(int(folder.name))
            if fields:
                parents[int(folder.name)], names[int(folder.name)] = int(fields[1]), name
    return parents, names


def _service(pid: int, parents: Mapping[int, int], services: Mapping[int, str]) -> str | None:
    """The service that a process belongs to. supervisord is the parent of the others, which are not counted twice."""
    while pid and pid not in services:
        pid = parents.get(pid, 0)
    return services.get(pid)


def _stat(pid: int) -> list[str]:
    """The fields of ``/proc/PID/stat`` behind the name: state, parent, ...; none where the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _own_s(pid: int) -> float:
    """Of the living threads, to the nanosecond."""
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def _ended_children_s(pid: int) -> float:
    """The agent's are nginx and wrk of earlier trials, so its are not asked for."""
    fields = _stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK_S if fields else 0.0


def _measurement(label: str, limit: float, use: Use) -> Measurement:
    detail: dict[str, Any] = {"window_s": use.window_s, "percent_by_service": dict(use.percent)}
    return Measurement(
        name=f"product-cpu-{label.removeprefix('at ').replace(' ', '').lower()}",
        what=f"CPU of the whole product {label}",
        value=use.total,
        unit="% of a core",
        budget=Budget("at most", limit),
        definition=DEFINITION,
        detail=detail,
    )
