"""Recoveries from a churn, in whole seconds, some of which the end of the window cuts off."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.verdict.claims import run_claims
from numpy.typing import NDArray

from scripts.simulations.product.trials import trial

HEAD = (
    "recovery within a window of 10 s: baseline, arm | blocks | the arm failed to recover in a trial "
    "| such an arm is better | better or worse where no trial failed"
)
_WINDOW_S = 10.0
_RECOVERY = next(metric for metric in METRICS if metric.info.key == "churn_recovery_s")


class Recovers(NamedTuple):
    """``median_s``: of a log-normal time. ``never``: the share of trials in which there is no recovery at all."""

    median_s: float
    never: float = 0.0

    def times(self, blocks: int, random: np.random.Generator) -> NDArray[np.float64]:
        """Whole seconds; infinite where there is no recovery within the window."""
        seconds = np.maximum(np.ceil(self.median_s * np.exp(0.4 * random.standard_normal(blocks))), 1)
        return np.where((seconds > _WINDOW_S) | (random.random(blocks) < self.never), np.inf, seconds)


_PAIRS = {
    "6 s, 6 s": (Recovers(6), Recovers(6)),
    "6 s, 9 s": (Recovers(6), Recovers(9)),
    "6 s, 2 s or in 30 % of trials never": (Recovers(6), Recovers(2, never=0.3)),
}


def rows() -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for title, (baseline, arm) in _PAIRS.items():
        for blocks in (5, 10):
            yield f"{title} | {blocks}", partial(shares, baseline, arm, blocks)


def shares(baseline: Recovers, arm: Recovers, blocks: int, count: int, random: np.random.Generator) -> list[float]:
    failed = better = decided = 0
    for _ in range(count):
        times = {"baseline": baseline.times(blocks, random), "arm": arm.times(blocks, random)}
        verdict = _verdict(times)
        unended = bool(np.isinf(times["arm"]).any())
        failed += unended
        better += unended and verdict == "better"
        decided += verdict in {"better", "worse"} and not any(np.isinf(of_arm).any() for of_arm in times.values())
    return [failed / count, better / count, decided / count]


def _verdict(times: dict[str, NDArray[np.float64]]) -> str:
    usable = {
        arm: {block: trial(arm, block, values=_values(seconds)) for block, seconds in enumerate(of_arm, start=1)}
        for arm, of_arm in times.items()
    }
    return run_claims([_RECOVERY], usable, "baseline", [_RECOVERY.name])["arm", _RECOVERY.name].verdict


def _values(seconds: float) -> dict[str, float]:
    ended = bool(np.isfinite(seconds))
    return {"churn_recovered": float(ended)} | ({_RECOVERY.name: float(seconds)} if ended else {})
