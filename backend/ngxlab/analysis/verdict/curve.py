"""An arm's curve: throughput and latency against the rate, over its trials, and the knee.

The bands are intervals of the geometric mean of trials, by Student's t, at each rate by itself; no claim rests on
them. The knee is where throughput stops to follow the rate: with requests that are due whether or not earlier ones were
answered, throughput is the rate up to the plateau, and the plateau from there on.
"""

import math
from collections.abc import Callable, Sequence

from ngxlab_contracts.sentences import say
from ngxlab_verdict.quantiles import t_quantile

from ngxlab.analysis.schemas import ArmCurve, CurveFigure, CurvePoint, CurveRate, TrialSummary
from ngxlab.analysis.summary.curve import counts

ERROR = 0.05


def curve_of(trials: Sequence[TrialSummary]) -> ArmCurve | None:
    """``None`` where no trial tried several rates."""
    curves = [curve for trial in trials for curve in trial.curves]
    if not curves:
        return None
    by_rate: dict[float, list[CurveRate]] = {}
    for curve in curves:
        for rate in curve.rates:
            by_rate.setdefault(rate.per_s, []).append(rate)
    plateaus = [curve.plateau_per_s for curve in curves if curve.plateau_per_s]
    reasons = [curve.without_plateau for curve in curves if curve.without_plateau is not None]
    knee = figure(plateaus) if plateaus and not reasons else None
    without = None if knee is not None else reasons[0]
    if plateaus and reasons:
        without = say(
            "{count} of {trials} trials have no plateau: {reason}",
            count=len(reasons),
            trials=len(curves),
            reason=reasons[0],
        )
    return ArmCurve(
        points=[point_of(per_s, by_rate[per_s]) for per_s in sorted(by_rate)], knee=knee, without_knee=without
    )


def point_of(per_s: float, rates: Sequence[CurveRate]) -> CurvePoint:
    """One rate of a curve, by the trials that tried it."""
    counted = [rate for rate in rates if counts(rate)]
    in_time = [rate for rate in counted if not rate.generator_late]
    followed = sum(rate.followed for rate in counted)

    measured = in_time or counted

    def latency(read: Callable[[CurveRate], int | None]) -> CurveFigure | None:
        values = [value for rate in measured if (value := read(rate))]
        return figure(values) if followed == len(counted) and values and len(values) == len(measured) else None

    return CurvePoint(
        per_s=per_s,
        trials=len(counted),
        followed=followed,
        late=sum(rate.generator_late for rate in rates),
        throughput=_throughput(counted),
        errors_percent=_errors(counted),
        p50_us=latency(lambda rate: rate.p50_us),
        p90_us=latency(lambda rate: rate.p90_us),
        p99_us=latency(lambda rate: rate.p99_us),
        p999_us=latency(lambda rate: rate.p999_us),
    )


def _throughput(counted: Sequence[CurveRate]) -> CurveFigure | None:
    values = [rate.achieved_per_s for rate in counted]
    return figure(values) if values and all(values) else None


def _errors(counted: Sequence[CurveRate]) -> CurveFigure | None:
    """The plain mean, since shares may be zero."""
    shares = [100 * rate.failed / rate.due for rate in counted if rate.due]
    if not shares:
        return None
    mean, half = _mean(shares)
    if half is None:
        return CurveFigure(mean=mean, low=None, high=None)
    return CurveFigure(mean=mean, low=max(0.0, mean - half), high=min(100.0, mean + half))


def figure(values: Sequence[float]) -> CurveFigure:
    """The geometric mean of ``values``, of which there is one at least and all are positive, with its interval."""
    mean, half = _mean([math.log(value) for value in values])
    if half is None:
        return CurveFigure(mean=math.exp(mean), low=None, high=None)
    return CurveFigure(mean=math.exp(mean), low=math.exp(mean - half), high=math.exp(mean + half))


def _mean(values: Sequence[float]) -> tuple[float, float | None]:
    """With half the width of its interval, by Student's t; ``None`` for a single value."""
    count = len(values)
    mean = math.fsum(values) / count
    if count == 1:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, t_quantile(ERROR, count - 1) * math.sqrt(variance / count)
