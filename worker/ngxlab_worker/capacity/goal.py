"""Whether a step met its goal, by what became of its requests.

A bound on a percentile is met where at most that share of the requests took longer: of those that were served where
the goal bounds errors as well, else of all, a failed request being one that never came. Where errors alone are
bounded, requests that still wait for a connection as the step ends count as failed: without this, a rate that only
fills a queue would meet any goal.

A step that met its goal did so whatever the generator was like. One that missed it is void where the generator's own
delays may be why, by the bounds of the check ``open-loop-behind``: they are in the latency, and what was late came in
a burst.
"""

from collections.abc import Iterator
from math import sqrt

import numpy as np
from ngxlab_contracts.streams import CapacityGoal, GoalBound

from ngxlab_worker.capacity.bounds import Result
from ngxlab_worker.engines import Answered, Progress
from ngxlab_worker.engines.histogram import Counts

LATE_US = 1000
LATE_SHARE = 0.1
"""A generator's own delay beyond both, the latter of the latency, makes a missed step void."""
STALL_US = 10_000
"""Requests that it sent later than this may have come in a burst, which a limit of requests refuses."""
FEW = 10
"""A percentile needs as many requests beyond it."""
WAITING_S = 1.0
"""A step is given up where requests of so much time wait for a connection."""

SHARES = {"p50_us": 0.5, "p90_us": 0.1, "p99_us": 0.01, "p999_us": 0.001}
BOUNDED: dict[GoalBound, float] = {"p50_ms": 0.5, "p90_ms": 0.1, "p99_ms": 0.01, "p999_ms": 0.001}
"""The percentiles that a goal may bound, with the share of requests that may be slower."""


def bounds_of(goal: CapacityGoal) -> Iterator[tuple[str, float, int]]:
    """The percentiles that are bounded: name, share of requests that may be slower, bound in microseconds."""
    for name, share in SHARES.items():
        bound_ms = getattr(goal, name.replace("_us", "_ms"))
        if bound_ms is not None:
            yield name.removesuffix("_us"), share, round(bound_ms * 1000)


def requests_wanted(goal: CapacityGoal) -> float:
    """How many requests a step needs for its goal to rest on more than a few of them."""
    wanted = [FEW / share for _, share, _ in bounds_of(goal)]
    if goal.errors_percent:
        wanted.append(100 / goal.errors_percent)  # so many that a single failure is within the goal
    return max(wanted, default=FEW)


def judge(goal: CapacityGoal, found: Answered, backlog: int) -> tuple[Result, str]:
    """The result of a step, all of whose requests have been answered or have failed, and why. ``backlog``: how many
    waited for a connection as it ended."""
    if found.due == 0:
        return "void", "no request was due"
    excess = _excess(goal, found, backlog)
    if excess > 0:
        if slower_than(found.lateness, STALL_US) >= excess:
            return "void", "the load generator stood still for a moment, and what it then sent at once was refused"
        waited = f"; {backlog:,} waited for a connection" if backlog else ""
        return "missed", f"{found.failed:,} of {found.due:,} requests failed{waited}"
    for name, share, bound_us in bounds_of(goal):
        late, of = _late(goal, found, bound_us)
        if late > _allowed(share, of) or not of:
            return _missed(name, share, late, of, found)
    return "met", _few(goal, found)


def unmet(goal: CapacityGoal, found: Answered, backlog: int) -> list[GoalBound]:
    """All bounds that such a step missed."""
    missed: list[GoalBound] = []
    for bound, share in BOUNDED.items():
        bound_ms = getattr(goal, bound)
        if bound_ms is None:
            continue
        late, of = _late(goal, found, round(bound_ms * 1000))
        if late > _allowed(share, of) or not of:
            missed.append(bound)
    return [*missed, "errors_percent"] if _excess(goal, found, backlog) > 0 else missed


def _excess(goal: CapacityGoal, found: Answered, backlog: int) -> float:
    """Requests that failed beyond what the goal allows; negative or 0 where it is met, or does not bound them."""
    if goal.errors_percent is None:
        return 0
    unserved = found.failed + (0 if any(True for _ in bounds_of(goal)) else backlog)
    return unserved - _allowed(goal.errors_percent / 100, found.due)


def _late(goal: CapacityGoal, found: Answered, bound_us: int) -> tuple[int, int]:
    """How many requests took longer, of how many."""
    if goal.errors_percent is None:
        return slower_than(found.latency, bound_us) + found.failed, found.due
    return slower_than(found.latency, bound_us), found.served


def _missed(name: str, share: float, late: int, of: int, found: Answered) -> tuple[Result, str]:
    own_us, latency_us = quantile(found.lateness, share), quantile(found.latency, share)
    if own_us is not None and latency_us is not None and own_us > max(LATE_US, LATE_SHARE * latency_us):
        return "void", f"the load generator itself was {own_us / 1000:.3g} ms late ({name})"
    return "missed", f"{late:,} of {of:,} requests were too late for the {name}"


def _few(goal: CapacityGoal, found: Answered) -> str:
    wanted = requests_wanted(goal)
    return f"only {found.due:,} requests: the goal needs some {wanted:,.0f}" if found.due < wanted / 2 else ""


def is_lost(goal: CapacityGoal, per_s: float, planned_s: float, found: Progress) -> bool:
    """Whether a step that still runs will have missed its goal, whatever the rest of it gives. It is then cut short:
    what an overload piles up has to be waited for."""
    failed, planned = found.failed, per_s * planned_s
    if goal.errors_percent is not None and failed > _allowed(goal.errors_percent / 100, planned):
        return True
    bounds = list(bounds_of(goal))
    for _, share, bound_us in bounds:
        recent = per_s * bound_us / 1e6
        late = max(0.0, found.outstanding - recent - 3 * sqrt(recent)) + (failed if goal.errors_percent is None else 0)
        if late > _allowed(share, planned):
            return True
    return not bounds and found.backlog > WAITING_S * per_s


def _allowed(share: float, requests: float) -> float:
    """How many of the requests may be slow or fail. A single one decides nothing, unless none may."""
    return max(share * requests, 1) if share else 0


def slower_than(counts: Counts, bound_us: int) -> int:
    return int(counts.count[counts.latency_us > bound_us].sum())


def quantile(counts: Counts, share_beyond: float) -> int | None:
    """The smallest latency, in microseconds, that at most so large a share exceeds. ``None`` without requests."""
    if not counts.total:
        return None
    reached = np.cumsum(counts.count)
    rank = int(np.ceil((1 - share_beyond) * counts.total))
    return int(counts.latency_us[np.searchsorted(reached, max(1, rank))])


def percentiles(latency: Counts) -> dict[str, int | None]:
    """Percentiles of the served requests, by the names in :data:`SHARES`; ``None`` where too few lie beyond."""
    return {name: quantile(latency, share) if latency.total * share >= FEW else None for name, share in SHARES.items()}
