"""The best of many arms: heats that choose, and the verdict on fresh blocks of those that are left.

Cuts, their error and claims are made by the functions that make them in runs. The arms' true values are known.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from ngxlab_verdict import Claim, Experiment, Question, judge
from ngxlab_verdict.selection import best, error_of, kept_by_heat, noise_of, standings, trials_of_heats

from scripts.simulations.scenario import MARGIN, Floats
from scripts.simulations.tables import Cells, Study, drawn

HEADS = {
    "best-of-many": (
        "arms beside the baseline | of which | noise | blocks | trials of the full matrix | the best is named |"
        " another is named | false claim | best dropped | as stated | effect off by | by heats off by"
    ),
}
_KINDS = 2
"""Of effects: that of the best, and that of all others."""
_FINALISTS, _BLOCKS_OF_HEAT, _SHARED = 3, 2, 0.05


class Case(NamedTuple):
    """``effects``: true ratios of the arms to the baseline."""

    words: str
    effects: tuple[float, ...]
    noise: float
    blocks: int

    @property
    def best(self) -> int | None:
        """The arm that is truly better than all others, from 1."""
        highest = max(self.effects)
        return self.effects.index(highest) + 1 if self.effects.count(highest) == 1 and highest > 1 else None


class Found(NamedTuple):
    """``named``: what is called the best. ``flattery``: by how much the estimates of those left are too high, in
    logarithms, and what heats say of the best of them. ``stated``: how often the best should be dropped."""

    left: Sequence[int]
    named: int | None
    is_false: bool
    flattery: tuple[float, float]
    stated: float


def experiment(case: Case, random: np.random.Generator) -> Found:
    truth = np.log((1.0, *case.effects))
    arms, left, heats = len(case.effects), list(range(1, len(truth))), list[Floats]()
    entered = []
    for keep in kept_by_heat(arms, _FINALISTS):
        heats.append(_values(truth, case.noise, _BLOCKS_OF_HEAT, random))
        entered.append([0, *left])
        left = [left[place] for place in best(np.concatenate(heats, axis=1)[left], keep)]
    named, claims = _verdict([0, *left], _values(truth, case.noise, case.blocks, random)[[0, *left]])
    noise = noise_of([values[some] for values, some in zip(heats, entered, strict=True)])
    margin = truth.max() if case.best is not None else MARGIN
    stated = error_of(arms, _FINALISTS, _BLOCKS_OF_HEAT, noise, float(margin)).dropped if noise else 0.0
    over = [math.log(one.estimate) - truth[int(one.arm)] for one in claims if one.estimate is not None]
    seen = np.concatenate(heats, axis=1)
    naive = float((seen[left[0]] - seen[0]).mean() - truth[left[0]])
    return Found(left, named, any(_is_false(one, truth) for one in claims), (float(np.mean(over)), naive), stated)


def _values(truth: Floats, noise: float, blocks: int, random: np.random.Generator) -> Floats:
    """Logarithms, ``[arm, block]``."""
    own = noise * random.standard_normal((len(truth), blocks))
    return np.asarray(truth[:, None] + own + _SHARED * random.standard_normal(blocks), np.float64)


def _verdict(arms: Sequence[int], logs: Floats) -> tuple[int | None, list[Claim]]:
    """What is called the best, and the claims against the baseline, which is the first."""
    names, leads = [str(arm) for arm in arms], int(np.argmax(standings(logs)))
    order = [leads, *(place for place in range(len(arms)) if place != leads)]
    question = Question(primary=["m0"])
    against = judge(Experiment([names[place] for place in order], ["m0"], np.exp(logs[order])[None]), question)
    claims = judge(Experiment(names, ["m0"], np.exp(logs)[None]), question)
    return arms[leads] if all(claim.verdict == "worse" for claim in against) else None, claims


def _is_false(claim: Claim, truth: Floats) -> bool:
    true = truth[int(claim.arm)]
    return (claim.verdict == "better" and true <= 0) or (claim.verdict == "worse" and true >= 0)


def shares(case: Case, count: int, random: np.random.Generator) -> Cells:
    found = [experiment(case, random) for _ in range(count)]
    arms, target, others_are_equal = len(case.effects), case.best, len(set(case.effects)) == _KINDS
    spent = trials_of_heats(arms, _FINALISTS, _BLOCKS_OF_HEAT) + case.blocks * (_FINALISTS + 1)
    off, by_heats = (100 * float(np.mean([one.flattery[place] for one in found])) for place in (0, 1))
    return [
        spent / (case.blocks * (arms + 1)),
        "–" if target is None else float(np.mean([one.named == target for one in found])),
        float(np.mean([one.named not in (None, target) for one in found])),
        float(np.mean([one.is_false for one in found])),
        "–" if target is None else float(np.mean([target not in one.left for one in found])),
        float(np.mean([one.stated for one in found])) if target is not None and others_are_equal else "–",
        f"{off:+.2f} points",
        f"{by_heats:+.2f} points",
    ]


def _one(arms: int, effect: float) -> tuple[float, ...]:
    return (effect, *[1.0] * (arms - 1))


CASES = [
    Case("one has +5 %", _one(16, 1.05), 0.02, 12),
    Case("one has +5 %", _one(8, 1.05), 0.02, 12),
    Case("one has +5 %", _one(64, 1.05), 0.02, 12),
    Case("one has +2 %", _one(16, 1.02), 0.02, 12),
    Case("one has +5 %", _one(16, 1.05), 0.05, 12),
    Case("from 0 to +7.5 %, evenly", tuple(1 + 0.005 * step for step in range(16)), 0.02, 12),
    Case("all are the baseline's twins", (1.0,) * 16, 0.02, 12),
    Case("all are the baseline's twins", (1.0,) * 16, 0.05, 12),
    Case("all are twins, 5 % better", (1.05,) * 16, 0.02, 12),
]


def rows() -> Iterator[Study]:
    for case in CASES:
        title = f"{len(case.effects)} | {case.words} | {100 * case.noise:g} % | {case.blocks}"
        yield Study("best-of-many", title, partial(drawn, partial(shares, case)))
