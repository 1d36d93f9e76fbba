"""Whether the open-loop engine keeps its schedule, how late it is itself, and how many requests one core sends."""

import asyncio
from statistics import median

import numpy as np
from ngxlab_worker.engines.histogram import Counts

from scripts.bench.engine_alone import Driven, bed
from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement
from scripts.bench.stillness import product_stopped

PER_S = 10_000
RUNS, SECONDS = 3, 10
QUICK_RUNS, QUICK_SECONDS = 1, 3
SETTING = (
    'One process of the engine on one core, nginx with one worker and `return 200 "OK\\n"` on another, 64 keep-alive '
    "connections on loopback; the product itself is stopped meanwhile. "
)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Medians of runs at a rate and in closed loop, alternating with wrk."""
    return await asyncio.to_thread(_measure, lab, QUICK_RUNS if quick else RUNS, QUICK_SECONDS if quick else SECONDS)


def _measure(lab: Lab, runs: int, seconds: int) -> list[Measurement]:
    paced: list[Driven] = []
    closed: list[Driven] = []
    wrk_per_s: list[float] = []
    with product_stopped(lab), bed() as alone:
        for _ in range(runs):
            paced.append(alone.drive(PER_S, seconds))
            closed.append(alone.drive(None, seconds))
            wrk_per_s.append(alone.wrk(seconds).requests_per_s)
    return [_deviation(paced), _lateness(paced), _closed_loop(closed, wrk_per_s)]


def _deviation(runs: list[Driven]) -> Measurement:
    deviations = [100 * abs(run.totals.sent / (PER_S * run.seconds) - 1) for run in runs]
    return Measurement(
        name="open-loop-plan",
        what=f"difference of the requests sent from a plan of {PER_S:,} requests/s",
        value=median(deviations),
        unit="%",
        budget=Budget("at most", 0.1),
        definition=SETTING + "Requests sent, divided by the rate times the time from start to stop.",
        detail={
            "deviations_percent": deviations,
            "totals": [run.totals.model_dump() for run in runs],
            "engine_cpu_percent": [100 * run.cpu_s / run.seconds for run in runs],
        },
    )


def _lateness(runs: list[Driven]) -> Measurement:
    lateness = [_quantile_us(run.schedule, 0.99) / 1000 for run in runs]
    return Measurement(
        name="open-loop-lateness",
        what=f"the engine's own lateness at {PER_S:,} requests/s, p99",
        value=median(lateness),
        unit="ms",
        budget=Budget("at most", 0.5),
        definition=SETTING + "From the later of the intended instant and that at which a connection was free to the "
        "first write of the request.",
        detail={
            "p50_us": [_quantile_us(run.schedule, 0.5) for run in runs],
            "p99_us": [_quantile_us(run.schedule, 0.99) for run in runs],
            "p999_us": [_quantile_us(run.schedule, 0.999) for run in runs],
            "latency_p99_us": [_quantile_us(run.latency, 0.99) for run in runs],
        },
    )


def _closed_loop(runs: list[Driven], wrk_per_s: list[float]) -> Measurement:
    per_s = [run.totals.completed / run.seconds for run in runs]
    return Measurement(
        name="open-loop-capacity",
        what="requests/s of one core of the engine, driven in closed loop",
        value=median(per_s),
        unit="requests/s",
        budget=Budget("at least", 80_000),
        definition=SETTING + "Every connection sends its next request as soon as it has the response. For comparison, "
        "wrk with one thread in place of the engine, alternating.",
        detail={
            "requests_per_s": per_s,
            "requests_per_engine_cpu_s": [run.totals.completed / run.cpu_s for run in runs],
            "wrk_requests_per_s": wrk_per_s,
            "ratio_to_wrk": [own / other for own, other in zip(per_s, wrk_per_s, strict=True)],
        },
    )


def _quantile_us(counts: Counts, share: float) -> int:
    reached = np.searchsorted(np.cumsum(counts.count), share * counts.total)
    return int(counts.latency_us[reached])
