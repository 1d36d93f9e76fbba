"""CPU time: what others use before a benchmark, what the product's processes use, and how to stop these."""

import asyncio
import json
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ngxlab_worker.sandbox.process import children

from scripts.bench.copies import Connection
from scripts.bench.lab import Lab, LiveEvent, packed
from scripts.bench.report import BUSY_LIMIT, Found, NotMeasuredError
from scripts.stack import backend
from scripts.stack.processes import ProcessId, descendants, living, proc_text
from scripts.stack.waiting import wait_healthy

QUIET_WINDOW_S = 5.0
QUIET_PATIENCE_S = 600.0
IDLE_FIELDS = (3, 4)
"""Idle and waiting for a disk, in the ``cpu`` line of ``/proc/stat``."""
GUEST_FIELD = 8
"""From here on, times of guests, which user and nice have already."""
TICK_S = 0.01
"""Unit of the times in ``/proc/PID/stat``: USER_HZ is 100 on all that Linux supports."""
UNDER_TEST = frozenset({"nginx", "wrk"})
SERVICES = ("agent", "coordinator", "jobs", "backend")
STORES = ("postgres", "redis")
RECOVERY_PATIENCE_S = 15
SETTLE_S = 10
MARGIN_S = 2
WINDOW_PATIENCE_S = 60
RATES = {"1hz": 1000, "10hz": 100}
"""Milliseconds from one reading to the next."""

_PHASE = """
    SELECT event ->> 'phase' AS phase FROM trial_event JOIN trial ON trial.id = trial_id
    WHERE run_id = $1 AND event ->> 'kind' = 'phase' ORDER BY t_us DESC LIMIT 1
"""


def wait_until_quiet(patience_s: float) -> float:
    """Wait, and say so; return the share of the CPUs' time that was used in the last :data:`QUIET_WINDOW_S`.

    Returns what it found last where the machine is not quiet within ``patience_s``: the figures then count as
    unresolved.
    """
    began = time.monotonic()
    while True:
        used, all_before = _ticks()
        time.sleep(QUIET_WINDOW_S)
        used_after, all_after = _ticks()
        share = (used_after - used) / max(1, all_after - all_before)
        waited_s = time.monotonic() - began
        if share <= BUSY_LIMIT:
            return share
        if waited_s > patience_s:
            print(f"    not quiet after {patience_s:.0f} s: the CPUs are {share:.0%} busy; the figures are unresolved")
            return share
        if waited_s < 2 * QUIET_WINDOW_S:
            print(f"    the CPUs are {share:.0%} busy: waiting up to {patience_s:.0f} s for less than {BUSY_LIMIT:.0%}")


def _ticks() -> tuple[int, int]:
    """CPU time since boot, of all CPUs together: used, which includes what the hypervisor stole, and in all."""
    with Path("/proc/stat").open(encoding="ascii") as file:
        ticks = [int(field) for field in file.readline().split()[1:]][:GUEST_FIELD]
    return sum(ticks) - sum(ticks[field] for field in IDLE_FIELDS), sum(ticks)


@contextmanager
def product_stopped(lab: Lab) -> Iterator[None]:
    """Stop the stack's agent, coordinator, jobs and backend (SIGSTOP), then continue them until they are healthy.

    Use it between trials. Raises :class:`NotMeasuredError`.
    """
    with _stopped([process for name in SERVICES for process in _service_processes(lab, name)]):
        yield
    complaint = wait_healthy(lambda: backend.host_complaint(lab.settings), RECOVERY_PATIENCE_S)
    if complaint is not None:
        raise NotMeasuredError(f"the stack did not recover from being stopped: {complaint}")


@contextmanager
def everything_stopped(lab: Lab) -> Iterator[None]:
    """Stop all of the stack, with its database and what supervises it, for a few seconds within a trial."""
    services = [process for name in (*SERVICES, *STORES) for process in _service_processes(lab, name)]
    with _stopped([*services, living(lab.settings.run)["supervisord"]]):
        yield


@contextmanager
def _stopped(processes: Sequence[ProcessId]) -> Iterator[None]:
    try:
        for process in processes:
            process.send(signal.SIGSTOP)
        yield
    finally:
        for process in processes:
            process.send(signal.SIGCONT)


def _service_processes(lab: Lab, name: str) -> list[ProcessId]:
    main = running(lab, name)
    pool = [ProcessId.of(pid) for pid in children(main.pid)]
    return [main, *(process for process in pool if process is not None)]


def running(lab: Lab, service: str) -> ProcessId:
    """The main process of a service. Raises :class:`NotMeasuredError`."""
    main = living(lab.settings.run).get(service)
    if main is None:
        raise NotMeasuredError(f"the stack's {service} does not run")
    return main


async def agent(lab: Lab, measure_s: int) -> dict[str, Found]:
    """The CPU time that measuring takes on the measured host."""
    found = {}
    for rate, interval_ms in RATES.items():
        experiment = await lab.one_arm_experiment(warmup_s=2, measure_s=measure_s, interval_ms=interval_ms)
        witness = _Witness(lab, last_s=measure_s - interval_ms / 2000)
        await lab.run(experiment, witness.see)
        found[f"agent-cpu-{rate}"] = witness.found()
    return found


class _Witness:
    """Reads the agent's CPU time about once a second, when points of the measured window arrive."""

    def __init__(self, lab: Lab, last_s: float) -> None:
        self._lab = lab
        self._last_s = last_s
        self._readings: list[tuple[float, float]] = []
        """The time and the agent's CPU time, in seconds."""
        self._own: list[float] = []

    def see(self, event: LiveEvent) -> None:
        if event.name != "points":
            return
        points = json.loads(event.data)["points"]
        if not 0 <= max(point["t_s"] for point in points) < self._last_s:
            return
        own = [point["value"] for point in points if point["key"] == "agent_cpu_share"]
        self._own += [share for share in own if share is not None]
        now_s = time.monotonic()
        if not self._readings or now_s - self._readings[-1][0] >= 0.5:
            main = running(self._lab, "agent")
            self._readings.append((now_s, sum(_threads_s(pid) for pid in _members(main.pid))))

    def found(self) -> Found:
        """Percent of a core; in detail the product's own count, which covers the trial's process only."""
        if len(self._readings) < 2:
            raise NotMeasuredError("fewer than two readings arrived inside the measured window")
        (began_s, used_before_s), (ended_s, used_s) = self._readings[0], self._readings[-1]
        window_s = ended_s - began_s
        own = sum(self._own) / len(self._own) if self._own else None
        detail = {"window_s": window_s, "trial_process_by_its_own_count_percent": own}
        return Found(100 * (used_s - used_before_s) / window_s, detail)


def _members(pid: int) -> list[int]:
    """A process and all below it, but nginx and wrk."""
    return [one for one in (pid, *descendants(pid)) if proc_text(one, "comm") not in UNDER_TEST]


def _threads_s(pid: int) -> float:
    """CPU time of the living threads, to the nanosecond."""
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


async def product(lab: Lab, window_s: int) -> dict[str, Found]:
    """The CPU time that all of the product takes on one machine: at rest, and while it measures."""
    async with lab.database() as connection:
        await packed(connection)
    await asyncio.sleep(SETTLE_S)
    found = {"product-cpu-rest": await _use(lab, window_s)}
    for rate, interval_ms in RATES.items():
        found[f"product-cpu-{rate}"] = await _while_measuring(lab, interval_ms, window_s)
    return found


async def _while_measuring(lab: Lab, interval_ms: int, window_s: int) -> Found:
    experiment = await lab.one_arm_experiment(warmup_s=2, measure_s=window_s + 2 * MARGIN_S, interval_ms=interval_ms)
    run_id = await lab.start_run(experiment)
    async with lab.database() as connection:
        await wait_for_window(connection, run_id)
        await asyncio.sleep(MARGIN_S)
        use = await _use(lab, window_s)
        if await connection.fetchval(_PHASE, run_id) != "measure":
            raise NotMeasuredError("the trial's measured window ended before the reading")
    await lab.follow(run_id)
    return use


async def wait_for_window(connection: Connection, run_id: str) -> None:
    """Until the measured window of the run's first trial has begun."""
    deadline = time.monotonic() + WINDOW_PATIENCE_S
    while await connection.fetchval(_PHASE, run_id) != "measure":
        if time.monotonic() > deadline:
            raise NotMeasuredError("no trial came to its measured window")
        await asyncio.sleep(0.5)


async def _use(lab: Lab, window_s: float) -> Found:
    """Percent of a core that the product uses in the next ``window_s`` seconds; in detail, that of each service."""
    began_s, before = time.monotonic(), product_s(lab)
    await asyncio.sleep(window_s)
    took_s, after = time.monotonic() - began_s, product_s(lab)
    if before.keys() != after.keys():
        raise NotMeasuredError("a service came or went meanwhile")
    percent = {name: 100 * (after[name] - before[name]) / took_s for name in sorted(after)}
    return Found(sum(percent.values()), {"window_s": took_s, "percent_by_service": percent})


def product_s(lab: Lab) -> dict[str, float]:
    """Seconds of CPU that each service has used, with its children.

    The agent's ended children are not counted: they are nginx and wrk of earlier trials.
    """
    found = {}
    for name, process in living(lab.settings.run).items():
        # supervisord is the parent of the others, which are not counted twice.
        pids = [process.pid] if name == "supervisord" else _members(process.pid)
        found[name] = sum(_threads_s(pid) + (0 if name == "agent" else _ended_children_s(pid)) for pid in pids)
    return found


def _ended_children_s(pid: int) -> float:
    fields = proc_text(pid, "stat").rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) * TICK_S if fields else 0.0


def resident_bytes(*pids: int) -> int:
    lines = [line for pid in pids for line in proc_text(pid, "status").splitlines()]
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:"))
