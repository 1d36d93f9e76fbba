"""The division of the error of 5 % among the primary metrics (docs/method.md, Families)."""

import math
from collections.abc import Callable, Sequence

from ngxlab_verdict.words import Claim

ERROR = 0.05
FIRST_SHARE = 0.8
"""The part of the error that the most important metric has of its own; the later ones share the rest."""


def own_shares(metrics: int, *, ordered: bool, error: float = ERROR) -> list[float]:
    """The error that each metric has of its own, whatever is found in the others."""
    if not ordered or metrics < 2:
        return [error / max(metrics, 1)] * metrics
    return [error * FIRST_SHARE] + [error * (1 - FIRST_SHARE) / (metrics - 1)] * (metrics - 1)


def judge_family(shares: Sequence[float], judged: Callable[[int, float], Sequence[Claim]]) -> list[Sequence[Claim]]:
    """The claims of each metric at the error that it has in the end.

    Holm's method with weights: a metric that is decided in every arm needs its error no longer and passes it to the
    metrics that are still open, in proportion to their own shares. So each metric can help each other one, whatever
    their order. ``judged(metric, error)``: the claims of a metric, of which all arms together may use ``error``.

    Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6,
    1979; as a graph of hypotheses: F. Bretz, W. Maurer, W. Brannath, M. Posch, A graphical approach to sequentially
    rejective multiple test procedures, Statistics in Medicine 28, 2009.
    """
    claims: dict[int, Sequence[Claim]] = {}
    open_metrics = list(range(len(shares)))
    while open_metrics:
        free = math.fsum(shares) / math.fsum(shares[metric] for metric in open_metrics)
        claims |= {metric: judged(metric, shares[metric] * free) for metric in open_metrics}
        undecided = [metric for metric in open_metrics if any(one.verdict == "undecided" for one in claims[metric])]
        if len(undecided) == len(open_metrics):
            break
        open_metrics = undecided
    return [claims[metric] for metric in range(len(shares))]
