"""What a quantity is in which arms are compared."""

from collections.abc import Callable
from typing import NamedTuple

from ngxlab.analysis.schemas import Direction, MetricGroup, MetricInfo, Scale, TrialSummary
from ngxlab.analysis.statistics.paired import CV_MARGIN

Reader = Callable[[TrialSummary], float | None]
"""``None`` where the trial does not tell."""


class Metric(NamedTuple):
    """``phrase`` names it within a sentence. ``margin``: differences within it count as none, where differences are
    compared. ``expected``: its absence is said; any other is left out of a run in which no trial has it.
    """

    info: MetricInfo
    phrase: str
    value: Reader
    margin: float = CV_MARGIN
    expected: bool = False


def keyed_metric(
    key: str,
    title: str,
    unit: str,
    phrase: str,
    *,
    group: MetricGroup,
    direction: Direction = "neutral",
    scale: Scale = "ratio",
    margin: float = CV_MARGIN,
) -> Metric:
    """One of :attr:`TrialSummary.figures`. Compare by ``difference`` (with a ``margin`` in ``unit``) what may well be
    zero: there is no ratio to nothing."""
    info = MetricInfo(key=key, title=title, unit=unit, direction=direction, scale=scale, group=group)
    return Metric(info, phrase, lambda summary: summary.figures.get(key), margin)
