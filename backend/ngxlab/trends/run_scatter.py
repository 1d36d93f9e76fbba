"""How much runs of the same thing differ, which no interval within a run shows (docs/method.md, Comparing runs)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
from ngxlab_verdict import Between
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.trends.lines import Line, lines_of
from ngxlab.trends.readings import Reading, read
from ngxlab.trends.repository import latest_runs

_MOST_RUNS = 200


async def run_scatter(session: AsyncSession, experiment_ids: Sequence[UUID]) -> Mapping[str, Between]:
    """By the name of the metric, from the finished runs of these experiments."""
    lines = []
    for experiment_id in dict.fromkeys(experiment_ids):
        readings, _ = read(await latest_runs(session, experiment_id, _MOST_RUNS), frozenset())
        lines += lines_of(readings)
    return scatter_of(lines)


def scatter_of(lines: Sequence[Line]) -> Mapping[str, Between]:
    """Runs that share definition, build, hosts, kernel and measured window measure the same thing.

    The variance is that of all arms; what runs do not share counts once, as arms of a run share what differs between
    runs. So the degrees of freedom are those of one arm.
    """
    found: dict[str, list[tuple[float, int]]] = {}
    for line in lines:
        squares, degrees = _within(line)
        if degrees:
            found.setdefault(line.metric.name, []).append((squares, degrees))
    return {
        name: Between(
            float(np.sqrt(sum(squares for squares, _ in arms) / sum(degrees for _, degrees in arms))),
            float(np.mean([degrees for _, degrees in arms])),
        )
        for name, arms in found.items()
    }


def _within(line: Line) -> tuple[float, int]:
    """The sum of squares about the mean of each group of equal runs, and its degrees of freedom."""
    groups: dict[tuple[object, ...], list[float]] = {}
    for number, stretch in enumerate(line.stretches):
        for reading, mean in zip(stretch.runs, stretch.additive(line.metric) or [], strict=False):
            groups.setdefault((number, *_thing(reading)), []).append(mean)
    several = [np.array(means) for means in groups.values() if len(means) > 1]
    return sum(float(((one - one.mean()) ** 2).sum()) for one in several), sum(len(one) - 1 for one in several)


def _thing(reading: Reading) -> tuple[object, ...]:
    return reading.row.version, reading.nginx, reading.host, reading.kernel, reading.points.window
