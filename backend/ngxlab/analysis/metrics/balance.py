"""Evenness: whether nginx's workers do equal parts of the work and hold equal numbers of connections."""

import math
from collections.abc import Callable

from ngxlab.analysis.metrics.metric import Metric
from ngxlab.analysis.schemas import Balance, MetricInfo, TrialSummary


def _balance(key: str, title: str, phrase: str, read: Callable[[Balance], float | None]) -> Metric:
    info = MetricInfo(key=key, title=title, unit="CV", direction="less_is_better", scale="difference", group="balance")
    return Metric(
        info,
        phrase,
        lambda summary: read(summary.balance) if summary.balance is not None else None,
        ceiling=_one_worker_has_all,
    )


def _one_worker_has_all(summary: TrialSummary) -> float | None:
    return math.sqrt(summary.balance.workers - 1) if summary.balance is not None else None


BALANCE: tuple[Metric, ...] = (
    _balance("worker_cpu_cv", "Imbalance of worker CPU (CV)", "CV of worker CPU", lambda balance: balance.cpu_cv),
    _balance(
        "worker_connections_cv",
        "Imbalance of worker connections (CV)",
        "CV of worker connections",
        lambda balance: balance.connections_cv,
    ),
)
