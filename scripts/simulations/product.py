"""What the reports add to the procedure: recoveries, factors, slopes, thresholds, positions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from ngxlab.analysis.factorial import Factorial, factor_effects
from ngxlab.analysis.gates import evaluate, overall
from ngxlab.analysis.metrics import METRICS, keyed_metric
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    ArmInfo,
    CheckSummary,
    FactorEffect,
    FactorInteraction,
    RunAnalysis,
    TrialSummary,
)
from ngxlab.analysis.thresholds import parse
from ngxlab.analysis.verdict.claims import run_claims
from ngxlab.templates.block_slopes import regression
from ngxlab.templates.chart_data import Point
from numpy.typing import NDArray

from scripts.simulations.scenario import Scenario, simulate
from scripts.simulations.tables import Study, drawn

HEADS = {
    "recovery": "recovery within a window of 10 s: baseline, arm | blocks | the arm failed to recover in a trial "
    "| such an arm is better | better or worse where no trial failed",
    "factors": "factors, two primary metrics | noise | blocks | a factor's level gives +10 % | a false claim "
    "| all intervals of the first metric cover | the +10 % found",
    "factors-unequal": "factors, two primary metrics, nothing differs, 5 % noise | cells' scatter | blocks "
    "| a false claim | all intervals of the first metric cover",
    "acting-together": "2 x 2 x 2, 2 % noise: three factors act together by | blocks | effects are shown",
    "slopes": "slope over 1,000 to 100,000: spread | blocks | the interval covers | a straight line is called bent",
    "thresholds": "`requests_per_s ratio > 0.98`, true ratio | noise | blocks | arms | fails | passes | undecided",
    "positions": "5 % within a block, in an incomplete square | noise | arms | blocks | a false claim "
    "| first metric covered | +5 % of one arm found",
}
Floats = NDArray[np.float64]
Shares = Callable[[int, np.random.Generator], list[float]]


def rows() -> Iterator[Study]:
    for table, studies in {
        "recovery": _recovery_rows(),
        "factors": _factor_rows(),
        "factors-unequal": _unequal_factor_rows(),
        "acting-together": _together_rows(),
        "slopes": _slope_rows(),
        "thresholds": _threshold_rows(),
        "positions": _position_rows(),
    }.items():
        for title, shares in studies:
            yield Study(table, title, partial(drawn, shares))


def _recovery_rows() -> Iterator[tuple[str, Shares]]:
    for title, (baseline, arm) in _PAIRS.items():
        for blocks in (5, 10):
            yield f"{title} | {blocks}", partial(_recoveries, baseline, arm, blocks)


def _factor_rows() -> Iterator[tuple[str, Shares]]:
    for levels in ((2, 2), (2, 3), (2, 2, 2)):
        for noise, blocks, effect in ((0.02, 3, 1.0), (0.1, 5, 1.0), (0.05, 5, 1.1)):
            title = f"{' x '.join(map(str, levels))} | {100 * noise:g} % | {blocks} | {'yes' if effect > 1 else 'no'}"
            yield title, Design(levels, noise, blocks, effect).shares


def _unequal_factor_rows() -> Iterator[tuple[str, Shares]]:
    for levels in ((2, 2), (2, 3), (3, 3), (2, 2, 2)):
        of_kind = Design(levels, 0.05, 3)
        for words, design in (
            ("one three times", of_kind._replace(noisy=3.0)),
            ("the baseline's three times", of_kind._replace(noisy_baseline=3.0)),
            ("each times log-normal(0.5)", of_kind._replace(unequal=0.5)),
        ):
            for blocks in (3, 5, 8):
                title = f"{' x '.join(map(str, levels))} | {words} | {blocks}"
                yield title, design._replace(blocks=blocks).scattered


def _together_rows() -> Iterator[tuple[str, Shares]]:
    for together in (1.0, 1.05, 1.1):
        for blocks in (3, 5):
            title = f"{100 * (together - 1):.0f} % | {blocks}"
            yield title, Design((2, 2, 2), 0.02, blocks, together=together).shown


def _slope_rows() -> Iterator[tuple[str, Shares]]:
    for title, spread in (("the same everywhere", np.full_like(_X, 1e6)), ("grows with the number", 20 * _X)):
        for blocks in (3, 5, 10):
            yield f"{title} | {blocks}", partial(_slopes, blocks, spread)


def _threshold_rows() -> Iterator[tuple[str, Shares]]:
    for true in (1.0, 0.98):
        for noise in (0.02, 0.1):
            for blocks, arms in ((3, 2), (5, 2), (5, 5), (10, 2)):
                yield f"{true:g} | {100 * noise:g} % | {blocks} | {arms}", Gate(true, noise, blocks, arms).shares


def _position_rows() -> Iterator[tuple[str, Shares]]:
    for title, first, last in (("the first trial has more", 1.05, 1.0), ("rises from first to last", 1.0, 1.05)):
        for noise in (0.005, 0.02):
            for arms, blocks in ((3, 5), (5, 3), (5, 7)):
                scenario = Scenario(arms, blocks, noise, first_position=first, rise=last)
                yield f"{title} | {100 * noise:g} % | {arms} | {blocks}", partial(_effects_of_positions, scenario)


def trial(arm: str, block: int, requests_per_s: float = 1.0, values: Mapping[str, float] | None = None) -> TrialSummary:
    """``values``: its ``metric_values``. Other fields are not set: who reads them raises AttributeError."""
    fields: dict[str, Any] = {
        "trial_id": UUID(int=block),
        "arm": arm,
        "block": block,
        "attempt": 1,
        "usable": True,
        "requests_per_s": requests_per_s,
        "metric_values": dict(values or {}),
    }
    return TrialSummary.model_construct(**fields)


def blocks_of(values: Floats, noise: float | Floats, random: np.random.Generator) -> Floats:
    """``values[arm]`` as measured in blocks that differ by 5 %: ``[arm, block]`` for a shape ``(arms, blocks)``.

    ``noise``: of all arms, or ``[arm, 1]``.
    """
    arms, blocks = values.shape
    scatter = noise * random.standard_normal((arms, blocks)) + 0.05 * random.standard_normal((1, blocks))
    return np.asarray(values * np.exp(scatter), np.float64)


_WINDOW_S = 10.0
_RECOVERY = next(metric for metric in METRICS if metric.info.key == "churn_recovery_s")


class Recovers(NamedTuple):
    """``median_s``: of a log-normal time. ``never``: the share of trials in which there is no recovery at all."""

    median_s: float
    never: float = 0.0

    def times(self, blocks: int, random: np.random.Generator) -> Floats:
        """Whole seconds; infinite where there is no recovery within the window."""
        seconds = np.maximum(np.ceil(self.median_s * np.exp(0.4 * random.standard_normal(blocks))), 1)
        return np.where((seconds > _WINDOW_S) | (random.random(blocks) < self.never), np.inf, seconds)


_PAIRS = {
    "6 s, 6 s": (Recovers(6), Recovers(6)),
    "6 s, 9 s": (Recovers(6), Recovers(9)),
    "6 s, 2 s or in 30 % of trials never": (Recovers(6), Recovers(2, never=0.3)),
}


def _recoveries(baseline: Recovers, arm: Recovers, blocks: int, count: int, random: np.random.Generator) -> list[float]:
    failed = better = decided = 0
    for _ in range(count):
        times = {"baseline": baseline.times(blocks, random), "arm": arm.times(blocks, random)}
        verdict = _verdict_of(times)
        unended = bool(np.isinf(times["arm"]).any())
        failed += unended
        better += unended and verdict == "better"
        decided += verdict in {"better", "worse"} and not any(np.isinf(seconds).any() for seconds in times.values())
    return [failed / count, better / count, decided / count]


def _verdict_of(times: dict[str, Floats]) -> str:
    usable = {
        arm: {block: trial(arm, block, values=_values(one)) for block, one in enumerate(seconds, start=1)}
        for arm, seconds in times.items()
    }
    return run_claims([_RECOVERY], usable, "baseline", [_RECOVERY.name])["arm", _RECOVERY.name].verdict


def _values(seconds: float) -> dict[str, float]:
    ended = bool(np.isfinite(seconds))
    return {"churn_recovered": float(ended)} | ({_RECOVERY.name: float(seconds)} if ended else {})


_FIRST = next(metric for metric in METRICS if metric.info.key == "requests_per_s")
_SECOND = keyed_metric("second", "Second", "", "second", group="throughput", direction="more_is_better")


class Design(NamedTuple):
    """``levels``: of each factor. ``effect``: of level 1 of the first one, in the first metric.

    ``together``: of level 1 of all factors together, beyond what they do in pairs, in the first metric. ``noisy``,
    ``noisy_baseline``, ``unequal``: as of scenarios.
    """

    levels: tuple[int, ...]
    noise: float
    blocks: int
    effect: float = 1.0
    together: float = 1.0
    noisy: float = 1.0
    noisy_baseline: float = 1.0
    unequal: float = 0.0

    def shares(self, count: int, random: np.random.Generator) -> list[float]:
        arms = _arms(self.levels)
        false = covered = found = 0
        for _ in range(count):
            pairs = self._pairs(arms, random)
            false += any(_is_false(one.verdict, true) for one, true in pairs)
            covered += all(one.ci_low <= true <= one.ci_high for one, true in pairs if one.metric == _FIRST.name)
            found += any(true > 1 and one.verdict == "better" for one, true in pairs)
        return [false / count, covered / count, found / count]

    def scattered(self, count: int, random: np.random.Generator) -> list[float]:
        return self.shares(count, random)[:2]

    def shown(self, count: int, random: np.random.Generator) -> list[float]:
        """How often effects on the first metric are shown: they do not describe factors that act together."""
        arms = _arms(self.levels)
        shown = [any(one.metric == _FIRST.name for one, _ in self._pairs(arms, random)) for _ in range(count)]
        return [sum(shown) / count]

    def _pairs(
        self, arms: Sequence[ArmInfo], random: np.random.Generator
    ) -> list[tuple[FactorEffect | FactorInteraction, float]]:
        result = self._judged(arms, random)
        judged: list[FactorEffect | FactorInteraction] = [*result.effects, *result.interactions]
        return [(one, self._truth(one)) for one in judged]

    def _judged(self, arms: Sequence[ArmInfo], random: np.random.Generator) -> Factorial:
        true = np.array([[self._mean(arm)] * self.blocks for arm in arms])
        scatter = self.noise * np.exp(self.unequal * random.standard_normal((len(arms), 1)))
        scatter[0] *= self.noisy_baseline
        scatter[-1] *= self.noisy
        first, second = (blocks_of(values, scatter, random) for values in (true, np.ones_like(true)))
        usable = {
            arm.key: {
                n + 1: trial(arm.key, n + 1, first[row, n], {"second": second[row, n]}) for n in range(self.blocks)
            }
            for row, arm in enumerate(arms)
        }
        primary = [_FIRST.name, _SECOND.name]
        return factor_effects([_FIRST, _SECOND], arms, arms[0].key, usable, primary=primary)

    def _mean(self, arm: ArmInfo) -> float:
        together = self.together if all(level == "1" for level in arm.levels.values()) else 1.0
        return together * (self.effect if arm.levels["f0"] == "1" else 1.0)

    def _truth(self, judged: FactorEffect | FactorInteraction) -> float:
        changed = isinstance(judged, FactorEffect) and judged.factor == "f0" and judged.metric == _FIRST.name
        return self.effect if changed else 1.0


def _arms(levels: tuple[int, ...]) -> list[ArmInfo]:
    combined = product(*(range(size) for size in levels))
    return [
        ArmInfo(key=".".join(map(str, one)), label="", levels={f"f{n}": str(level) for n, level in enumerate(one)})
        for one in combined
    ]


_RIGHT: Mapping[bool, set[str]] = {True: {"better", "undecided"}, False: {"equivalent", "undecided"}}


def _is_false(verdict: str, true: float) -> bool:
    return verdict not in _RIGHT[true > 1]


_X = np.array([1000.0, 10_000.0, 50_000.0, 100_000.0])
_SLOPE = 500.0


def _slopes(blocks: int, spread: Floats, count: int, random: np.random.Generator) -> list[float]:
    covered = bent = 0
    for _ in range(count):
        common = 5e6 * random.standard_normal((blocks, 1))
        found = regression(_points(_SLOPE * _X + common + spread * random.standard_normal((blocks, _X.size))))
        if found is None:
            raise ValueError("two blocks of four points have a slope")
        covered += found.ci_low <= _SLOPE <= found.ci_high
        bent += found.curved
    return [covered / count, bent / count]


def _points(values: Floats) -> list[Point]:
    """``values[block, x]``."""
    blocks = list(range(1, len(values) + 1))
    columns = zip(_X.tolist(), values.T, strict=True)
    return [Point(x=x, y=float(column.mean()), values=column.tolist(), blocks=blocks) for x, column in columns]


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


def _analysis(arms: list[str]) -> RunAnalysis:
    """A run without complaints, with nothing but what a gate reads."""
    checks = CheckSummary(passed=0, made=0, warnings=0, errors=0, unavailable=0, text="", results=[])
    of_arms: list[dict[str, Any]] = [{"key": key} for key in arms]
    fields: dict[str, Any] = {
        "arms": [ArmAnalysis.model_construct(**one) for one in of_arms], "baseline": arms[0], "checks": checks
    }  # fmt: skip
    return RunAnalysis.model_construct(**fields)


def _effects_of_positions(scenario: Scenario, count: int, random: np.random.Generator) -> list[float]:
    seed = int(random.integers(2**31))
    nothing = simulate(replace(scenario, seed=seed), count)
    effect = simulate(replace(scenario, seed=seed + 1, effects={(1, 0): 1.05}), count)
    return [nothing.false / count, nothing.covered / count, effect.found / effect.sought]
