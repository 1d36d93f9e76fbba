"""Simulated runs that are judged after every block: how often does any look claim what is not true, and what does a
run say that stops when it is precise enough, or when somebody likes what it says?"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ngxlab_verdict import Claim, Course, Experiment, judge

from scripts.simulations.scenario import Scenario, covers, is_false, is_found
from scripts.simulations.tables import Cells, Study

Plan = Literal["precise", "fixed", "careless"]
"""``precise``: blocks are added, up to those of the scenario, until the interval is narrow. ``fixed``: all blocks are
planned, and looked at before their end. ``careless``: as fixed, and every look judges as if it were the only one."""


@dataclass(frozen=True)
class LookedAt:
    """``start``: after so many blocks is the first look. ``half_width``: of the first metric's interval, at which a
    precise plan stops; ``None`` looks until the last block."""

    scenario: Scenario
    plan: Plan
    start: int = 2
    half_width: float | None = None


@dataclass
class Seen:
    """Counts over ``runs``. ``false``: any look made a false claim. The rest is of the last look: ``covered``,
    ``found`` and ``sought`` as in ``Outcome``; ``blocks``: how many had been measured."""

    runs: int = 0
    false: int = 0
    covered: int = 0
    found: int = 0
    sought: int = 0
    blocks: int = 0

    def add(self, looks: Sequence[list[Claim]], blocks: int, scenario: Scenario) -> None:
        judged = [[(claim, scenario.truth(claim.arm, claim.metric)) for claim in claims] for claims in looks]
        last = [pair for pair in judged[-1] if pair[0].metric == "m0"]
        self.runs += 1
        self.blocks += blocks
        self.false += any(is_false(*pair) for look in judged for pair in look if pair[0].family == "primary")
        self.covered += all(covers(*pair) for pair in last)
        self.sought += sum(true != 1 for _, true in last)
        self.found += sum(is_found(*pair) for pair in last)


def look(at: LookedAt, count: int) -> Seen:
    seen = Seen()
    for experiment in at.scenario.experiments(count):
        looks: list[list[Claim]] = []
        blocks = at.start
        for blocks in range(at.start, at.scenario.blocks + 1):
            looks.append(_claims(at, experiment, blocks))
            if _is_enough(at, looks[-1]):
                break
        seen.add(looks, blocks, at.scenario)
    return seen


def _claims(at: LookedAt, experiment: Experiment, blocks: int) -> list[Claim]:
    so_far = Experiment(experiment.arms, experiment.metrics, experiment.values[:, :, :blocks])
    if at.plan == "careless":
        return judge(so_far, at.scenario.question)
    (look,) = Course(at.scenario.blocks, stops=at.plan == "precise").stages(blocks)
    return judge(so_far, replace(at.scenario.question, looks=look.looks, spent=look.spent))


def _is_enough(at: LookedAt, claims: Sequence[Claim]) -> bool:
    """As the stop rule has it: every arm's half width, relative to its estimate."""
    first = [claim for claim in claims if claim.metric == "m0"]
    return at.half_width is not None and max(map(_half_width, first)) <= at.half_width


def _half_width(claim: Claim) -> float:
    if claim.low is None or claim.high is None or claim.estimate is None:
        return math.inf
    return (claim.high - claim.low) / 2 / claim.estimate


MOST_BLOCKS = 20
EFFECT = 1.05
_PLANS: dict[Plan, str] = {
    "precise": "at most 20 blocks",
    "fixed": "20 blocks, the last look judged as the planned end",
    "careless": "20 blocks, each look judged as if it were the only one",
}


HEADS = {
    "peeking": "looks after every block from 2 to 20 | noise | arms | a false claim at any look",
    "stopping": "arms | first look | noise | stop at | blocks, on average | first metric covered "
    "| a false claim at any look | +5 % found at the stop",
}


def rows() -> Iterator[Study]:
    for noise in (0.02, 0.10):
        for plan, words in _PLANS.items():
            for arms in (2, 5):
                at = LookedAt(Scenario(arms, MOST_BLOCKS, noise, metrics=2, primary=2), plan)
                yield Study("peeking", f"{words} | {100 * noise:g} % | {arms}", partial(_peeking, at))
    follows = Scenario(2, MOST_BLOCKS, 0.10, metrics=2, primary=2, follows=0.5)
    for plan in ("precise", "fixed"):
        title = f"{_PLANS[plan]}, neighbouring trials correlate by 0.5 | 10 % | 2"
        yield Study("peeking", title, partial(_peeking, LookedAt(follows, plan)))
    for arms in (2, 5):
        for start in (3, 5):
            for noise, half_width in ((0.02, 0.02), (0.05, 0.05), (0.02, 0.05)):
                scenario = Scenario(arms, MOST_BLOCKS, noise, metrics=2, primary=2, effects={(1, 0): EFFECT})
                at = LookedAt(scenario, "precise", start, half_width)
                title = f"{arms} | {start} | {100 * noise:g} % | ±{100 * half_width:g} %"
                yield Study("stopping", title, partial(_stopping, at))


def _seen(at: LookedAt, count: int, seed: int) -> Seen:
    return look(replace(at, scenario=replace(at.scenario, seed=seed)), count)


def _peeking(at: LookedAt, count: int, seed: int) -> Cells:
    return [_seen(at, count, seed).false / count]


def _stopping(at: LookedAt, count: int, seed: int) -> Cells:
    seen = _seen(at, count, seed)
    return [f"{seen.blocks / count:.1f}", seen.covered / count, seen.false / count, seen.found / seen.sought]
