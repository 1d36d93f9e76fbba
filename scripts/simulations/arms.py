"""Arms of one run, as reports judge them: how often a claim is false, and what is found."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ngxlab_verdict import judge
from ngxlab_verdict.families import own_shares
from ngxlab_verdict.learned import Scatter
from ngxlab_verdict.power import Plan

from scripts.simulations.scenario import MARGIN, Scenario, is_false, is_found, simulate
from scripts.simulations.tables import Cells, Study

ARMS = (2, 5, 10)
BLOCKS = (2, 3, 5, 10)
NOISE = (0.02, 0.05, 0.10)
EFFECT = 1.05
HEADS = {
    "nothing": "noise | blocks | arms | a false claim | first metric covered",
    "harder": "5 arms, 5 blocks, unless said otherwise | a false claim | first metric covered",
    "unequal": "arms' scatter | arms | blocks | a false claim | first metric covered",
    "second": "rate with 2 % noise, p99 with 10 %, both primary | arms | blocks | found | promised by the plan "
    "| points too much | a false claim",
    "exploratory": "nothing differs, 8 exploratory metrics | arms | a word is said | the same by 95 % intervals alone",
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
    yield from _unequal()
    yield from _second()
    for arms in (2, 3, 5, 10):
        scenario = Scenario(arms, 5, 0.05, metrics=9, primary=1)
        yield Study("exploratory", f"5 % noise, 5 blocks | {arms}", partial(_words, scenario))
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


def _unequal() -> Iterator[Study]:
    two = Scenario(3, 5, 0.02, metrics=2, primary=2)
    for title, of_kind in (
        ("each arm's times log-normal(0.5)", replace(two, unequal=0.5)),
        ("one arm three times", replace(two, noisy_arm=3)),
        ("the baseline three times", replace(two, noisy_baseline=3)),
    ):
        for arms in (3, 5, 10):
            for blocks in (3, 5, 8):
                scenario = replace(of_kind, arms=arms, blocks=blocks)
                yield Study("unequal", f"{title} | {arms} | {blocks}", partial(_claimed, scenario))


def _second() -> Iterator[Study]:
    for title, metric, effect in (("rate +5 %", 0, 1.05), ("p99 +20 %", 1, 1.2), ("p99 +50 %", 1, 1.5)):
        for arms in (2, 3, 5):
            for blocks in (5, 10):
                scenario = Scenario(
                    arms, blocks, 0.02, metrics=2, primary=2, noises=(0.02, 0.10), effects={(1, metric): effect}
                )
                yield Study("second", f"{title} | {arms} | {blocks}", partial(_promised, scenario))


def _promised(scenario: Scenario, count: int, seed: int) -> Cells:
    """What is found of the one effect, and what a plan promises that knows the scatter."""
    scenario = replace(scenario, seed=seed)
    ((arm, metric), effect), *_ = scenario.effects.items()
    found = false = 0
    for experiment in scenario.experiments(count):
        judged = [(one, scenario.truth(one.arm, one.metric)) for one in judge(experiment, scenario.question)]
        found += any(is_found(*pair) for pair in judged if pair[0].arm == f"a{arm}" and pair[0].metric == f"m{metric}")
        false += any(is_false(*pair) for pair in judged)
    level = own_shares(2, ordered=True)[metric]
    plan = Plan(scenario.arms, level, math.log1p(MARGIN))
    promised = plan.power(Scatter(scenario.noises[metric], _KNOWN), math.log(effect), scenario.blocks)
    return [found / count, promised, f"{100 * (promised - found / count):+.1f}", false / count]


def _words(scenario: Scenario, count: int, seed: int) -> Cells:
    said = alone = 0
    for experiment in replace(scenario, seed=seed).experiments(count):
        claims = [one for one in judge(experiment, scenario.question) if one.family == "exploratory"]
        said += any(one.verdict in {"higher", "lower"} for one in claims)
        alone += any(one.low is not None and one.high is not None and not one.low <= 1 <= one.high for one in claims)
    return [said / count, alone / count]


_KNOWN = 1e9
"""Degrees of freedom."""


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
    "heavy tails (t, 3 degrees of freedom)": Scenario(5, 5, 0.05, law="t3"),
    "heavy tails, 2 arms": Scenario(2, 5, 0.05, law="t3"),
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
