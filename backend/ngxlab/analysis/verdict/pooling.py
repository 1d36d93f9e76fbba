"""An arm's trials together: one latency distribution for drawing, and balance by rank of worker."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from ngxlab.analysis.schemas import ArmBalance, TrialSummary, WorkerShare
from ngxlab.analysis.statistics.histograms import Histogram, merge


def pooled_latency(trials: Sequence[TrialSummary]) -> Histogram | None:
    """For drawing only: verdicts use the values of each trial."""
    return merge(trial.latency_histogram for trial in trials)


def arm_balance(trials: Sequence[TrialSummary]) -> ArmBalance | None:
    balances = [trial.balance for trial in trials if trial.balance is not None]
    if not balances:
        return None
    return ArmBalance(
        cpu_cv=_mean([balance.cpu_cv for balance in balances]),
        cpu_max_over_mean=_mean([balance.cpu_max_over_mean for balance in balances]),
        connections_cv=_mean([balance.connections_cv for balance in balances]),
        connections_max_over_mean=_mean([balance.connections_max_over_mean for balance in balances]),
        workers=_shares_by_rank(trials),
    )


def _shares_by_rank(trials: Sequence[TrialSummary]) -> list[WorkerShare]:
    ranked = [_ranked(trial) for trial in trials if trial.workers]
    nothing: tuple[None, None] = (None, None)
    return [
        WorkerShare(
            rank=rank,
            cpu_share_percent=_mean([share[0] for share in shares]),
            connections_share_percent=_mean([share[1] for share in shares]),
        )
        for rank, shares in enumerate(zip_longest(*ranked, fillvalue=nothing), start=1)
    ]


def _ranked(trial: TrialSummary) -> list[tuple[float | None, float | None]]:
    """(CPU share, connections share) of each worker, the busiest first."""
    connections = [worker.connections for worker in trial.workers]
    measured = [value for value in connections if value is not None]
    whole = sum(measured) if len(measured) == len(connections) else 0.0
    shares = [
        (
            worker.cpu_share_percent,
            100 * worker.connections / whole if worker.connections is not None and whole > 0 else None,
        )
        for worker in trial.workers
    ]
    return sorted(shares, key=lambda share: -(share[0] or 0.0))


def _mean(values: Sequence[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return float(np.mean(measured)) if measured else None
