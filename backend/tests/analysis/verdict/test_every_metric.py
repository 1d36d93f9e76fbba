"""Every metric with data at the bounds of what can be measured: no interval is impossible or without width."""

import math
from collections.abc import Callable, Sequence

import pytest
from analysis.run_results import TEMPLATE, summary
from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.verdict.claims import run_claims
from ngxlab_verdict import Claim

BLOCKS = 7
Values = Sequence[float]
PERCENTAGES = [metric for metric in METRICS if metric.info.unit == "%" and metric.info.scale == "difference"]


def highest(metric: Metric) -> float:
    """Possible in a trial of four workers."""
    bound = metric.ceiling(TEMPLATE) if metric.ceiling is not None else None
    return 1e6 if bound is None else bound


def shapes(top: float) -> dict[str, tuple[Values, Values]]:
    """The values of baseline and arm, block by block."""
    near = [top * (1 - 1e-6 * block) for block in range(BLOCKS)]
    wide = [top if block % 2 else 0.0 for block in range(BLOCKS)]
    return {
        "all zero": ([0.0] * BLOCKS, [0.0] * BLOCKS),
        "all at the top": ([top] * BLOCKS, [top] * BLOCKS),
        "from zero to the top": ([0.0] * BLOCKS, [top] * BLOCKS),
        "from the top to zero": ([top] * BLOCKS, [0.0] * BLOCKS),
        "from near the top to near zero": (near, [top - value for value in near]),
        "as wide as can be": (wide, wide[1:] + wide[:1]),
        "one value apart": ([top / 2] * BLOCKS, [*[top / 2] * (BLOCKS - 1), top]),
        "rounding alone": ([top / 3] * BLOCKS, [top / 3 * (1 + 1e-15)] * BLOCKS),
    }


@pytest.mark.parametrize("shape", list(shapes(1)))
@pytest.mark.parametrize("blocks", [1, 2, 3, 5, BLOCKS])
@pytest.mark.parametrize("primary", [True, False])
def test_no_interval_is_impossible_or_without_width(shape: str, blocks: int, *, primary: bool) -> None:
    for metric in METRICS:
        baseline, arm = shapes(highest(metric))[shape]
        claim = judged(metric, baseline[:blocks], arm[:blocks], primary=primary)
        told = (metric.name, shape, claim)
        assert (claim.low is None) == (claim.high is None), told
        if claim.low is None or claim.high is None:
            assert claim.verdict == "undecided", told
            assert claim.reason, told
        else:
            assert math.isfinite(claim.low), told
            assert math.isfinite(claim.high), told
            assert claim.low < claim.high, told
            assert possible(metric, claim.low, claim.high), told


def test_every_percentage_has_a_highest_value() -> None:
    """But for the disk's share of served bytes: bytes read ahead and dropped make it more than 100 %."""
    assert {metric.name for metric in PERCENTAGES if metric.ceiling is None} == {"bytes_from_disk_percent"}


def possible(metric: Metric, low: float, high: float) -> bool:
    if metric.info.scale == "ratio":
        return low > 0
    bound = highest(metric) if metric.ceiling is not None else math.inf
    return low >= -bound and high <= bound


def judged(metric: Metric, baseline: Values, arm: Values, *, primary: bool) -> Claim:
    usable = {
        key: {block: trial(metric, key, block, value) for block, value in enumerate(values, start=1)}
        for key, values in (("on", baseline), ("rp", arm))
    }
    return run_claims([metric], usable, "on", [metric.name] if primary else [])["rp", metric.name]


WRITERS: dict[str, Callable[[float], dict[str, object]]] = {
    "requests_per_s": lambda value: {"requests_per_s": value},
    "cpu_s_per_1000_requests": lambda value: {"nginx_cpu_s_per_1000_requests": value},
    "worker_cpu_cv": lambda value: {"balance": _balance(cpu_cv=value)},
    "worker_connections_cv": lambda value: {"balance": _balance(connections_cv=value)},
    "latency_p50_us": lambda value: {"latency": _latency(p50_us=value)},
    "latency_p99_us": lambda value: {"latency": _latency(p99_us=value)},
    "latency_mean_us": lambda value: {"latency": _latency(mean_us=value)},
    "latency_stdev_us": lambda value: {"latency": _latency(stdev_us=value)},
}


def trial(metric: Metric, arm: str, block: int, value: float) -> TrialSummary:
    written: dict[str, object] = {"metric_values": {metric.name: value, "churn_recovered": 1.0}}
    if metric.name in WRITERS:
        written = WRITERS[metric.name](value)
    made = summary(arm, block, 100.0).model_copy(update=written)
    assert metric.value(made) == value, metric.name
    return made


def _latency(**changes: float) -> object:
    assert TEMPLATE.latency is not None
    return TEMPLATE.latency.model_copy(update=changes)


def _balance(**changes: float) -> object:
    assert TEMPLATE.balance is not None
    return TEMPLATE.balance.model_copy(update=changes)
