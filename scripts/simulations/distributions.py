"""Noise of many kinds, equivalence at and beyond the margin, and rare stalls: one family of two primary metrics."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ngxlab_verdict import Claim, judge

from scripts.simulations.scenario import MARGIN, Scenario, covers, is_false
from scripts.simulations.tables import Cells, Study

BLOCKS = (3, 5, 10, 20)
_TWO = Scenario(2, 5, 0.05, metrics=2, primary=2)
KINDS = {
    "normal": _TWO,
    "heavy tails (t, 3 degrees of freedom)": replace(_TWO, law="t3"),
    "Laplace": replace(_TWO, law="Laplace"),
    "skewed (exponential)": replace(_TWO, law="skewed"),
    "one trial in twenty with ten times the scatter": replace(_TWO, law="outliers"),
    "two levels": replace(_TWO, law="two modes"),
    "steps of half the noise": replace(_TWO, step=25),
    "counts of 400": replace(_TWO, noise=0.001, counted=400),
    "blocks differ by 30 %": replace(_TWO, block=0.3),
    "the first of a block gets 5 % more": replace(_TWO, first_position=1.05),
    "drift of 30 % over the run": replace(_TWO, drift=1.3),
    "neighbouring trials correlate by 0.5": replace(_TWO, follows=0.5),
    "one trial in ten is missing": replace(_TWO, missing=0.1),
}
HEADS = {
    "laws": "nothing differs, 5 % noise | arms | a false claim, blocks: 3 | 5 | 10 | 20 | first metric covered, 5 "
    "blocks",
    "equivalent": "noise | arms | blocks | some arm equivalent: all differ by the margin | by twice the margin "
    "| none differs",
    "stalls": "one arm loses 30 % in one trial of ten, 1 % noise: blocks | its true mean change covered | equivalent "
    "| worse | better",
}


def rows() -> Iterator[Study]:
    for title, kind in KINDS.items():
        for arms in (2, 3, 5, 10):
            yield Study("laws", f"{title} | {arms}", partial(_nothing, replace(kind, arms=arms)))
    for noise in (0.005, 0.01, 0.02):
        for arms in (2, 5, 10):
            for blocks in (5, 20):
                scenario = Scenario(arms, blocks, noise, metrics=1, primary=1)
                yield Study("equivalent", f"{100 * noise:g} % | {arms} | {blocks}", partial(_equivalent, scenario))
    for blocks in (5, 10, 20):
        yield Study(
            "stalls", f"{blocks}", partial(_stalls, Scenario(2, blocks, 0.01, metrics=1, primary=1, stalls=0.1))
        )


def _nothing(scenario: Scenario, count: int, seed: int) -> Cells:
    cells: Cells = []
    covered = 0
    for place, blocks in enumerate(BLOCKS):
        false = 0
        at = replace(scenario, blocks=blocks, seed=len(BLOCKS) * seed + place)
        for experiment in at.experiments(count):
            claims = judge(experiment, at.question)
            false += any(is_false(claim, 1.0) for claim in claims)
            covered += blocks == 5 and all(covers(claim, 1.0) for claim in claims if claim.metric == "m0")
        cells.append(false / count)
    return [*cells, covered / count]


def _equivalent(scenario: Scenario, count: int, seed: int) -> Cells:
    cells: Cells = []
    for times in (1, 2, 0):
        effects = {(arm, 0): (1 + MARGIN) ** times for arm in range(1, scenario.arms)}
        judged = _judged(replace(scenario, effects=effects, seed=3 * seed + times), count)
        cells.append(sum(any(one.verdict == "equivalent" for one in claims) for claims in judged) / count)
    return cells


def _stalls(scenario: Scenario, count: int, seed: int) -> Cells:
    judged = [claims[0] for claims in _judged(replace(scenario, seed=seed), count)]
    covered = sum(covers(claim, scenario.mean_of_stalls) for claim in judged)
    return [covered / count, *(_said(judged, word) / count for word in ("equivalent", "worse", "better"))]


def _judged(scenario: Scenario, count: int) -> Iterator[list[Claim]]:
    return (judge(experiment, scenario.question) for experiment in scenario.experiments(count))


def _said(claims: list[Claim], word: str) -> int:
    return sum(claim.verdict == word for claim in claims)
