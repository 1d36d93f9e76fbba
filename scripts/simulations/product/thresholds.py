"""`requests_per_s ratio > 0.98` as a gate where nothing differs, and where the arm serves 2 % less: just the limit."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from ngxlab.analysis.gates import evaluate, overall
from ngxlab.analysis.schemas import ArmAnalysis, CheckSummary, RunAnalysis
from ngxlab.analysis.thresholds import parse

from scripts.simulations.product.trials import blocks_of, trial

HEAD = "`requests_per_s ratio > 0.98`, true ratio | noise | blocks | arms | fails | passes | undecided"
_THRESHOLD = parse("requests_per_s ratio > 0.98")


class Gate(NamedTuple):
    """``true``: ratio of the last arm to the baseline, as which the other arms are."""

    true: float
    noise: float
    blocks: int
    arms: int

    def shares(self, count: int, random: np.random.Generator) -> list[float]:
        keys = [f"a{number}" for number in range(self.arms)]
        analysis = _analysis(keys)
        values = np.full((self.arms, self.blocks), 1000.0)
        values[-1] *= self.true
        outcomes = []
        for _ in range(count):
            measured = blocks_of(values, self.noise, random)
            trials = [trial(key, n + 1, measured[row, n]) for row, key in enumerate(keys) for n in range(self.blocks)]
            outcomes.append(overall(evaluate([_THRESHOLD], analysis, trials)))
        return [outcomes.count(outcome) / count for outcome in ("fail", "pass", "undecided")]


def rows() -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for true in (1.0, 0.98):
        for noise in (0.02, 0.1):
            for blocks, arms in ((3, 2), (5, 2), (5, 5), (10, 2)):
                yield f"{true:g} | {100 * noise:g} % | {blocks} | {arms}", Gate(true, noise, blocks, arms).shares


def _analysis(arms: list[str]) -> RunAnalysis:
    """Of a run without complaints, with nothing but what a gate reads."""
    checks = CheckSummary(passed=0, made=0, warnings=0, errors=0, unavailable=0, text="", results=[])
    of_arms: list[dict[str, Any]] = [{"key": key} for key in arms]
    fields: dict[str, Any] = {
        "arms": [ArmAnalysis.model_construct(**one) for one in of_arms], "baseline": arms[0], "checks": checks
    }  # fmt: skip
    return RunAnalysis.model_construct(**fields)
