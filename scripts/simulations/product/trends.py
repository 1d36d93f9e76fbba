"""Trends of experiments: how often a change is shown that there is not, and how often one that there is."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from ngxlab_verdict import change_points, latest, levels_of, runs_resemble
from ngxlab_verdict.decision import Interval
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.words import word
from numpy.typing import NDArray

HEAD = (
    "runs | lines | scatter of runs | what happens | a false change point | the latest run falsely said to differ | "
    "the change is shown"
)
_MARGIN = math.log1p(0.02)
_NEAR = 2
"""Runs by which a change point may miss the change."""


class Trend(NamedTuple):
    """Means of ``lines`` over ``runs`` that scatter by ``scatter``, which correlates from run to run.

    ``step``: ratio by which the first line changes in the middle; ``last``: by which its last run differs.
    """

    runs: int
    lines: int
    scatter: float
    step: float = 1.0
    last: float = 1.0
    correlation: float = 0.0

    def shares(self, count: int, random: np.random.Generator) -> list[float]:
        false_changes = false_latest = shown = 0
        for _ in range(count):
            means = self._means(random)
            changes = self._changes(means)
            differ = [self._latest_differs(line) for line in means]
            near = [at for at in changes[0] if abs(at - self.runs // 2) <= _NEAR] if self.step != 1 else []
            false_changes += len(changes[0]) > len(near) or any(changes[1:])
            false_latest += any(differ[1:]) or (differ[0] and self.last == 1)
            shown += bool(near) or (differ[0] and self.last != 1)
        return [false_changes / count, false_latest / count, shown / count]

    def _changes(self, means: NDArray[np.float64]) -> list[list[int]]:
        """Of each line; none if the runs are seen to drift."""
        found = [change_points(list(line), ERROR / self.lines) for line in means]
        runs = range(self.runs)
        if runs_resemble([levels_of(runs, list(line), points) for line, points in zip(means, found, strict=True)]):
            return [[] for _ in found]
        return [[point.at for point in points if _is_claimed(point.interval)] for points in found]

    def _latest_differs(self, line: Sequence[float]) -> bool:
        found = latest(line, ERROR / self.lines)
        return found is not None and _is_claimed(found.interval)

    def _means(self, random: np.random.Generator) -> NDArray[np.float64]:
        """``[line, run]``, logarithms."""
        noise = random.standard_normal((self.lines, self.runs))
        for run in range(1, self.runs):
            fresh = math.sqrt(1 - self.correlation**2)
            noise[:, run] = self.correlation * noise[:, run - 1] + fresh * noise[:, run]
        means = self.scatter * noise
        means[0, self.runs // 2 :] += math.log(self.step)
        means[0, -1] += math.log(self.last)
        return means


def _is_claimed(interval: Interval) -> bool:
    return word(*interval, _MARGIN, "neutral") in {"higher", "lower"}


def rows() -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for runs in (6, 10, 20, 50, 200):
        yield f"{runs} | 4 | 2 % | nothing", Trend(runs, 4, 0.02).shares
    yield "20 | 1 | 5 % | nothing", Trend(20, 1, 0.05).shares
    yield "20 | 20 | 5 % | nothing", Trend(20, 20, 0.05).shares
    for correlation in (0.3, 0.6):
        title = f"20 | 4 | 2 %, correlated by {correlation:g} | nothing"
        yield title, Trend(20, 4, 0.02, correlation=correlation).shares
    for runs in (6, 10, 20):
        yield f"{runs} | 4 | 2 % | +10 % in the middle", Trend(runs, 4, 0.02, step=1.1).shares
    yield "20 | 4 | 2 % | +5 % in the middle", Trend(20, 4, 0.02, step=1.05).shares
    for runs in (6, 10, 20):
        yield f"{runs} | 4 | 2 % | the last run +10 %", Trend(runs, 4, 0.02, last=1.1).shares
