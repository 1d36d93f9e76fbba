"""Small runs whose scatter was learned from ten earlier ones, where it is what they had and where it is not."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from ngxlab_verdict import Experiment, MetricRule, Question, Scatter, judge, learn

from scripts.simulations.scenario import MARGIN, Scenario, is_false
from scripts.simulations.tables import Cells, Study

NOISE = 0.02
EARLIER, DEGREES = 10, 4
EFFECT = 1.07
_TRUTHS = {
    0.5: "half",
    1 / math.sqrt(2): "half the variance",
    1.0: "the same",
    math.sqrt(2): "twice the variance",
    2.0: "twice",
}
HEADS = {
    "learned": f"2 arms, 2 % noise in {EARLIER} earlier runs of 5 blocks; now | blocks | a false claim "
    f"| +{100 * (EFFECT - 1):.0f} % found | found without earlier runs",
}


def rows() -> Iterator[Study]:
    for ratio, said in _TRUTHS.items():
        for blocks in (3, 5):
            yield Study("learned", f"{said} | {blocks}", partial(shares, Scenario(2, blocks, NOISE * ratio, 1, 1)))


def shares(scenario: Scenario, count: int, seed: int) -> Cells:
    """False claims where nothing differs, and the effects found with and without what was learned."""
    differs = replace(scenario, effects={(1, 0): EFFECT}, seed=seed)
    random = np.random.default_rng(seed)
    false = found = alone = 0
    for same, other in zip(replace(scenario, seed=seed).experiments(count), differs.experiments(count), strict=True):
        known = knowing(scenario.question, random)
        false += any(is_false(claim, scenario.truth(claim.arm, claim.metric)) for claim in judge(same, known))
        found += _better(other, known)
        alone += _better(other, scenario.question)
    return [false / count, found / count, alone / count]


def knowing(question: Question, random: np.random.Generator) -> Question:
    """The question of a run after ten that have each estimated their scatter."""
    seen = NOISE * np.sqrt(random.chisquare(DEGREES, EARLIER) / DEGREES)
    learned = learn([Scatter(float(deviation), DEGREES) for deviation in seen])
    return replace(question, rules={"m0": MetricRule(margin=MARGIN, learned=learned)})


def _better(experiment: Experiment, question: Question) -> bool:
    return judge(experiment, question)[0].verdict == "better"
