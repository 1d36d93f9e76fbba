"""Arms of one run, as reports judge them: how often a claim is false, and what is found."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from scripts.simulations.scenario import Scenario, simulate
from scripts.simulations.tables import Cells, Study

ARMS = (2, 5, 10)
BLOCKS = (2, 3, 5, 10)
NOISE = (0.02, 0.05, 0.10)
EFFECT = 1.05
HEADS = {
    "nothing": "noise | blocks | arms | a false claim | first metric covered",
    "harder": "5 arms, 5 blocks, unless said otherwise | a false claim | first metric covered",
    "position": "arms, of which the first of a block gets 5 % more | blocks | a false claim | first metric covered",
    "found": "arms | blocks | arms with +5 % | found | a false claim | first metric covered | plain intervals cover",
}


def rows() -> Iterator[Study]:
    for noise in NOISE:
        for blocks in BLOCKS:
            for arms in ARMS:
                yield _row("nothing", f"{100 * noise:g} % | {blocks} | {arms}", Scenario(arms, blocks, noise))
    for title, scenario in _HARDER.items():
        yield _row("harder", title, scenario)
    yield from _findings()
    for arms in (2, 3, 5):
        for blocks in (3, 5, 10):
            scenario = Scenario(arms, blocks, 0.005, first_position=EFFECT)
            yield _row("position", f"{arms} | {blocks}", scenario)
    yield from _noisier()


def _row(table: str, title: str, scenario: Scenario) -> Study:
    return Study(table, title, partial(_claimed, scenario))


def _claimed(scenario: Scenario, count: int, seed: int) -> Cells:
    outcome = simulate(replace(scenario, seed=seed), count)
    return [outcome.false / count, outcome.covered / count]


def _found(scenario: Scenario, count: int, seed: int) -> Cells:
    outcome = simulate(replace(scenario, seed=seed), count)
    return [
        outcome.found / outcome.sought,
        outcome.false / count,
        outcome.covered / count,
        outcome.plain / max(outcome.exploratory, 1),
    ]


_FIRST = {(arm, 0): 1.3 for arm in range(1, 5)}
_STAIRS = {(arm, metric): 1.3 for arm in range(1, 5) for metric in range(arm - 1)}
_JUST_THE_MARGIN = {(arm, metric): 1.0201 for arm in range(1, 5) for metric in range(10)}
_HARDER = {
    "no order declared": Scenario(5, 5, 0.05, primary=None),
    "all arms +30 % in the first metric": Scenario(5, 5, 0.02, effects=_FIRST),
    "one arm +30 % in the first metric": Scenario(5, 5, 0.02, effects={(1, 0): 1.3}),
    "each arm +30 % up to another metric": Scenario(5, 5, 0.02, effects=_STAIRS),
    "very quiet: noise 0.5 %, many equivalences": Scenario(5, 5, 0.005),
    "very quiet, 2 arms, 3 blocks": Scenario(2, 3, 0.005),
    "all arms +2 %, just the margin, noise 0.5 %": Scenario(5, 5, 0.005, effects=_JUST_THE_MARGIN),
    "heavy tails (t, 3 degrees of freedom)": Scenario(5, 5, 0.05, tails="t3"),
    "heavy tails, 2 arms": Scenario(2, 5, 0.05, tails="t3"),
    "blocks differ by 30 %": Scenario(5, 5, 0.05, block=0.3),
    "one arm twice as noisy": Scenario(5, 5, 0.05, noisy_arm=2),
    "one arm three times as noisy": Scenario(5, 5, 0.05, noisy_arm=3),
    "one arm five times as noisy, 10 blocks": Scenario(5, 10, 0.05, noisy_arm=5),
    "one arm three times as noisy, 10 blocks": Scenario(5, 10, 0.05, noisy_arm=3),
    "the baseline twice as noisy": Scenario(5, 5, 0.05, noisy_baseline=2),
    "the baseline three times as noisy": Scenario(5, 5, 0.05, noisy_baseline=3),
    "whole steps as large as the noise, 5 blocks": Scenario(5, 5, 0.3, step=300),
    "whole steps as large as the noise, 10 blocks": Scenario(5, 10, 0.3, step=300),
    "whole steps of the mean, zeros too, 10 blocks": Scenario(5, 10, 0.5, step=1000),
}


def _findings() -> Iterator[Study]:
    found = [(arms, blocks, "one", {(1, 0): EFFECT}) for arms in ARMS for blocks in (3, 5, 10)]
    found += [(arms, 5, "all", {(arm, 0): EFFECT for arm in range(1, arms)}) for arms in ARMS[1:]]
    for arms, blocks, which, effects in found:
        scenario = Scenario(arms, blocks, 0.02, primary=2, effects=effects)
        yield Study("found", f"{arms} | {blocks} | {which}", partial(_found, scenario))


def _noisier() -> Iterator[Study]:
    for title, noisy in (
        ("one arm three times as noisy", Scenario(5, 5, 0.05, noisy_arm=3)),
        ("the baseline twice as noisy", Scenario(5, 5, 0.05, noisy_baseline=2)),
    ):
        yield _row("harder", f"{title}, 3 blocks", replace(noisy, blocks=3))
        yield _row("harder", f"{title}, two metrics", replace(noisy, metrics=2, primary=2))
        yield _row("harder", f"{title}, in the first metric alone", replace(noisy, noisy_metrics=1))
