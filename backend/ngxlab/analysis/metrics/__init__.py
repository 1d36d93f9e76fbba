"""The quantities in which arms are compared, as data: a file for each group.

Another group is another file with a tuple of :class:`Metric`, listed here. What it compares is either a field of
:class:`TrialSummary`, or one of its ``figures``, which a module of :mod:`ngxlab.analysis.summary` fills.
"""

from collections.abc import Iterable, Sequence

from ngxlab.analysis.metrics.balance import BALANCE
from ngxlab.analysis.metrics.churn import CHURN
from ngxlab.analysis.metrics.disk import DISK
from ngxlab.analysis.metrics.host import HOST
from ngxlab.analysis.metrics.idle_connections import IDLE
from ngxlab.analysis.metrics.latency import LATENCY
from ngxlab.analysis.metrics.metric import Metric, keyed_metric
from ngxlab.analysis.metrics.nginx import NGINX
from ngxlab.analysis.metrics.throughput import THROUGHPUT
from ngxlab.analysis.schemas import TrialSummary

__all__ = ["METRICS", "Metric", "keyed_metric", "metrics_of"]

METRICS: tuple[Metric, ...] = (*THROUGHPUT, *LATENCY, *CHURN, *NGINX, *BALANCE, *DISK, *HOST, *IDLE)


def metrics_of(trials: Iterable[TrialSummary]) -> list[Metric]:
    """Those that at least one of the trials has, and those whose absence must be said. What is neither good nor bad
    and zero in all trials has nothing to tell either."""
    seen = list(trials)
    return [metric for metric in METRICS if metric.expected or _is_told(metric, seen)]


def _is_told(metric: Metric, trials: Sequence[TrialSummary]) -> bool:
    values = [value for trial in trials if (value := metric.value(trial)) is not None]
    return any(values) if metric.info.direction == "neutral" else bool(values)
