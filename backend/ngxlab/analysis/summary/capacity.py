"""Searches for the capacity: the highest rate that meets a goal, as an agent found it within one trial."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, GoalBound, StreamSpec
from ngxlab_contracts.telemetry import CapacityFound, CapacityStep

from ngxlab.analysis.metrics import CAPACITY
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import CapacitySearch, CapacityTried

NEAREST = 5
"""Of the steps that missed the goal, so many that are the nearest to the capacity say which bound was missed."""
_BOUNDS: Mapping[str, str] = {
    "p50_ms": "median ≤ {bound:g} ms",
    "p90_ms": "p90 ≤ {bound:g} ms",
    "p99_ms": "p99 ≤ {bound:g} ms",
    "p999_ms": "p99.9 ≤ {bound:g} ms",
    "errors_percent": "errors ≤ {bound:g} %",
}


def goal_text(goal: CapacityGoal) -> Sentence:
    """``p99 ≤ 50 ms and errors ≤ 0.1 %``."""
    return bounds_text(goal, [key for key in get_args(GoalBound) if getattr(goal, key) is not None])


def bounds_text(goal: CapacityGoal, bounds: Sequence[GoalBound]) -> Sentence:
    """Some of its bounds."""
    return listed((say(_BOUNDS[key], bound=getattr(goal, key)) for key in bounds), " and ")


def binding(steps: Sequence[CapacityTried], capacity_per_s: float | None) -> list[GoalBound]:
    """The bounds that half or more of the steps nearest to the capacity missed, of those that missed any. None where
    there is no capacity, or an agent that did not say."""
    if capacity_per_s is None:
        return []
    missed = [step for step in steps if step.unmet]
    nearest = sorted(missed, key=lambda step: abs(step.per_s / capacity_per_s - 1))[:NEAREST]
    counted = Counter(bound for step in nearest for bound in step.unmet)
    return [bound for bound in get_args(GoalBound) if 2 * counted[bound] >= len(nearest) > 0]


def searches(record: TrialRecord) -> list[CapacitySearch]:
    """The searches of all hosts, in the order of their plans."""
    return [
        _search(host, stream, stream.searches_for)
        for host in record.hosts
        for stream in host.spec.streams
        if stream.searches_for is not None
    ]


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """What the trial's search found; of a probe, or where several streams search, there is none."""
    found = [
        host.capacity_found(stream.key)
        for host in record.hosts
        for stream in host.spec.streams
        if stream.searches_for is not None and not stream.probe
    ]
    return {CAPACITY: _value(found[0])} if len(found) == 1 else {}


def _value(found: CapacityFound | None) -> float | None:
    return found.capacity_per_s if found is not None and found.ended == "found" else None


def _search(host: HostRecord, stream: StreamSpec, wanted: CapacitySpec) -> CapacitySearch:
    origin_us = host.phase_at_us("measure") or host.load_began_us or 0
    steps = [tried(step, origin_us) for step in host.capacity_steps(stream.key)]
    return search_of(stream.key, wanted, host.capacity_found(stream.key), steps)


def search_of(
    stream: str, wanted: CapacitySpec, found: CapacityFound | None, steps: Sequence[CapacityTried]
) -> CapacitySearch:
    """``found``: ``None`` where the search was broken off, or goes on."""
    bounds = binding(steps, _value(found))
    return CapacitySearch(
        stream=stream,
        goal=wanted.goal,
        goal_text=goal_text(wanted.goal),
        from_per_s=wanted.from_per_s,
        to_per_s=wanted.to_per_s,
        ended=found.ended if found is not None else None,
        capacity_per_s=_value(found),
        low_per_s=found.low_per_s if found is not None else None,
        high_per_s=found.high_per_s if found is not None else None,
        met_per_s=found.met_per_s if found is not None else None,
        missed_per_s=found.missed_per_s if found is not None else None,
        without_value=_without_value(wanted, found),
        binding=bounds,
        binding_text=bounds_text(wanted.goal, bounds) if bounds else None,
        steps=list(steps),
    )


def tried(step: CapacityStep, origin_us: int) -> CapacityTried:
    """``origin_us``: the beginning of the planned window, by the host's clock."""
    timed = {"t_s": (step.begun_us - origin_us) / 1e6, "seconds": (step.t_us - step.begun_us) / 1e6}
    return CapacityTried(**timed, **step.model_dump(include=CapacityTried.model_fields.keys() - timed.keys()))


def _without_value(wanted: CapacitySpec, found: CapacityFound | None) -> Sentence | None:
    if found is None:
        return say("the search was broken off")
    match found.ended:
        case "found":
            return None if found.capacity_per_s is not None else say("the search gave no estimate")
        case "every-rate":
            return say("every rate up to {rate:,g}/s met the goal", rate=wanted.to_per_s)
        case "no-rate":
            return say("no rate from {rate:,g}/s on met the goal", rate=wanted.from_per_s)
        case "generator":
            return say("the generator was at its limit before nginx was")
        case "unfinished":
            return say("the window ended before the search did")
