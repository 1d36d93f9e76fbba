"""Trials of a stream that searches for its capacity, by the events that an agent sends of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.records import HostRecord
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, GoalBound, OpenLoopSpec, StreamSpec
from ngxlab_contracts.telemetry import CapacityFound, CapacityStep, Event

WINDOW_US = builders.T0_US + 2_000_000
Ended = Literal["found", "every-rate", "no-rate", "generator", "unfinished"]


def stream(goal: CapacityGoal | None = None, from_per_s: float = 100, to_per_s: float = 20_000) -> StreamSpec:
    goal = goal or CapacityGoal(p99_ms=50, errors_percent=0.1)
    wanted = CapacitySpec(goal=goal, from_per_s=from_per_s, to_per_s=to_per_s)
    plan = OpenLoopSpec(steps=[], capacity=wanted)
    return StreamSpec(key="main", engine="open-loop", threads=2, connections=100, open_loop=plan)


def step(
    number: int,
    per_s: float,
    result: Literal["met", "missed", "void"] = "met",
    unmet: Sequence[GoalBound] = (),
) -> CapacityStep:
    """The ``number``-th second of the window."""
    begun_us, missed = WINDOW_US + (number - 1) * 1_000_000, result == "missed"
    failed = round(per_s / 10) if missed else 0
    return CapacityStep(
        t_us=begun_us + 1_000_000, stream="main", number=number, begun_us=begun_us, per_s=per_s,
        achieved_per_s=per_s - failed, due=round(per_s), served=round(per_s) - failed, failed=failed,
        p50_us=1_000, p90_us=2_000, p99_us=80_000 if missed else 4_000, p999_us=None, result=result,
        reason="the generator was late" if result == "void" else "", unmet=list(unmet),
    )  # fmt: skip


def found(capacity_per_s: float | None, ended: Ended = "found") -> CapacityFound:
    low, high = (0.97 * capacity_per_s, 1.02 * capacity_per_s) if capacity_per_s is not None else (None, None)
    return CapacityFound(
        t_us=WINDOW_US + 9_500_000, stream="main", ended=ended, met_per_s=low, missed_per_s=high,
        capacity_per_s=capacity_per_s, low_per_s=low, high_per_s=high,
    )  # fmt: skip


def record(events: Sequence[Event], of: StreamSpec | None = None) -> HostRecord:
    """A healthy trial whose only stream searches."""
    made = Scenario(spec=builders.spec(streams=[of or stream()])).build()
    return replace(made, events=[*made.events, *events])
