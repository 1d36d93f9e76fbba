"""From which size on a difference matters, metric by metric (docs/method.md, Decision)."""

from typing import NamedTuple

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.statistics.paired import MIN_MARGIN


class Margins(NamedTuple):
    """``default``: of ratios, as the experimenter has it. It does not depend on what was measured."""

    default: float = MIN_MARGIN

    def of(self, metric: Metric) -> float:
        """0.02 is 2 % of a ratio; a difference has the margin of its metric, in its unit."""
        return self.default if metric.info.scale == "ratio" else metric.margin


DEFAULT = Margins()
