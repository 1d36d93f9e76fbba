"""Several runs: two compared whose arms are the same, and trends of an experiment over its runs.

How often is a difference, or a change, claimed that there is not, and how often one that there is?
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
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

from scripts.simulations.scenario import LAWS, Scenario, covers, is_false, is_found
from scripts.simulations.tables import Cells, Study, drawn

HEADS = {
    "two-runs": "two runs, noise | trials an arm | arms each | what else | a false claim | first metric covered | "
    "first metric claimed",
    "trends": "runs | lines | scatter of runs | what happens | a false change point | the latest run falsely said to "
    "differ | the change is shown",
    "steps": "the first line steps in the middle of 30 runs, each looked at | lines | scatter of runs "
    "| runs until a change point shows it, median | until the latest run differs | shown by either",
    "histories": "runs, each looked at | lines | scatter of runs, of which nothing changes | a false change point at "
    "some look | a latest run that falsely differs | false alarms in 365 runs",
}
HISTORY, NIGHTS = 30, 365
"""Runs of a history, and of a year with one a night."""
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

    ``step``: ratio by which the first line changes in the middle; ``last``: by which its last run differs. ``rhythm``:
    half of what every seventh run differs by, ``drift``: what the level moves by over all runs, and ``walk``: by which
    it moves at random from run to run, in units of the scatter.
    """

    runs: int
    lines: int
    scatter: float
    step: float = 1.0
    last: float = 1.0
    correlation: float = 0.0
    law: str = "normal"
    rhythm: float = 0.0
    drift: float = 0.0
    walk: float = 0.0

    def shares(self, count: int, random: np.random.Generator) -> list[float]:
        false_changes = false_latest = shown = 0
        for _ in range(count):
            means = self._means(random)
            changes = self._changes(means)
            differ = [self._latest_differs(line) for line in means]
            near = self._near(changes[0]) if self.step != 1 else []
            false_changes += len(changes[0]) > len(near) or any(changes[1:])
            false_latest += any(differ[1:]) or (differ[0] and self.last == 1)
            shown += bool(near) or (differ[0] and self.last != 1)
        return [false_changes / count, false_latest / count, shown / count]

    def histories(self, count: int, random: np.random.Generator) -> Cells:
        """Among histories that are looked at after every run: which show a change, and a latest run that differs."""
        changed = differed = 0
        for _ in range(count):
            means = self._means(random)
            looks = range(FEWEST_BEFORE + 1, self.runs + 1)
            changed += any(any(self._changes(means[:, :runs])) for runs in looks)
            differed += any(self._latest_differs(line) for runs in looks for line in means[:, :runs])
        alarms = (changed + differed) / count
        return [changed / count, differed / count, f"{NIGHTS * alarms / self.runs:.1f}"]

    def until_shown(self, count: int, random: np.random.Generator) -> Cells:
        """How many runs with the step there are until it is shown, each looked at."""
        middle, changes, lasts, either = self.runs // 2, [], [], 0
        for _ in range(count):
            means = self._means(random)
            looks = range(middle + 1, self.runs + 1)
            at = next((runs - middle for runs in looks if self._near(self._changes(means[:, :runs])[0])), None)
            last = next((runs - middle for runs in looks if self._latest_differs(means[0, :runs])), None)
            changes.append(at or math.inf)
            lasts.append(last or math.inf)
            either += at is not None or last is not None
        return [*(_median(found) for found in (changes, lasts)), either / count]

    def _near(self, changes: list[int]) -> list[int]:
        return [at for at in changes if abs(at - self.runs // 2) <= _NEAR]

    def _changes(self, means: NDArray[np.float64]) -> list[list[int]]:
        """The change points of each line; none if the runs are seen to drift."""
        found = [change_points(list(line), CHANGE_ERROR / self.lines) for line in means]
        runs = range(means.shape[1])
        if runs_resemble([levels_of(runs, list(line), points) for line, points in zip(means, found, strict=True)]):
            return [[] for _ in found]
        return [[point.at for point in points if _is_claimed(point.interval)] for points in found]

    def _latest_differs(self, line: Sequence[float] | NDArray[np.float64]) -> bool:
        found = latest(list(line), LATEST_ERROR / self.lines)
        return found is not None and _is_claimed(found.interval)

    def _means(self, random: np.random.Generator) -> NDArray[np.float64]:
        """``[line, run]``, logarithms."""
        noise = LAWS[self.law](random, (self.lines, self.runs))
        for run in range(1, self.runs):
            fresh = math.sqrt(1 - self.correlation**2)
            noise[:, run] = self.correlation * noise[:, run - 1] + fresh * noise[:, run]
        numbers = np.arange(self.runs)
        noise += self.rhythm * np.where(numbers % 7 == 6, 1, -1) + self.drift * numbers / (self.runs - 1)
        noise += self.walk * np.cumsum(random.standard_normal(noise.shape), axis=1)
        means = np.asarray(self.scatter * noise, np.float64)
        means[0, self.runs // 2 :] += math.log(self.step)
        means[0, -1] += math.log(self.last)
        return means


def _median(runs: list[float]) -> str:
    middle = median(runs)
    return f"{middle:.0f}" if math.isfinite(middle) else "not in most"


def _is_claimed(interval: Interval) -> bool:
    return word(*interval, _MARGIN, "neutral") in {"higher", "lower"}


def rows() -> Iterator[Study]:
    for title, two in _two_runs():
        yield Study("two-runs", title, partial(drawn, two.shares))
    for title, trend in _trends():
        yield Study("trends", title, partial(drawn, trend.shares))
    for title, trend in _histories():
        yield Study("histories", title, partial(drawn, trend.histories))
    for step, scatter in ((1.03, 0.01), (1.03, 0.02), (1.05, 0.01), (1.1, 0.02)):
        for lines in (1, 4):
            title = f"{100 * (step - 1):.0f} % | {lines} | {100 * scatter:g} %"
            yield Study("steps", title, partial(drawn, Trend(HISTORY, lines, scatter, step=step).until_shown))


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
    nothing = Trend(HISTORY, 4, 0.02)
    for words, trend in {
        "": nothing,
        ", t with 3 degrees of freedom": nothing._replace(law="t3"),
        ", correlated by 0.3": nothing._replace(correlation=0.3),
        ", correlated by 0.6": nothing._replace(correlation=0.6),
        ", every seventh run 4 % away": nothing._replace(rhythm=1.0),
        ", a drift of 8 % in all": nothing._replace(drift=4.0),
        ", a random walk by 1 % a run": nothing._replace(walk=0.5),
    }.items():
        for lines in (1, 4):
            yield f"{HISTORY} | {lines} | 2 %{words}", trend._replace(lines=lines)


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
