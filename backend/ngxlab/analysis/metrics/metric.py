"""What a metric is: a named number of a trial in which arms are compared."""

from collections.abc import Callable
from typing import NamedTuple

from ngxlab.analysis.schemas import Direction, MetricGroup, MetricInfo, Scale, TrialSummary
from ngxlab.analysis.statistics.paired import CV_MARGIN

Reader = Callable[[TrialSummary], float | None]
"""``None`` if the trial did not measure it."""


class Metric(NamedTuple):
    """``phrase`` is its name in a sentence. ``margin``, in the metric's unit, is used where differences are compared.

    ``expected``: the metric is shown even if no trial of the run has it. ``stream``: it is of this stream alone.
    ``responses``, ``needs``: of a percentile that is hidden below so many responses, how many a trial had.
    ``ended_if``: of a duration, the key of ``metric_values`` that is 0 where the window ended first. ``ceiling``: the
    greatest value possible in a trial, of a metric that is never below 0.
    """

    info: MetricInfo
    phrase: str
    value: Reader
    margin: float = CV_MARGIN
    expected: bool = False
    stream: str | None = None
    ended_if: str | None = None
    ceiling: Reader | None = None
    responses: Reader | None = None
    needs: int = 0

    @property
    def name(self) -> str:
        """Its key; of a single stream, ``STREAM.KEY``. A plan names its primary metrics so."""
        return self.info.key if self.stream is None else f"{self.stream}.{self.info.key}"


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
    """A metric that reads :attr:`TrialSummary.metric_values` at ``key``.

    Values that may be zero have no ratio: compare them by ``difference``, with a ``margin`` in ``unit``.
    """
    info = MetricInfo(key=key, title=title, unit=unit, direction=direction, scale=scale, group=group)
    return Metric(info, phrase, lambda summary: summary.metric_values.get(key), margin)
