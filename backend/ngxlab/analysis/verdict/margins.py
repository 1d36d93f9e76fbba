"""From which size on a difference matters, metric by metric (docs/method.md, Decision)."""

from collections.abc import Mapping
from typing import NamedTuple

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.statistics.paired import MIN_MARGIN, noise_margin

NO_NOISE: Mapping[str, float] = {}


class Margins(NamedTuple):
    """``default``: of ratios. ``noise``: half widths of comparisons of identical arms, by the metric's name."""

    default: float = MIN_MARGIN
    noise: Mapping[str, float] = NO_NOISE

    def of(self, metric: Metric) -> float:
        """The wider of the metric's own margin and what identical arms show. 0.02 is 2 % of a ratio."""
        own = self.default if metric.info.scale == "ratio" else metric.margin
        return noise_margin(self.noise.get(metric.name), own)


DEFAULT = Margins()
