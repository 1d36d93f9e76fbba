"""An arm's curve: throughput and latency against the rate, or the connections, over its trials, and the knee.

The bands are intervals of the geometric mean of trials, by Student's t, at each rate by itself; no claim rests on
them. The knee is where throughput stops to follow the rate: with requests that are due whether or not earlier ones
were answered, throughput is the rate up to the plateau, and the plateau from there on. With connections that wait for
answers, it is where the line of the fewest crosses the plateau (L. Kleinrock, 1976).
"""

import math
from collections.abc import Callable, Sequence

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.schemas import ArmCurve, CurveFigure, CurvePoint, CurveRate, Scalability, TrialCurve, TrialSummary
from ngxlab.analysis.summary.curve import counts
from ngxlab.analysis.verdict.figures import figure, plain_figure
from ngxlab.analysis.verdict.scalability import scalability_of


def curve_of(trials: Sequence[TrialSummary]) -> ArmCurve | None:
    """``None`` where no trial tried several rates."""
    return of_curves([curve for trial in trials for curve in trial.curves])


def of_curves(curves: Sequence[TrialCurve]) -> ArmCurve | None:
    """Likewise, of the trials' curves."""
    if not curves:
        return None
    by_load: dict[float, list[CurveRate]] = {}
    for curve in curves:
        for rate in curve.rates:
            by_load.setdefault(rate.connections or rate.per_s, []).append(rate)
    plateaus = [found for curve in curves if (found := curve.knee_connections or curve.plateau_per_s)]
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
    law = scalability_of(curves)
    return ArmCurve(
        points=[point_of(by_load[load]) for load in sorted(by_load)],
        knee=knee,
        without_knee=without,
        scalability=law if isinstance(law, Scalability) else None,
        without_scalability=law if isinstance(law, Sentence) else None,
    )


def point_of(rates: Sequence[CurveRate]) -> CurvePoint:
    """One rate of a curve, or one number of connections, by the trials that tried it."""
    counted = [rate for rate in rates if counts(rate)]
    in_time = [rate for rate in counted if not rate.generator_late]
    followed = sum(rate.followed for rate in counted)

    measured = in_time or counted

    def latency(read: Callable[[CurveRate], int | None]) -> CurveFigure | None:
        values = [value for rate in measured if (value := read(rate))]
        return figure(values) if followed == len(counted) and values and len(values) == len(measured) else None

    return CurvePoint(
        per_s=math.fsum(rate.per_s for rate in rates) / len(rates),
        connections=rates[0].connections,
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
    mean = plain_figure(shares)
    if mean.low is None or mean.high is None:
        return mean
    return CurveFigure(mean=mean.mean, low=max(0.0, mean.low), high=min(100.0, mean.high))
