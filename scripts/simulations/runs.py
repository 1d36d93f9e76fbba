"""Several runs: two compared whose arms are the same, and trends of an experiment over its runs.

How often is a difference, or a change, claimed that there is not, and how often one that there is?
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from ngxlab_verdict import (
    Between,
    Claim,
    Question,
    Sides,
    change_points,
    judge_independent_arms,
    latest,
    levels_of,
    runs_resemble,
)
from ngxlab_verdict.decision import Interval
from ngxlab_verdict.level_shifts import CHANGE_ERROR, FEWEST_BEFORE, LATEST_ERROR
from ngxlab_verdict.words import word
from numpy.typing import NDArray

from scripts.simulations.scenario import Scenario, covers, is_false, is_found
from scripts.simulations.tables import Cells, Study, drawn

HEADS = {
    "two-runs": "two runs, noise | trials an arm | arms each | what else | a false claim | first metric covered | "
    "first metric claimed",
    "trends": "runs | lines | scatter of runs | what happens | a false change point | the latest run falsely said to "
    "differ | the change is shown",
    "histories": "runs, each looked at | lines | scatter of runs, of which nothing changes | a false change point at "
    "some look | a latest run that falsely differs | false alarms in 365 runs",
}
_METRICS = ("m0", "m1")
_CLAIMED = ("better", "worse")


class TwoRuns(NamedTuple):
    """``noise`` and ``trials`` of each run. Each arm of the second is compared with the same arm of the first.

    ``true``: ratio of all arms of the second run to those of the first, in the first metric. ``between``: standard
    deviation of what all trials of a run share, on the log scale; it is no property of the arms, so a claim that rests
    on it is false. ``known``: how many further runs of the first kind show how much runs differ; without them the
    procedure claims nothing.
    """

    noise: tuple[float, float]
    trials: tuple[int, int]
    arms: int
    true: float = 1.0
    between: float = 0.0
    known: int = 3

    def shares(self, count: int, random: np.random.Generator) -> list[float]:
        false = covered = found = 0
        for _ in range(count):
            claims = self._claims(random)
            first = [claim for claim in claims if claim.metric == "m0"]
            false += any(is_false(claim, self._truth(claim)) for claim in claims)
            covered += all(covers(claim, self.true) for claim in first)
            found += sum(
                is_found(claim, self.true) or (self.true == 1 and claim.verdict in _CLAIMED) for claim in first
            )
        return [false / count, covered / count, found / (count * self.arms)]

    def _truth(self, claim: Claim) -> float:
        return self.true if claim.metric == "m0" else 1.0

    def _claims(self, random: np.random.Generator) -> list[Claim]:
        first, second = (self._run(which, random) for which in (0, 1))
        second[0] *= self.true
        measured = {
            metric: {f"a{arm}": Sides(second[row, arm].tolist(), first[row, arm].tolist()) for arm in range(self.arms)}
            for row, metric in enumerate(_METRICS)
        }
        return judge_independent_arms(measured, Question(primary=_METRICS), self._between(random))

    def _between(self, random: np.random.Generator) -> dict[str, Between]:
        """From the means of further runs, arm by arm."""
        if self.known < 2:
            return {}
        runs = np.array([np.log(self._run(0, random)).mean(axis=2) for _ in range(self.known)])
        deviations = np.sqrt(runs.var(axis=0, ddof=1).mean(axis=1))
        return {metric: Between(float(one), self.known - 1) for metric, one in zip(_METRICS, deviations, strict=True)}

    def _run(self, which: int, random: np.random.Generator) -> NDArray[np.float64]:
        """``[metric, arm, block]``."""
        scenario = Scenario(self.arms, self.trials[which], self.noise[which], metrics=len(_METRICS), block=0.0)
        experiment = next(replace(scenario, seed=int(random.integers(2**31))).experiments(1))
        return experiment.values * np.exp(self.between * random.standard_normal((len(_METRICS), 1, 1)))


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

    def histories(self, count: int, random: np.random.Generator) -> Cells:
        """Of histories that are looked at after every run: which show a change, and a latest run that differs."""
        changed = differed = 0
        for _ in range(count):
            means = self._means(random)
            looks = range(FEWEST_BEFORE + 1, self.runs + 1)
            changed += any(any(self._changes(means[:, :runs])) for runs in looks)
            differed += any(self._latest_differs(line) for runs in looks for line in means[:, :runs])
        alarms = (changed + differed) / count
        return [changed / count, differed / count, f"{365 * alarms / self.runs:.1f}"]

    def _changes(self, means: NDArray[np.float64]) -> list[list[int]]:
        """The change points of each line; none if the runs are seen to drift."""
        found = [change_points(list(line), CHANGE_ERROR / self.lines) for line in means]
        runs = range(means.shape[1])
        if runs_resemble([levels_of(runs, list(line), points) for line, points in zip(means, found, strict=True)]):
            return [[] for _ in found]
        return [[point.at for point in points if _is_claimed(point.interval)] for points in found]

    def _latest_differs(self, line: Sequence[float]) -> bool:
        found = latest(line, LATEST_ERROR / self.lines)
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


def rows() -> Iterator[Study]:
    for title, two in _two_runs():
        yield Study("two-runs", title, partial(drawn, two.shares))
    for title, trend in _trends():
        yield Study("trends", title, partial(drawn, trend.shares))
    for title, trend in _histories():
        yield Study("histories", title, partial(drawn, trend.histories))


def _two_runs() -> Iterator[tuple[str, TwoRuns]]:
    for noise in (0.02, 0.10):
        for trials in (3, 5, 10):
            for arms in (1, 3):
                yield (
                    f"{100 * noise:g} % | {trials} | {arms} | nothing",
                    TwoRuns((noise, noise), (trials, trials), arms),
                )
    yield "2 % and 10 % | 5 | 1 | nothing", TwoRuns((0.02, 0.10), (5, 5), 1)
    yield "2 % | 3 and 10 | 1 | nothing", TwoRuns((0.02, 0.02), (3, 10), 1)
    yield "10 % and 2 % | 3 and 10 | 1 | nothing", TwoRuns((0.10, 0.02), (3, 10), 1)
    yield "2 % | 5 | 1 | +20 %", TwoRuns((0.02, 0.02), (5, 5), 1, true=1.2)
    for between in (0.005, 0.01, 0.02, 0.05):
        for arms in (1, 3):
            title = f"2 % | 5 | {arms} | runs scatter by {100 * between:g} %"
            yield title, TwoRuns((0.02, 0.02), (5, 5), arms, between=between)
    for known in (3, 10):
        title = f"2 % | 5 | 1 | +20 %, runs scatter by 1 %, {known} known"
        yield title, TwoRuns((0.02, 0.02), (5, 5), 1, true=1.2, between=0.01, known=known)
    yield "2 % | 5 | 1 | +20 %, no other run known", TwoRuns((0.02, 0.02), (5, 5), 1, true=1.2, known=0)


def _histories() -> Iterator[tuple[str, Trend]]:
    for correlation in (0.0, 0.3, 0.6):
        what = f", correlated by {correlation:g}" if correlation else ""
        yield f"30 | 4 | 2 %{what}", Trend(30, 4, 0.02, correlation=correlation)


def _trends() -> Iterator[tuple[str, Trend]]:
    for runs in (6, 10, 20, 50, 200):
        yield f"{runs} | 4 | 2 % | nothing", Trend(runs, 4, 0.02)
    yield "20 | 1 | 5 % | nothing", Trend(20, 1, 0.05)
    yield "20 | 20 | 5 % | nothing", Trend(20, 20, 0.05)
    for correlation in (0.3, 0.6):
        title = f"20 | 4 | 2 %, correlated by {correlation:g} | nothing"
        yield title, Trend(20, 4, 0.02, correlation=correlation)
    for runs in (6, 10, 20):
        yield f"{runs} | 4 | 2 % | +10 % in the middle", Trend(runs, 4, 0.02, step=1.1)
    yield "20 | 4 | 2 % | +5 % in the middle", Trend(20, 4, 0.02, step=1.05)
    for runs in (6, 10, 20):
        yield f"{runs} | 4 | 2 % | the last run +10 %", Trend(runs, 4, 0.02, last=1.1)
