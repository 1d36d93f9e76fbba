"""The metrics in which arms are compared, as data: one module for each group.

To add a group, write a module with a tuple of :class:`Metric` and list it here. A metric reads either a field of
:class:`TrialSummary`, or one of its ``metric_values``, which a module of :mod:`ngxlab.analysis.summary` computes.
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
from ngxlab.analysis.metrics.rejected import REJECTED
from ngxlab.analysis.metrics.throughput import THROUGHPUT
from ngxlab.analysis.schemas import TrialSummary

__all__ = ["METRICS", "Metric", "keyed_metric", "metrics_of"]

METRICS: tuple[Metric, ...] = (*THROUGHPUT, *LATENCY, *REJECTED, *CHURN, *NGINX, *BALANCE, *DISK, *HOST, *IDLE)


def metrics_of(trials: Iterable[TrialSummary]) -> list[Metric]:
    """The metrics that at least one trial has, and those that are always shown.

    A neutral metric that is zero in all trials is left out too.
    """
    summaries = list(trials)
    return [metric for metric in METRICS if metric.expected or _is_shown(metric, summaries)]


def _is_shown(metric: Metric, trials: Sequence[TrialSummary]) -> bool:
    values = [value for trial in trials if (value := metric.value(trial)) is not None]
    return any(values) if metric.info.direction == "neutral" else bool(values)
