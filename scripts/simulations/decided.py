"""Undecided experiments are repeated with as many more blocks as the report asks for: how many are then decided?"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

import numpy as np
from ngxlab_verdict import Claim, Experiment, judge
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.power import more_blocks
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
    """A new run of all blocks stands for each undecided one: nothing of the first is used again.

    Where nothing differs N is that for no effect, else that for an effect as it looks.
    """
    differs = bool(scenario.effects) and max(scenario.effects.values()) != 1
    outcome = Continued()
    random = np.random.default_rng(scenario.seed + 1)
    for experiment in scenario.experiments(count):
        outcome.experiments += 1
        both = more_blocks(_last(experiment, scenario), _MARGIN)
        if both is None:
            continue
        outcome.undecided += 1
        more = both.to_decide if differs else both.for_none
        if more is None:
            continue
        if scenario.arms > 2 and more > _MOST_OF_SEVERAL_ARMS:
            outcome.too_many += 1
            continue
        longer = replace(scenario, blocks=scenario.blocks + more, seed=int(random.integers(2**31)))
        outcome.asked += 1
        outcome.more.append(more)
        outcome.decided += _is_decided(next(longer.experiments(1)), longer)
    return outcome


def _is_decided(experiment: Experiment, scenario: Scenario) -> bool:
    return decided_pair(experiment) if scenario.arms == 2 else _last(experiment, scenario).verdict != "undecided"


def decided_pair(experiment: Experiment) -> bool:
    """As the procedure says of two arms and one metric, whose interval is Student's: fast for a thousand blocks."""
    baseline, arm = np.log(experiment.values[0])
    estimate, pairs = float((arm - baseline).mean()), len(arm)
    half = t_quantile(ERROR, pairs - 1.0) * float((arm - baseline).std(ddof=1)) / math.sqrt(pairs)
    return abs(estimate) > max(half, _MARGIN) or abs(estimate) + half < _MARGIN


def _last(experiment: Experiment, scenario: Scenario) -> Claim:
    claims = judge(experiment, scenario.question)
    return next(claim for claim in claims if (claim.arm, claim.metric) == (experiment.arms[-1], "m0"))
