"""Simulated runs that stop when they are decided or hopeless, and completed ones to which blocks are added.

How often do they claim what is not true, and how many blocks do they take?
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from ngxlab_verdict import Claim, Course, Experiment, judge
from ngxlab_verdict.power import chance_to_decide
from ngxlab_verdict.sequential import FIRST_LOOK

from scripts.simulations.scenario import MARGIN, Scenario, is_false, is_found
from scripts.simulations.tables import Cells, Study

MOST_BLOCKS = 20
HOPELESS = 0.1
"""As plans have it where nothing else is said."""

HEADS = {
    "ending": "stops when decided or hopeless, at most 20 blocks | noise | arms | one arm's true effect "
    "| blocks, on average | all decided | hopeless | a false claim at any look | the effect found",
    "added": "what is added while something is undecided | planned blocks | arms | noise | runs with added blocks "
    "| blocks, on average | a false claim at any look",
}


def rows() -> Iterator[Study]:
    for arms in (2, 5):
        for noise, effects in ((0.02, (1.0, 1.03, 1.05, 1.3)), (0.05, (1.0, 1.1, 1.5))):
            for effect in effects:
                more = {(arms - 1, metric): effect for metric in (0, 1)}
                scenario = Scenario(arms, MOST_BLOCKS, noise, metrics=2, primary=2, effects=more)
                title = f"both metrics | {100 * noise:g} % | {arms} | +{100 * (effect - 1):.0f} %"
                yield Study("ending", title, partial(_ending, scenario))
    for words, added in ADDITIONS.items():
        for blocks in (3, 5, 10):
            for arms in (2, 5):
                scenario = Scenario(arms, blocks, 0.1, metrics=1, primary=1)
                yield Study("added", f"{words} | {blocks} | {arms} | 10 %", partial(_adding, scenario, added))


ADDITIONS: dict[str, tuple[float, ...]] = {
    "as many again, once": (1,),
    "three times as many, once": (3,),
    "half as many again, up to four times": (0.5, 0.5, 0.5, 0.5),
}
"""By the planned number of blocks."""


@dataclass
class Ended:
    """Counts over runs; ``blocks``: how many they took in all. ``found`` of ``sought`` true effects, in all metrics."""

    blocks: int = 0
    decided: int = 0
    hopeless: int = 0
    false: int = 0
    found: int = 0
    sought: int = 0


def ended(scenario: Scenario, count: int) -> Ended:
    """``scenario.blocks``: the most that a run may have."""
    seen, course = Ended(), Course(scenario.blocks, stops=True)
    for experiment in scenario.experiments(count):
        was_false, blocks, claims, is_hopeless = False, 0, [], False
        for blocks in range(FIRST_LOOK, scenario.blocks + 1):
            claims = _judged(scenario, experiment, course, blocks)
            was_false |= _is_false(scenario, claims)
            is_hopeless = _is_hopeless(claims, scenario.blocks)
            if is_hopeless or not _open(claims):
                break
        true = [(claim, scenario.truth(claim.arm, claim.metric)) for claim in claims]
        seen.blocks += blocks
        seen.decided += not _open(claims)
        seen.hopeless += is_hopeless and blocks < scenario.blocks
        seen.false += was_false
        seen.sought += sum(ratio != 1 for _, ratio in true)
        seen.found += sum(is_found(claim, ratio) for claim, ratio in true)
    return seen


def added(scenario: Scenario, additions: tuple[float, ...], count: int) -> tuple[int, int, int]:
    """Runs to which blocks were added, blocks in all, and runs with a false claim at any of their verdicts."""
    random = np.random.default_rng(scenario.seed + 1)
    continued, blocks, false = 0, 0, 0
    for experiment in scenario.experiments(count):
        course, values = Course(scenario.blocks), experiment.values
        claims = _judged(scenario, experiment, course, values.shape[2])
        was_false = _is_false(scenario, claims)
        for part in additions:
            if not _open(claims):
                break
            more = replace(scenario, blocks=math.ceil(part * scenario.blocks), seed=int(random.integers(2**31)))
            values = np.concatenate([values, next(more.experiments(1)).values], axis=2)
            course = replace(course, added=(*course.added, values.shape[2]))
            longer = Experiment(experiment.arms, experiment.metrics, values)
            claims = _judged(scenario, longer, course, values.shape[2])
            was_false |= _is_false(scenario, claims)
        continued += bool(course.added)
        blocks += values.shape[2]
        false += was_false
    return continued, blocks, false


def _judged(scenario: Scenario, experiment: Experiment, course: Course, blocks: int) -> list[Claim]:
    """At the end of so many blocks, as reports judge them."""
    *earlier, look = course.stages(blocks)
    question = replace(scenario.question, looks=look.looks, spent=look.spent, earlier=earlier)
    return judge(Experiment(experiment.arms, experiment.metrics, experiment.values[:, :, :blocks]), question)


def _open(claims: list[Claim]) -> list[Claim]:
    return [claim for claim in claims if claim.verdict == "undecided"]


def _is_hopeless(claims: list[Claim], most: int) -> bool:
    chances = [chance_to_decide(claim, math.log1p(MARGIN), most) for claim in _open(claims)]
    return bool(chances) and all(chance is not None and chance < HOPELESS for chance in chances)


def _is_false(scenario: Scenario, claims: list[Claim]) -> bool:
    return any(is_false(claim, scenario.truth(claim.arm, claim.metric)) for claim in claims)


def _ending(scenario: Scenario, count: int, seed: int) -> Cells:
    seen = ended(replace(scenario, seed=seed), count)
    found = seen.found / seen.sought if seen.sought else ""
    return [f"{seen.blocks / count:.1f}", seen.decided / count, seen.hopeless / count, seen.false / count, found]


def _adding(scenario: Scenario, additions: tuple[float, ...], count: int, seed: int) -> Cells:
    continued, blocks, false = added(replace(scenario, seed=seed), additions, count)
    return [continued / count, f"{blocks / count:.1f}", false / count]
