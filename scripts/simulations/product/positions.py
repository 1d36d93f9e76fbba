"""An effect of the position within a block, where the blocks are no whole Latin squares."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from scripts.simulations.outcome import simulate
from scripts.simulations.scenario import Scenario

HEAD = (
    "5 % within a block, in an incomplete square | noise | arms | blocks | a false claim | first metric covered "
    "| +5 % of one arm found"
)


def rows() -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for title, first, last in (("the first trial has more", 1.05, 1.0), ("rises from first to last", 1.0, 1.05)):
        for noise in (0.005, 0.02):
            for arms, blocks in ((3, 5), (5, 3), (5, 7)):
                scenario = Scenario(arms, blocks, noise, first_position=first, rise=last)
                yield f"{title} | {100 * noise:g} % | {arms} | {blocks}", partial(shares, scenario)


def shares(scenario: Scenario, count: int, random: np.random.Generator) -> list[float]:
    seed = int(random.integers(2**31))
    nothing = simulate(scenario.with_seed(seed), count)
    effect = simulate(scenario.with_seed(seed + 1).with_effects({(1, 0): 1.05}), count)
    return [nothing.false / count, nothing.covered / count, effect.found / effect.sought]
