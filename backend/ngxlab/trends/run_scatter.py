"""How much runs of the same thing differ, which no interval within a run shows (docs/method.md, Comparing runs)."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
from ngxlab_verdict import Between
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.trends.lines import Line, lines_of
from ngxlab.trends.readings import Reading, read
from ngxlab.trends.repository import MOST_RUNS, StoredRun, latest_runs


async def run_scatter(session: AsyncSession, experiment_ids: Sequence[UUID]) -> Mapping[str, Between]:
    """By the name of the metric, from the finished runs of these experiments."""
    stored = [await latest_runs(session, one, MOST_RUNS) for one in dict.fromkeys(experiment_ids)]
    return await asyncio.to_thread(_of_stored, stored)


def _of_stored(stored: Sequence[Sequence[StoredRun]]) -> Mapping[str, Between]:
    return scatter_of([lines_of(read(rows, frozenset())[0]) for rows in stored])


def scatter_of(experiments: Sequence[Sequence[Line]]) -> Mapping[str, Between]:
    """``experiments``: the lines of each. Runs that share definition, build, hosts, kernel and measured window measure
    the same thing.

    The variance is that of all arms. Arms of a run share what differs between runs, so that an experiment's degrees of
    freedom are those of one arm; those of several experiments add up.
    """
    squares: dict[str, float] = {}
    of_arms: dict[str, float] = {}
    degrees: dict[str, float] = {}
    for lines in experiments:
        own: dict[str, list[float]] = {}
        for line in lines:
            sum_of_squares, free = _within(line)
            if free:
                name = line.metric.name
                squares[name] = squares.get(name, 0.0) + sum_of_squares
                of_arms[name] = of_arms.get(name, 0.0) + free
                own.setdefault(name, []).append(free)
        for name, each in own.items():
            degrees[name] = degrees.get(name, 0.0) + float(np.mean(each))
    return {name: Between(math.sqrt(squares[name] / of_arms[name]), degrees[name]) for name in degrees}


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
