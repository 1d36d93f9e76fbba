"""What a host serves at goals that nobody searched for, from the rates that searches and curves have tried.

Each rate that was tried says of every bound on a percentile whether it meets it: its percentiles are stored. Within a
trial, the capacity at a bound lies between the two neighbouring rates that contradict the fewest steps; where several
pairs contradict equally few, between the outer ones. So one stall decides nothing. The estimate of a trial lies between
the two, by the percentile at both; the interval of an arm is that of its trials' lower ends below, and of their upper
ends above, so that it holds wherever between them the capacities are. It is a trifle too wide rather than too narrow
(docs/simulations.md). Where a trial has no rate above or below, nothing is said: it is no extrapolation.

- A rate that throughput did not follow meets no bound, since its latency only says how long it lasted.
- At a rate at which the load generator was late, a bound that was missed says nothing: the delay may be its own.
- A step that missed its own goal may have been cut short: it shows no looser goal to be met, unless it was a full one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.streams import CapacityGoal

from ngxlab.analysis.metrics import CAPACITY, PLATEAU
from ngxlab.analysis.schemas import (
    ArmSizing,
    CapacitySearch,
    CapacityTried,
    CheckSummary,
    CurveRate,
    Percentile,
    SizedGoals,
    SizedRate,
    Sizing,
    TrialSummary,
)
from ngxlab.analysis.summary.capacity import goal_text
from ngxlab.analysis.summary.curve import FOLLOWED, counts
from ngxlab.analysis.verdict.claims import usable_by_block
from ngxlab.analysis.verdict.figures import figure
from ngxlab.analysis.verdict.stream_comparison import metric_named
from ngxlab.analysis.verdict.voided import why_void

PERCENTILES: tuple[Percentile, ...] = ("p50", "p90", "p99", "p999")
CURVE_ERRORS_PERCENT = 0.1
"""A curve has no goal: so many errors are too many."""
FULL = 0.6
"""A step is a full one if it lasted for so much of the longest of its search."""
SHORT_WEIGHT = 0.5
"""What a shorter step counts: queues need time to fill."""
WIDEST = 2.0
"""The ratio of an interval's ends beyond which nothing is known: its upper end may lie beyond all rates tried."""
_STEPS_OF_TEN = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
_BOUNDS_MS = [float(f"{step * 10.0**power:.3g}") for power in range(-2, 5) for step in _STEPS_OF_TEN]

Trials = Sequence[TrialSummary]


class Step(NamedTuple):
    """A rate that was tried. ``value_us``: the percentile; infinite where it meets no bound. ``shows_met``: whether it
    shows that bounds above that are met; ``shows_missed``: that those below are not."""

    per_s: float
    value_us: float
    weight: float = 1.0
    shows_met: bool = True
    shows_missed: bool = True

    def meets(self, bound_us: float) -> bool | None:
        """``None``: it says nothing."""
        if self.value_us > bound_us:
            return False if self.shows_missed else None
        return True if self.shows_met else None


class Between(NamedTuple):
    """Where the capacity of one trial lies; ``None`` of an end: no rate was tried beyond it."""

    low: float | None
    high: float | None
    estimate: float | None


@dataclass(frozen=True)
class _Arm:
    """Its usable trials, one of each block."""

    key: str
    trials: Trials

    def steps(self, percentile: Percentile) -> list[list[Step]]:
        return [_steps(trial, percentile) for trial in self.trials]


def sizing_of(arms: Sequence[str], trials: Trials, checks: CheckSummary) -> Sizing | None:
    """``trials``: of all arms; those that are not usable do not count. ``None`` where no trial tries several rates."""
    found = [_Arm(key, list(usable_by_block(trials, key).values())) for key in arms]
    found = [arm for arm in found if any(trial.searches or trial.curves for trial in arm.trials)]
    if not found:
        return None
    trials_found = [trial for arm in found for trial in arm.trials]
    if any(rate.connections for trial in trials_found for one in trial.curves for rate in one.rates):
        return None  # a closed loop waits where users would not: its latency says nothing of a rate
    if len({search.goal.model_dump_json() for trial in trials_found for search in trial.searches}) > 1:
        return None  # arms that were searched by goals of their own are compared by none
    streams = [one.stream for trial in trials_found for one in trial.searches]
    streams += [one.stream for trial in trials_found for one in trial.curves]
    goal = next((search.goal for trial in trials_found for search in trial.searches), None)
    sized = [_goals(percentile, goal, found) for percentile in _percentiles(goal)]
    metric = metric_named(CAPACITY if goal is not None else PLATEAU)
    return Sizing(
        stream=streams[0],
        percentiles=[one for one in sized if one.goals_ms],
        not_valid=why_void(checks, metric.info.group if metric is not None else None),
    )


def _percentiles(goal: CapacityGoal | None) -> Sequence[Percentile]:
    """Those that a goal bounds; p99 where it bounds errors alone, and all of a curve."""
    if goal is None:
        return PERCENTILES
    return [one for one in PERCENTILES if getattr(goal, f"{one}_ms") is not None] or ["p99"]


def _goals(percentile: Percentile, goal: CapacityGoal | None, arms: Sequence[_Arm]) -> SizedGoals:
    searched_ms = getattr(goal, f"{percentile}_ms") if goal is not None else None
    steps = {arm.key: arm.steps(percentile) for arm in arms}
    bounds = sorted({*_bounds(steps.values()), *([searched_ms] if searched_ms is not None else [])})
    if searched_ms is not None:
        # A search ends beside its goal: a step that missed it may have overloaded the host for a moment, during which
        # its latencies say how long it lasted, and not what a looser goal would allow.
        bounds = [bound for bound in bounds if bound <= searched_ms]
    rates = {bound: [_rate(arm, percentile, bound, steps[arm.key]) for arm in arms] for bound in bounds}
    known = (bound for bound in bounds if any(one.per_s is not None for one in rates[bound]))
    kept = sorted({*known, *([searched_ms] if searched_ms is not None else [])})
    rest = _besides(percentile, goal)
    return SizedGoals(
        percentile=percentile,
        besides=goal_text(rest) if rest is not None else None,
        goals_ms=kept,
        searched_ms=searched_ms,
        arms=[ArmSizing(arm=arm.key, rates=[rates[bound][i] for bound in kept]) for i, arm in enumerate(arms)],
    )


def _bounds(arms: Iterable[Sequence[Sequence[Step]]]) -> list[float]:
    """Round bounds in milliseconds up to the first that all latencies meet: any looser one says the same."""
    measured = [one.value_us for trials in arms for steps in trials for one in steps if one.value_us < math.inf]
    most_ms = max(measured, default=0.0) / 1000
    return [bound for bound in _BOUNDS_MS if bound <= most_ms] + [bound for bound in _BOUNDS_MS if bound > most_ms][:1]


def _besides(percentile: Percentile, goal: CapacityGoal | None) -> CapacityGoal | None:
    if goal is None:
        return CapacityGoal(errors_percent=CURVE_ERRORS_PERCENT)
    rest = {name: bound for name, bound in goal.model_dump(exclude_none=True).items() if name != f"{percentile}_ms"}
    return CapacityGoal(**rest) if rest else None


def _rate(arm: _Arm, percentile: Percentile, bound_ms: float, steps: Sequence[Sequence[Step]]) -> SizedRate:
    """``steps``: of each trial of the arm."""
    searches = [search for trial in arm.trials for search in trial.searches]
    if searches and all(getattr(search.goal, f"{percentile}_ms") == bound_ms for search in searches):
        return _searched(searches)
    return derived([between(own, bound_ms * 1000) for own in steps])


def _searched(searches: Sequence[CapacitySearch]) -> SizedRate:
    values = [search.capacity_per_s for search in searches if search.capacity_per_s is not None]
    if len(values) < len(searches):
        why = next(search.without_value for search in searches if search.capacity_per_s is None)
        return SizedRate(per_s=None, how="not-measured", why=why)
    found = figure(values)
    return SizedRate(per_s=found.mean, low=found.low, high=found.high, how="searched")


def derived(trials: Sequence[Between]) -> SizedRate:
    """Of an arm, from where the capacity of each trial lies."""
    estimates = [one.estimate for one in trials if one.estimate is not None]
    if len(estimates) < len(trials) or not trials:
        return SizedRate(per_s=None, how="not-measured", why=_why(trials))
    below = figure([one.low for one in trials if one.low is not None])
    above = figure([one.high for one in trials if one.high is not None])
    if below.low is not None and above.high is not None and above.high > WIDEST * below.low:
        why = say("by how trials differ, it may lie from {low:,.0f}/s to {high:,.0f}/s", low=below.low, high=above.high)
        return SizedRate(per_s=None, how="not-measured", why=why)
    return SizedRate(per_s=figure(estimates).mean, low=below.low, high=above.high, how="derived")


def _why(trials: Sequence[Between]) -> Sentence:
    reached = [one for one in trials if one.estimate is not None]
    if reached:
        return say(
            "in {count} of {trials} trials no rates were tried that show it",
            count=len(trials) - len(reached),
            trials=len(trials),
        )
    lows = [one.low for one in trials if one.low is not None and one.high is None]
    if trials and len(lows) == len(trials):
        return say("every rate that was tried meets it, up to {rate:,.0f}/s", rate=min(lows))
    highs = [one.high for one in trials if one.high is not None and one.low is None]
    if trials and len(highs) == len(trials):
        return say("no rate that was tried meets it, from {rate:,.0f}/s on", rate=max(highs))
    return say("no rates were tried that show it")


def between(steps: Iterable[Step], bound_us: float) -> Between:
    """Where the capacity of a trial lies at a bound of the percentile."""
    told = sorted(step for step in steps if step.meets(bound_us) is not None)
    rates = [(per_s, list(own)) for per_s, own in groupby(told, key=lambda step: step.per_s)]
    if not rates:
        return Between(None, None, None)
    met = [sum(step.weight for step in own if step.value_us <= bound_us) for _, own in rates]
    missed = [sum(step.weight for step in own if step.value_us > bound_us) for _, own in rates]
    # costs[k]: what contradicts a capacity between the k-th rate and the next one.
    below_them, all_met = list(accumulate(missed, initial=0.0)), math.fsum(met)
    met_below = list(accumulate(met, initial=0.0))
    costs = [round(below_them[k] + all_met - met_below[k], 6) for k in range(len(rates) + 1)]
    best = [k for k, cost in enumerate(costs) if cost == min(costs)]
    below = rates[best[0] - 1] if best[0] > 0 else None
    above = rates[best[-1]] if best[-1] < len(rates) else None
    if below is None or above is None:
        return Between(below[0] if below else None, above[0] if above else None, None)
    return Between(below[0], above[0], _estimate(below, above, bound_us))


def _estimate(below: tuple[float, list[Step]], above: tuple[float, list[Step]], bound_us: float) -> float:
    """By the percentile at both rates, in logarithms; the middle where one of them is not known."""
    low, high = below[0], above[0]
    under = max((step.value_us for step in below[1] if step.value_us <= bound_us), default=0.0)
    over = min((step.value_us for step in above[1] if step.value_us > bound_us), default=math.inf)
    share = 0.5
    if 0 < under < over < math.inf:
        share = math.log(bound_us / under) / math.log(over / under)
    return float(low * (high / low) ** share)


def _steps(trial: TrialSummary, percentile: Percentile) -> list[Step]:
    """What a trial's rates say of a percentile."""
    if trial.searches:
        return of_search(trial.searches[0], percentile)
    return of_curve(trial.curves[0].rates, percentile) if trial.curves else []


def of_search(search: CapacitySearch, percentile: Percentile) -> list[Step]:
    """What the steps of a search say of a percentile; its other bounds stay."""
    longest_s = max((step.seconds for step in search.steps), default=0.0)
    rest = _besides(percentile, search.goal)
    others = rest.model_dump(exclude_none=True) if rest is not None else {}
    found = []
    for step in search.steps:
        value_us = None if step.result == "void" or step.per_s <= 0 else _value(step, percentile, others)
        if value_us is not None:
            full = step.seconds >= FULL * longest_s
            found.append(Step(step.per_s, value_us, 1.0 if full else SHORT_WEIGHT, step.result == "met"))
    return found


def of_curve(rates: Iterable[CurveRate], percentile: Percentile) -> list[Step]:
    """What the rates of a curve say of a percentile. One that throughput did not follow is more than can be served; so
    is what was served of it, unless that is less than at a rate that was followed: an overload may serve less."""
    counted = [rate for rate in rates if counts(rate) and rate.per_s > 0]
    followed_per_s = max((rate.per_s for rate in counted if rate.followed), default=0.0)
    found = []
    for rate in counted:
        if not rate.followed:
            above = rate.achieved_per_s if rate.achieved_per_s > followed_per_s else rate.per_s
            found.append(Step(above, math.inf))
            continue
        value_us = _value(rate, percentile, {"errors_percent": CURVE_ERRORS_PERCENT})
        if value_us is not None:
            found.append(Step(rate.per_s, value_us, shows_missed=not rate.generator_late))
    return found


def _value(step: CapacityTried | CurveRate, percentile: Percentile, others: Mapping[str, float]) -> float | None:
    """The percentile in microseconds; infinite where another bound is missed, ``None`` where it is not known.

    ``others``: the other bounds, by the names of a goal. Without one on errors, a request that failed never came.
    """
    share_failed = step.failed / step.due if step.due else 0.0
    errors_percent = others.get("errors_percent")
    if errors_percent is None:
        if step.failed > max(1.0, _BEYOND[percentile] * step.due):
            return math.inf
        known = step.failed == 0
    else:
        known = step.failed <= (max(1.0, errors_percent / 100 * step.due) if errors_percent else 0)
        if not known:
            return math.inf
    if _is_behind(step, share_failed):
        return math.inf
    for name, bound_ms in others.items():
        if name != "errors_percent":
            other_us = _read(step, name.removesuffix("_ms"))
            if other_us is None:
                return None
            if other_us > bound_ms * 1000:
                return math.inf
    value_us = _read(step, percentile)
    return float(value_us) if value_us is not None and known else None


_BEYOND: Mapping[str, float] = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p999": 0.001}


def _read(step: CapacityTried | CurveRate, percentile: str) -> int | None:
    value: int | None = getattr(step, f"{percentile}_us")
    return value


def _is_behind(step: CapacityTried | CurveRate, share_failed: float) -> bool:
    """Whether throughput did not follow, beside what failed, and what was under way as the step ended: as many requests
    as arrive within a latency."""
    if isinstance(step, CurveRate) or step.result == "met":
        return False  # asked before
    under_way = (step.p50_us or 0) / 1e6 / step.seconds if step.seconds > 0 else 0.0
    return step.achieved_per_s < (FOLLOWED - under_way - share_failed) * step.per_s
