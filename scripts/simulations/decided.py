"""Undecided experiments get as many more blocks as the report asks for: how many are then decided?"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

import numpy as np
from ngxlab_verdict import Claim, Course, Experiment, judge
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.power import MoreBlocks, more_blocks
from ngxlab_verdict.quantiles import t_quantile

from scripts.simulations.scenario import Scenario
from scripts.simulations.tables import Cells, Study

_MARGIN = math.log(1.02)
_MOST_OF_SEVERAL_ARMS = 150
"""More blocks of more than two arms take too long to simulate; such experiments are counted apart. What is left are
those whose scatter looks small by chance, of which fewer are decided."""


HEADS = {
    "decided": "noise | blocks | arms | true effect | undecided | of these with N | median of N "
    "| decided after N more | five arms: N beyond 150"
}


@dataclass
class Continued:
    """``undecided``: first metric, last arm, of ``experiments``; ``asked``: those that say how many more blocks decide;
    ``decided``: of those, after ``more`` blocks.

    ``too_many``: several arms that asked for more than 150 blocks; they are not among ``asked``.
    """

    experiments: int = 0
    undecided: int = 0
    asked: int = 0
    decided: int = 0
    too_many: int = 0
    more: list[int] = field(default_factory=list)


def rows() -> Iterator[Study]:
    for noise, effects in ((0.02, (1.0, 1.03, 1.05)), (0.05, (1.0, 1.05, 1.1))):
        for blocks in (3, 5, 10):
            for effect in effects:
                yield _row(Scenario(2, blocks, noise, metrics=1, primary=1, effects={(1, 0): effect}), effect)
    for effect in (1.0, 1.05):
        yield _row(Scenario(5, 5, 0.05, metrics=1, primary=1, effects={(4, 0): effect}), effect)


def _row(scenario: Scenario, effect: float) -> Study:
    title = f"{100 * scenario.noise:g} % | {scenario.blocks} | {scenario.arms} | {100 * (effect - 1):.0f} %"
    return Study("decided", title, partial(_cells, scenario))


def _cells(scenario: Scenario, count: int, seed: int) -> Cells:
    outcome = continued(replace(scenario, seed=seed), count)
    return [
        f"{100 * outcome.undecided / count:.0f} %",
        f"{100 * (outcome.asked + outcome.too_many) / outcome.undecided:.0f} %" if outcome.undecided else "",
        f"{median(outcome.more):.0f}" if outcome.more else "",
        f"{100 * outcome.decided / outcome.asked:.0f} %" if outcome.asked else "",
        f"{100 * outcome.too_many / count:.0f} %",
    ]


def continued(scenario: Scenario, count: int) -> Continued:
    """Blocks are added to each undecided run, and judged as the report of such a run does.

    Where nothing differs N is that for no effect, else that for an effect as it looks.
    """
    differs = bool(scenario.effects) and max(scenario.effects.values()) != 1
    outcome = Continued()
    random = np.random.default_rng(scenario.seed + 1)
    for experiment in scenario.experiments(count):
        outcome.experiments += 1
        course = Course(scenario.blocks)
        both = _more(_last(experiment, scenario, course), course)
        if both is None:
            continue
        outcome.undecided += 1
        more = both.to_decide if differs else both.for_none
        if more is None:
            continue
        if scenario.arms > 2 and more > _MOST_OF_SEVERAL_ARMS:
            outcome.too_many += 1
            continue
        new = replace(scenario, blocks=more, seed=int(random.integers(2**31)))
        values = np.concatenate([experiment.values, next(new.experiments(1)).values], axis=2)
        longer = Experiment(experiment.arms, experiment.metrics, values)
        outcome.asked += 1
        outcome.more.append(more)
        outcome.decided += _is_decided(longer, scenario, Course(scenario.blocks, added=(scenario.blocks + more,)))
    return outcome


def _more(claim: Claim, course: Course) -> MoreBlocks | None:
    now = course.error_now(claim.pairs)
    return more_blocks(claim, _MARGIN, lambda total: course.error(claim.pairs, total) / now)


def _is_decided(experiment: Experiment, scenario: Scenario, course: Course) -> bool:
    if scenario.arms == 2:
        return decided_pair(experiment, course)
    return _last(experiment, scenario, course).verdict != "undecided"


def decided_pair(experiment: Experiment, course: Course) -> bool:
    """As the procedure says of two arms and one metric, whose interval is Student's: fast for a thousand blocks."""
    difference = np.diff(np.log(experiment.values[0]), axis=0)[0]
    estimate, low, high = float(difference.mean()), -math.inf, math.inf
    for stage in course.stages(len(difference)):
        seen = difference[: stage.blocks]
        half = t_quantile(ERROR - stage.spent, len(seen) - 1.0) * float(seen.std(ddof=1)) / math.sqrt(len(seen))
        at = float(seen.mean())
        low, high = max(low, at - half), min(high, at + half)
    if not low <= estimate <= high:
        low, high = estimate - half, estimate + half
    return (low > -_MARGIN and high < _MARGIN) or ((low > 0 or high < 0) and abs(estimate) > _MARGIN)


def _last(experiment: Experiment, scenario: Scenario, course: Course) -> Claim:
    *earlier, look = course.stages(experiment.values.shape[2])
    claims = judge(experiment, replace(scenario.question, looks=look.looks, spent=look.spent, earlier=earlier))
    return next(claim for claim in claims if (claim.arm, claim.metric) == (experiment.arms[-1], "m0"))
