"""The quantities in which arms are compared, as data: a file for each group.

Another group is another file with a tuple of :class:`Metric`, listed here. What it compares is either a field of
:class:`TrialSummary`, or one of its ``figures``, which a module of :mod:`ngxlab.analysis.measures` fills.
"""

from collections.abc import Iterable, Sequence

from ngxlab.analysis.comparison_metrics.balance import BALANCE
from ngxlab.analysis.comparison_metrics.churn import CHURN
from ngxlab.analysis.comparison_metrics.disk import DISK
from ngxlab.analysis.comparison_metrics.host import HOST
from ngxlab.analysis.comparison_metrics.idle import IDLE
from ngxlab.analysis.comparison_metrics.latency import LATENCY
from ngxlab.analysis.comparison_metrics.load import LOAD
from ngxlab.analysis.comparison_metrics.metric import Metric, figure
from ngxlab.analysis.comparison_metrics.nginx import NGINX
from ngxlab.analysis.schemas import TrialSummary

__all__ = ["METRICS", "Metric", "figure", "metrics_of"]

METRICS: tuple[Metric, ...] = (*LOAD, *LATENCY, *CHURN, *NGINX, *BALANCE, *DISK, *HOST, *IDLE)


def metrics_of(trials: Iterable[TrialSummary]) -> list[Metric]:
    """Those that at least one of the trials has, and those whose absence must be said. What is neither good nor bad
    and zero in all trials has nothing to tell either."""
    seen = list(trials)
    return [metric for metric in METRICS if metric.expected or _is_told(metric, seen)]


def _is_told(metric: Metric, trials: Sequence[TrialSummary]) -> bool:
    values = [value for trial in trials if (value := metric.value(trial)) is not None]
    return any(values) if metric.info.direction == "neutral" else bool(values)
