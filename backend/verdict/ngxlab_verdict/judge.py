"""The procedure: from the values of an experiment to a claim for each arm and metric."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from ngxlab_verdict.coarse import rank_interval
from ngxlab_verdict.comparisons import compare
from ngxlab_verdict.decision import Decision, Interval
from ngxlab_verdict.design import Flags, Floats
from ngxlab_verdict.experiment import Experiment, Question
from ngxlab_verdict.exploratory import withhold
from ngxlab_verdict.families import ERROR, judge_family, own_shares
from ngxlab_verdict.quantiles import t_sf
from ngxlab_verdict.sequential import FIRST_LOOK, Looks
from ngxlab_verdict.spread import Suspect, suspect_of_several
from ngxlab_verdict.standing import standing
from ngxlab_verdict.usable import Usable, usable
from ngxlab_verdict.words import Claim, Evidence, Family, Reason, Scale

ByArmAndMetric = Mapping[tuple[str, str], Claim]


def judge(experiment: Experiment, question: Question) -> list[Claim]:
    """Metric by metric in the order of the experiment, arm by arm. Raises ValueError for an unknown primary metric.

    The primary metrics are one family: all their claims together are wrong with a probability of at most 5 %. The
    others are exploratory: their 95 % intervals are not adjusted, their words do not say what is better, and of those
    that are called higher or lower 5 % are expected to be wrong. With ``question.looks`` the first holds at all looks
    together, and the others at each. Primary claims of ``question.earlier`` looks stand.
    """
    primary = list(experiment.metrics if question.primary is None else question.primary)
    if unknown := [metric for metric in primary if metric not in experiment.metrics]:
        raise ValueError(f"unknown metric {unknown[0]!r}")
    before: ByArmAndMetric = {}
    places = [experiment.metrics.index(metric) for metric in primary]
    for stage in question.earlier:
        seen = Experiment(experiment.arms, primary, experiment.values[places, :, : stage.blocks])
        asked = replace(question, looks=stage.looks, spent=stage.spent, earlier=())
        before = {(claim.arm, claim.metric): claim for claim in _look(seen, asked, primary, before)}
    return _look(experiment, question, primary, before)


def _look(experiment: Experiment, question: Question, primary: Sequence[str], before: ByArmAndMetric) -> list[Claim]:
    """The claims of one look; ``before``: those on primary metrics of the look before it."""
    judged = {metric: _metric(experiment, metric, question) for metric in experiment.metrics}
    shared = _scatters_most([judged[metric] for metric in primary])

    def claims_of(metric: str, family: Family, error: float) -> list[Claim]:
        claims = judged[metric].claims(family, question.level(error), shared if family == "primary" else None)
        named = [replace(claim, error=question.named(family, error)) for claim in claims]
        return undecided_before_first(named, question.looks)

    def of_family(place: int, error: float) -> list[Claim]:
        metric = primary[place]
        claims = claims_of(metric, "primary", error)
        return [standing(claim, before.get((claim.arm, metric)), judged[metric].decision) for claim in claims]

    shares = own_shares(len(primary), ordered=question.primary is not None, error=ERROR - question.spent)
    claims = dict(zip(primary, judge_family(shares, of_family), strict=True))
    others = [metric for metric in experiment.metrics if metric not in claims]
    alone = [claim for metric in others for claim in claims_of(metric, "exploratory", ERROR)]
    each = iter(withhold(alone, question.level(ERROR)))
    claims |= {metric: list(islice(each, len(experiment.arms) - 1)) for metric in others}
    return [claim for metric in experiment.metrics for claim in claims[metric]]


def _scatters_most(primary: "Sequence[_Metric]") -> Suspect | None:
    """The suspect by the metrics that have all arms in all blocks."""
    arms = [metric.cells.values for metric in primary if metric.complete]
    return suspect_of_several(arms)


def _metric(experiment: Experiment, metric: str, question: Question) -> "_Metric":
    measured = experiment.values[experiment.metrics.index(metric)]
    return _Metric(experiment.arms, measured, Decision.of(metric, question))


@dataclass(frozen=True)
class _Metric:
    """``measured[arm, block]``."""

    arms: Sequence[str]
    measured: Floats
    decision: Decision

    @property
    def scale(self) -> Scale:
        return self.decision.rule.scale

    @cached_property
    def cells(self) -> Usable:
        return usable(self.measured, self.scale)

    @property
    def complete(self) -> bool:
        """Whether every arm has a value in every block, none of them coarse."""
        return len(self.cells.arms) == len(self.arms) - 1 and not np.isnan(self.measured).any()

    def claims(self, family: Family, level: float, shared: Suspect | None = None) -> list[Claim]:
        """``shared``: the arm that scatters most in the primary metrics together."""
        cells = self.cells
        able = len(cells.arms) + len(cells.coarse)
        each = level / able if family == "primary" and able else level
        rest = each * len(cells.arms) if family == "primary" else level
        judged = dict(self._judged(family, rest, shared if self.complete else None)) if cells.arms else {}
        ranked = {arm: self._ranked(arm, family, each) for arm in cells.coarse}
        undecided = {arm: self._undecided(arm, family, reason) for arm, reason in cells.reasons.items()}
        by_arm = judged | ranked | undecided
        return [by_arm[arm] for arm in range(1, len(self.arms))]

    def _ranked(self, arm: int, family: Family, level: float) -> Claim:
        """A claim from coarse values. Bonferroni's bound divides the metric's error among these arms and the others."""
        both = self._both(arm)
        ranked = rank_interval(self.measured[arm][both], self.measured[0][both], self.scale, level)
        if isinstance(ranked, str):
            return self._undecided(arm, family, ranked)
        return replace(self._claim(arm, family, level, ranked.interval), chance=ranked.chance)

    def _judged(self, family: Family, level: float, shared: Suspect | None) -> Iterator[tuple[int, Claim]]:
        cells = self.cells
        compared = compare(cells.values, cells.present, shared, self.decision.rule.learned)
        lows, highs = compared.simultaneous(level) if family == "primary" else compared.plain(level)
        own = compared.own_levels(level) if family == "primary" else np.full(len(lows), level)
        evidence = map(Evidence, compared.shown.errors.tolist(), compared.shown.degrees.tolist(), own.tolist())
        chances = t_sf(compared.estimates / compared.errors, compared.degrees).tolist()
        for arm, *interval, behind, chance in zip(
            cells.arms, compared.estimates, lows, highs, evidence, chances, strict=True
        ):
            claim = self._claim(arm, family, level, Interval(*map(float, interval)))
            yield arm, replace(claim, evidence=behind, chance=chance)

    def _claim(self, arm: int, family: Family, level: float, interval: Interval) -> Claim:
        return self.decision.claim(self.arms[arm], family, level, interval, self._pairs(arm))

    def _undecided(self, arm: int, family: Family, reason: str) -> Claim:
        return self.decision.undecided(self.arms[arm], family, reason, self._paired_estimate(arm), self._pairs(arm))

    def _paired_estimate(self, arm: int) -> float | None:
        both = self._both(arm)
        own, base = self.measured[arm][both], self.measured[0][both]
        if not both.any():
            return None
        if self.scale == "difference":
            return float(np.mean(own - base))
        return float(np.mean(np.log(own / base))) if (own > 0).all() and (base > 0).all() else None

    def _pairs(self, arm: int) -> int:
        return int(self._both(arm).sum())

    def _both(self, arm: int) -> Flags:
        """The blocks that have a value of the arm and of the baseline."""
        return np.asarray(~np.isnan(self.measured[[0, arm]]).any(axis=0), np.bool_)


def undecided_before_first(claims: Sequence[Claim], looks: Looks | None) -> list[Claim]:
    """Claims without the intervals of arms that have fewer pairs than the first look."""
    if looks is None:
        return list(claims)
    return [claim if claim.pairs >= FIRST_LOOK or claim.low is None else _withheld(claim) for claim in claims]


def _withheld(claim: Claim) -> Claim:
    reason = Reason("a verdict before the planned end needs at least {pairs} pairs", pairs=FIRST_LOOK)
    return replace(claim, verdict="undecided", low=None, high=None, at_least=False, reason=reason)
