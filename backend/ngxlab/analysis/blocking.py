"""How much of what requests take longer their workers were blocked for.

A worker is one loop: while its main thread is blocked on the disk (state D), none of its requests goes on. So of the
time that requests are under way, the part in which their worker is blocked is lost to them, whatever else they wait
for. Trials are those that count, and no profile is needed.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from ngxlab_verdict import Timed

from ngxlab.analysis.schemas import ArmMetric, MetricKey
from ngxlab.analysis.shares import Bounds, Sides, share_of

BLOCKED: MetricKey = "worker_blocked_percent"


class Stretch(NamedTuple):
    """One trial: how long a request takes, in any unit, and the fraction of the time in which workers were blocked."""

    time: float
    blocked: float


def stretches(times: Mapping[int, float], metrics: Sequence[ArmMetric]) -> list[Stretch]:
    """``times``: by block. Of the trials that tell both."""
    told = next((one.values for one in metrics if one.metric == BLOCKED), [])
    blocked = {one.block: one.value / 100 for one in told}
    return [Stretch(time, blocked[block]) for block, time in times.items() if block in blocked]


def blocked_share(arm: Sequence[Stretch], other: Sequence[Stretch]) -> Bounds | None:
    """Of the difference in time, what workers were blocked for. ``None`` with fewer than two trials of an arm, whose
    scatter nobody knows, or where their times do not differ."""
    if min(len(arm), len(other)) < 2:
        return None
    longer = float(np.mean([one.time for one in arm]) - np.mean([one.time for one in other]))
    if longer == 0:
        return None
    part, rest = (Sides(_timed(arm, is_rest=of), _timed(other, is_rest=of)) for of in (False, True))
    return share_of(part, rest, 1.0 if longer > 0 else -1.0)


def _timed(trials: Sequence[Stretch], *, is_rest: bool) -> Timed:
    means = np.array([[one.time * (1 - one.blocked if is_rest else one.blocked)] for one in trials])
    return Timed(means, np.zeros_like(means))
