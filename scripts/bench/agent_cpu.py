"""The CPU time that measuring takes on the measured host."""

import json
import time
from pathlib import Path
from typing import NamedTuple

from ngxlab_worker.sandbox.process import children

from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.viewer import LiveEvent, follow
from scripts.stack.processes import living

DEFINITION = (
    "CPU time of the agent's processes together (main and trial process and the sandbox's helpers; not nginx, not "
    "wrk) from the first to the last reading inside one measured window, percent of one core, from "
    "/proc/PID/task/*/schedstat. A viewer is attached."
)
UNDER_TEST = frozenset({"nginx", "wrk"})
RATES = ((1000, "1 Hz", 1.0), (100, "10 Hz", 2.0))
MEASURE_S = 30
QUICK_MEASURE_S = 6
SNAPSHOT_S = 1.0


class Snapshot(NamedTuple):
    at_s: float
    cpu_s: float


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """At 1 Hz and at 10 Hz."""
    return [
        await _measure(lab, interval_ms, label, Budget("at most", limit), QUICK_MEASURE_S if quick else MEASURE_S)
        for interval_ms, label, limit in RATES
    ]


async def _measure(lab: Lab, interval_ms: int, label: str, budget: Budget, measure_s: int) -> Measurement:
    experiment = await lab.one_arm_experiment(warmup_s=2, measure_s=measure_s, interval_ms=interval_ms)
    witness = _Witness(lab, last_s=measure_s - interval_ms / 2000)
    await follow(lab, await lab.start_run(experiment), witness.see)
    first, last = witness.ends()
    return Measurement(
        name=f"agent-cpu-{label.replace(' ', '').lower()}",
        what=f"agent's CPU while measuring at {label}",
        value=100 * (last.cpu_s - first.cpu_s) / (last.at_s - first.at_s),
        unit="% of a core",
        budget=budget,
        definition=DEFINITION,
        detail={"window_s": last.at_s - first.at_s, "trial_process_by_its_own_count_percent": witness.own_count()},
    )


class _Witness:
    """Reads the agent's CPU time about once a second, when points of the measured window arrive."""

    def __init__(self, lab: Lab, last_s: float) -> None:
        self._lab = lab
        self._last_s = last_s
        self._snapshots: list[Snapshot] = []
        self._own: list[float] = []

    def see(self, event: LiveEvent) -> None:
        if event.name != "points":
            return
        points = json.loads(event.data)["points"]
        if not 0 <= max(point["t_s"] for point in points) < self._last_s:
            return
        self._own += [point["value"] for point in points if point["key"] == "agent_cpu_share"]
        now_s = time.monotonic()
        if not self._snapshots or now_s - self._snapshots[-1].at_s >= SNAPSHOT_S / 2:
            self._snapshots.append(Snapshot(now_s, agent_cpu_s(self._lab)))

    def ends(self) -> tuple[Snapshot, Snapshot]:
        if len(self._snapshots) < 2:
            raise NotMeasuredError("fewer than two readings arrived inside the measured window")
        return self._snapshots[0], self._snapshots[-1]

    def own_count(self) -> float | None:
        """Mean of the product's own series, which covers the trial's process only."""
        shares = [value for value in self._own if value is not None]
        return sum(shares) / len(shares) if shares else None


def agent_cpu_s(lab: Lab) -> float:
    """Seconds of CPU that the living processes of the stack's agent have used."""
    agent = living(lab.settings.run).get("agent")
    if agent is None:
        raise NotMeasuredError("the stack's agent does not run")
    return sum(_cpu_s(pid) for pid in _family(agent.pid))


def _family(pid: int) -> list[int]:
    if (Path("/proc") / str(pid) / "comm").read_text().strip() in UNDER_TEST:
        return []
    return [pid, *(member for child in children(pid) for member in _family(child))]


def _cpu_s(pid: int) -> float:
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9
