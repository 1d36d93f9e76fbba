"""How much of a difference in memory comes from the number of connections that were held."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ngxlab.analysis.schemas import ArmAnalysis, MetricKey

HELD: MetricKey = "connections_held"
MEMORY: frozenset[MetricKey] = frozenset(
    {
        "worker_rss_growth_bytes",
        "memory_available_drop_bytes",
        "slab_growth_bytes",
        "kernel_memory_growth_bytes",
    }
)
"""What grows while connections are opened."""


class HeldShare(NamedTuple):
    """``more``: connections more than the baseline holds. ``each``: bytes that one takes, by all arms but the one that
    is explained, whose memory proves nothing about itself. ``share``: what so many take, of the difference."""

    more: float
    each: float
    share: float


def held_share(
    metric: MetricKey, arm: ArmAnalysis, base: ArmAnalysis, others: Sequence[ArmAnalysis]
) -> HeldShare | None:
    """``None`` where the other arms, of which the baseline is one, do not say what a connection takes."""
    points = [
        (held, memory)
        for one in others
        if (held := _mean(one, HELD)) is not None and (memory := _mean(one, metric)) is not None
    ]
    more, grown = (_more(one, arm, base) for one in (HELD, metric))
    if len({held for held, _ in points}) < 2 or more is None or grown is None:
        return None
    held, memory = np.array(points).T
    each = float(np.polyfit(held, memory, 1)[0])
    return HeldShare(more, each, each * more / grown) if grown and each > 0 else None


def _more(metric: MetricKey, arm: ArmAnalysis, base: ArmAnalysis) -> float | None:
    own, theirs = _mean(arm, metric), _mean(base, metric)
    return own - theirs if own is not None and theirs is not None else None


def _mean(arm: ArmAnalysis, metric: MetricKey) -> float | None:
    return next((one.mean for one in arm.metrics if one.metric == metric), None)
