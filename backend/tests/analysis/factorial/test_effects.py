"""Factor effects against statsmodels and against the analysis of variance done by hand."""

import math
from collections.abc import Mapping, Sequence
from statistics import mean

import numpy as np
import pytest
from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.factorial import Factorial, factor_effects
from ngxlab.analysis.metrics import metrics_of
from ngxlab.analysis.schemas import ArmInfo, FactorEffect, FactorInteraction
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_verdict.quantiles import max_modulus_quantile
from scipy.special import stdtrit

TEMPLATE = summarise_trial(builders.trial(Scenario().build()))
Rates = Mapping[tuple[str, ...], Sequence[float | None]]


def effects_of(
    rates: Rates, factors: Sequence[str], baseline: tuple[str, ...], primary: Sequence[str] = ("requests_per_s",)
) -> Factorial:
    """``rates``: requests/s by block of the arm with these levels; ``None`` is a trial lost."""
    arms = [
        ArmInfo(key=".".join(levels), label=".".join(levels), levels=dict(zip(factors, levels, strict=True)))
        for levels in rates
    ]
    usable = {
        arm.key: {
            block: TEMPLATE.model_copy(
                update={
                    "arm": arm.key,
                    "block": block,
                    "requests_per_s": value,
                    "nginx_cpu_s_per_1000_requests": 0.5 + 0.01 * ((3 * index + block * block) % 7),
                }
            )
            for block, value in enumerate(values, start=1)
            if value is not None
        }
        for index, (arm, values) in enumerate(zip(arms, rates.values(), strict=True))
    }
    metrics = metrics_of(trial for blocks in usable.values() for trial in blocks.values())
    return factor_effects(metrics, arms, ".".join(baseline), usable, primary=primary)


def effect(found: Factorial, factor: str, level: str) -> FactorEffect:
    wanted = ("requests_per_s", factor, level)
    return next(one for one in found.effects if (one.metric, one.factor, one.level) == wanted)


def interaction(found: Factorial, *levels: str) -> FactorInteraction:
    return next(one for one in found.interactions if one.metric == "requests_per_s" and one.levels == levels)


TWO_BY_THREE: Rates = {
    ("off", "s"): [100, 220, 95, 140],
    ("on", "s"): [131, 281, 120, None],
    ("off", "m"): [118, 262, 116, 170],
    ("on", "m"): [152, 330, 149, 205],
    ("off", "l"): [90, 205, None, 131],
    ("on", "l"): [171, 352, 158, 231],
}


def test_unbalanced_two_by_three_as_statsmodels_has_it() -> None:
    """smf.ols("ln_y ~ C(b) + C(a, Treatment('off')) * C(s, Treatment('s'))"), contrasts over equal weights; 0.15.0."""
    found = effects_of(TWO_BY_THREE, ["aio", "size"], ("off", "s"))
    mains: list[FactorEffect | FactorInteraction] = [
        effect(found, "aio", "on"),
        effect(found, "size", "m"),
        effect(found, "size", "l"),
    ]
    pairs = [interaction(found, "on", "m"), interaction(found, "on", "l")]
    wide = max_modulus_quantile(0.05, 5, 13) / float(stdtrit(13, 0.975))
    alone = [
        [1.424244978, 1.39494916, 1.454156047],
        [1.190577412, 1.161207316, 1.220690358],
        [1.092778812, 1.064479003, 1.121830988],
        [0.981990607, 0.934139169, 1.032293242],
        [1.395767787, 1.32518223, 1.470113069],
    ]
    assert [[one.ratio, one.ci_low, one.ci_high] for one in [*mains, *pairs]] == [
        pytest.approx([ratio, ratio * (low / ratio) ** wide, ratio * (high / ratio) ** wide], rel=1e-6)
        for ratio, low, high in alone
    ]
    assert [one.verdict for one in mains] == ["better"] * 3
    assert [one.verdict for one in pairs] == ["undecided", "higher"]
    assert "requests/s" not in (found.reason or "")


def test_a_balanced_two_by_two_by_hand() -> None:
    """Two-way analysis of variance with blocks: every contrast is a difference of means, the error what is left."""
    cells: dict[tuple[str, ...], list[float]] = {
        ("off", "cold"): [100, 210, 95],
        ("on", "cold"): [190, 420, 200],
        ("off", "hot"): [300, 640, 310],
        ("on", "hot"): [330, 700, 320],
    }
    y = {cell: [math.log(value) for value in values] for cell, values in cells.items()}
    grand = mean(value for values in y.values() for value in values)
    blocks = [mean(values[b] for values in y.values()) for b in range(3)]
    residual = sum((y[c][b] - mean(y[c]) - blocks[b] + grand) ** 2 for c in y for b in range(3))
    variance = residual / 6  # 12 values less 4 cells and 2 further blocks
    t = max_modulus_quantile(0.05, 3, 6)
    aio = (mean(y["on", "cold"]) + mean(y["on", "hot"]) - mean(y["off", "cold"]) - mean(y["off", "hot"])) / 2
    both = mean(y["on", "hot"]) - mean(y["off", "hot"]) - mean(y["on", "cold"]) + mean(y["off", "cold"])

    found = effects_of(cells, ["aio", "cache"], ("off", "cold"))
    main, pair = effect(found, "aio", "on"), interaction(found, "on", "hot")
    assert main.ratio == pytest.approx(math.exp(aio))
    assert main.ci_low == pytest.approx(math.exp(aio - t * math.sqrt(variance / 3)))
    assert main.ci_high == pytest.approx(math.exp(aio + t * math.sqrt(variance / 3)))
    assert pair.ratio == pytest.approx(math.exp(both))
    assert pair.ci_high == pytest.approx(math.exp(both + t * math.sqrt(4 * variance / 3)))
    assert (pair.factors, pair.references) == (("aio", "cache"), ("off", "cold"))
    assert (pair.family, pair.verdict) == ("primary", "lower")
    assert main.text.endswith(", better")
    assert main.text.startswith("aio=on against aio=off: +47 % (95 % CI ")
    assert pair.text.startswith("aio=on with cache=hot: −46 % (95 % CI ")
    assert pair.text.endswith(" relative to the product of their separate effects, lower")


def test_effects_that_multiply_have_no_interaction() -> None:
    noise = [1.01, 0.99, 1.0, 1.005, 0.995, 1.002, 0.998, 1.003]
    base = [100, 180]
    rates: dict[tuple[str, ...], list[float | None]] = {
        (a, b, c): [base[n] * (2 if a == "1" else 1) * (3 if b == "1" else 1) * noise[(i + 3 * n) % 8] for n in (0, 1)]
        for i, (a, b, c) in enumerate((a, b, c) for a in "01" for b in "01" for c in "01")
    }
    found = effects_of(rates, ["a", "b", "c"], ("0", "0", "0"))
    assert effect(found, "a", "1").ratio == pytest.approx(2, rel=0.01)
    assert effect(found, "b", "1").ratio == pytest.approx(3, rel=0.01)
    verdicts = [one.verdict for one in found.effects if one.metric == "requests_per_s"]
    assert verdicts == ["better", "better", "equivalent"]
    pairs = [one for one in found.interactions if one.metric == "requests_per_s"]
    assert len(pairs) == 3
    assert {one.verdict for one in pairs} <= {"equivalent", "undecided"}


def test_what_cannot_be_estimated_says_why() -> None:
    corner = {key: values for key, values in TWO_BY_THREE.items() if key != ("on", "l")}
    assert effects_of(corner, ["aio", "size"], ("off", "s")).reason == (
        "the arms do not cover every combination of the factors' levels"
    )
    one: Rates = {("off",): [1.0, 2.0], ("on",): [2.0, 3.0]}
    assert effects_of(one, ["aio"], ("off",)).reason == "the arms differ in fewer than two factors"
    single = {key: values[:1] for key, values in TWO_BY_THREE.items()}
    assert "more blocks" in str(effects_of(single, ["aio", "size"], ("off", "s")).reason)
    lost = dict(TWO_BY_THREE) | {("on", "l"): [None] * 4}
    assert "an arm has no usable trial" in str(effects_of(lost, ["aio", "size"], ("off", "s")).reason)
    apart = {key: [values[0], None] if key[0] == "off" else [None, values[1]] for key, values in TWO_BY_THREE.items()}
    assert "too few trials to estimate" in str(effects_of(apart, ["aio", "size"], ("off", "s")).reason)


def test_one_metric_s_zero_leaves_the_others() -> None:
    found = effects_of(dict(TWO_BY_THREE) | {("on", "l"): [171, 0, 158, 231]}, ["aio", "size"], ("off", "s"))
    assert (found.reason or "").startswith("requests/s: zero in at least one trial: no ratio; ")
    assert {one.metric for one in found.effects} == {"cpu_s_per_1000_requests"}


def test_what_is_not_primary_is_exploratory_and_neither_good_nor_bad() -> None:
    found = effects_of(TWO_BY_THREE, ["aio", "size"], ("off", "s"), primary=())
    one = effect(found, "aio", "on")
    assert (one.family, one.verdict) == ("exploratory", "higher")
    assert one.text.startswith("Exploratory: aio=on against aio=off: +42 % (95 % CI ")


def test_values_without_scatter_have_no_interval() -> None:
    found = effects_of({levels: [100.0, 100.0] for levels in TWO_BY_THREE}, ["aio", "size"], ("off", "s"))
    assert "requests/s" in (found.reason or "")
    assert "without any scatter" in (found.reason or "")


def test_intervals_of_all_effects_hold_together() -> None:
    """2 x 2 arms, 3 blocks, no effects: at most 5 % of experiments claim anything."""
    random = np.random.default_rng(8)
    cells = [(a, b) for a in ("off", "on") for b in ("cold", "hot")]
    false = 0
    for _ in range(300):
        rates: Rates = {cell: (100 * np.exp(random.normal(0, 0.1, 3))).tolist() for cell in cells}
        found = effects_of(rates, ["aio", "cache"], ("off", "cold"))
        said = [one.verdict for one in found.effects if one.family == "primary"]
        said += [one.verdict for one in found.interactions if one.family == "primary"]
        false += any(verdict not in {"undecided", "equivalent"} for verdict in said)
    assert false / 300 <= 0.05 + 3.5 * math.sqrt(0.05 * 0.95 / 300)


def test_an_interaction_with_an_arm_that_scatters_more_holds_by_its_own_scatter() -> None:
    """2 x 3 arms in 4 blocks, one with thirty times the scatter: that of all arms makes too narrow an interval."""
    random = np.random.default_rng(3)
    cells = [(a, b) for a in ("off", "on") for b in ("s", "m", "l")]
    rates: Rates = {
        cell: (1000 * np.exp(random.normal(0, 0.3 if cell == ("on", "l") else 0.01, 4))).tolist() for cell in cells
    }
    found = interaction(effects_of(rates, ["aio", "size"], ("off", "s")), "on", "l")
    logs = np.log(np.array([rates[cell] for cell in cells], np.float64))
    own = logs[5] - (logs[:5].mean(axis=0))
    alone = float(stdtrit(3, 0.975)) * own.std(ddof=1) / 2
    assert math.log(found.ci_high / found.ci_low) / 2 > alone


def _three_factors(together: float, seed: int) -> Rates:
    """2 x 2 x 2 arms in 5 blocks at 2 % noise. ``together``: what all three have besides their own effects."""
    random = np.random.default_rng(seed)
    return {
        (one, two, three): [
            1000 * 1.1 ** (one == "b") * together ** ((one, two, three) == ("b", "b", "b")) * math.exp(noise)
            for noise in random.normal(0, 0.02, 5)
        ]
        for one in "ab"
        for two in "ab"
        for three in "ab"
    }


def test_three_factors_that_act_together_are_said_to() -> None:
    """An effect of 10 % at 2 % noise: before, none of it was seen."""
    found = [effects_of(_three_factors(1.1, seed), ("x", "y", "z"), ("a", "a", "a")) for seed in range(20)]
    assert sum(map(_has_no_effects, found)) >= 15
    assert (found[0].reason or "").startswith("requests/s: three or more factors act together")


def _has_no_effects(found: Factorial) -> bool:
    return not any(one.metric == "requests_per_s" for one in found.effects)


def test_three_factors_whose_effects_are_products_fit_but_for_one_in_a_hundred() -> None:
    found = [effects_of(_three_factors(1.0, seed), ("x", "y", "z"), ("a", "a", "a")) for seed in range(100)]
    assert sum(map(_has_no_effects, found)) <= 5
    assert effect(found[0], "x", "b").verdict == "better"


@pytest.mark.parametrize(
    "arms", [["off.s", "off.m", "on.s", "on.m"], ["off.s", "off.m", "off.l", "on.s", "on.m", "on.l"]]
)
def test_one_block_has_no_effects_and_says_why(arms: list[str]) -> None:
    """Its arms have no scatter of their own: what rounding leaves of it is none."""
    rates = {tuple(arm.split(".")): [100.1 + 7.3 * number] for number, arm in enumerate(arms)}
    primary = ("requests_per_s", "cpu_s_per_1000_requests")
    found = effects_of(rates, ["accept", "size"], ("off", "s"), primary)
    assert (found.effects, found.interactions) == ([], [])
    assert found.reason
