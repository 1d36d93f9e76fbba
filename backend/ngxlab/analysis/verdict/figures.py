"""Means over trials with their 95 % intervals, by Student's t; a single trial has none."""

import math
from collections.abc import Sequence

from ngxlab_verdict.quantiles import t_quantile

from ngxlab.analysis.schemas import CurveFigure

ERROR = 0.05


def figure(values: Sequence[float]) -> CurveFigure:
    """The geometric mean of ``values``, of which there is one at least and all are positive."""
    found = plain_figure([math.log(value) for value in values])
    if found.low is None or found.high is None:
        return CurveFigure(mean=math.exp(found.mean), low=None, high=None)
    return CurveFigure(mean=math.exp(found.mean), low=math.exp(found.low), high=math.exp(found.high))


def plain_figure(values: Sequence[float]) -> CurveFigure:
    """The mean of ``values``, of which there is one at least."""
    count = len(values)
    mean = math.fsum(values) / count
    if count == 1:
        return CurveFigure(mean=mean, low=None, high=None)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = t_quantile(ERROR, count - 1) * math.sqrt(variance / count)
    return CurveFigure(mean=mean, low=mean - half, high=mean + half)
