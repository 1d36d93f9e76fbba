"""The procedure on small experiments whose answer is known."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from ngxlab_verdict import Claim, Experiment, MetricRule, Question, judge
from scipy.stats import t

NAN = float("nan")


def experiment(**metrics: Mapping[str, Sequence[float]]) -> Experiment:
    """By metric: the values of each arm, by block; the first arm is the baseline."""
    arms = list(next(iter(metrics.values())))
    return Experiment(arms, list(metrics), np.array([[values[arm] for arm in arms] for values in metrics.values()]))


def only(claims: Sequence[Claim]) -> Claim:
    (claim,) = claims
    return claim


RATES = {"off": [100.0, 104.0, 98.0, 101.0, 99.0], "on": [110.0, 115.0, 109.0, 110.0, 108.0]}


def test_two_arms_get_students_interval_of_the_log_ratios() -> None:
    claim = only(judge(experiment(rate=RATES), Question(primary=["rate"])))
    d = np.log(np.array(RATES["on"]) / np.array(RATES["off"]))
    half = t.ppf(0.975, 4) * d.std(ddof=1) / math.sqrt(5)
    assert (claim.verdict, claim.pairs, claim.family) == ("better", 5, "primary")
    assert claim.estimate == pytest.approx(math.exp(d.mean()))
    assert claim.low == pytest.approx(math.exp(d.mean() - half))
    assert claim.high == pytest.approx(math.exp(d.mean() + half))
    assert claim.at_least


@pytest.mark.parametrize(
    ("rule", "family", "word"),
    [
        (MetricRule("less_is_better"), "primary", "worse"),
        (MetricRule("neutral"), "primary", "higher"),
        (MetricRule("less_is_better"), "exploratory", "higher"),
    ],
)
def test_the_direction_and_the_family_decide_the_word(rule: MetricRule, family: str, word: str) -> None:
    claim = only(
        judge(experiment(rate=RATES), Question(primary=["rate"] if family == "primary" else [], rules={"rate": rule}))
    )
    assert (claim.family, claim.verdict) == (family, word)


def test_an_interval_that_excludes_no_change_is_enough_if_the_estimate_exceeds_the_margin() -> None:
    near = {"off": [100.0, 100.0, 100.0, 100.0], "on": [102.6, 101.2, 103.9, 103.0]}
    claim = only(judge(experiment(rate=near), Question(primary=["rate"])))
    assert claim.low is not None
    assert 1 < claim.low < 1.02
    assert claim.verdict == "better"
    assert not claim.at_least
    assert only(judge(experiment(rate=near), Question(primary=["rate"], margin=0.05))).verdict == "equivalent"


def test_exchanging_the_arms_exchanges_better_and_worse() -> None:
    there = only(judge(experiment(rate=RATES), Question(primary=["rate"])))
    back = only(judge(experiment(rate={"on": RATES["on"], "off": RATES["off"]}), Question(primary=["rate"])))
    assert (there.verdict, back.verdict) == ("better", "worse")
    assert back.estimate == pytest.approx(1 / (there.estimate or NAN))
    assert back.low == pytest.approx(1 / (there.high or NAN))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"off": [5.0, 5.0, 5.0], "on": [5.0, 5.0, 5.0]}, "identical"),
        ({"off": [1.0, 1.0, 1.0], "on": [2.0, 2.0, 2.0]}, "too coarse"),
        ({"off": [1.0, 2.0, 1.5], "on": [0.0, 2.0, 1.0]}, "this arm is not positive"),
        ({"off": [0.0, 2.0, 1.5], "on": [1.0, 2.0, 1.0]}, "the baseline is not positive"),
        ({"off": [1.0, NAN, NAN], "on": [1.1, 2.0, 1.0]}, "a single pair"),
        ({"off": [1.0, NAN, NAN], "on": [NAN, 2.0, 1.0]}, "no block has both"),
        ({"off": [1.0, 1.1, 1.2], "on": [NAN, NAN, NAN]}, "this arm has no value"),
        ({"off": [1.0, 1.1, NAN], "on": [1.0, 1e9, NAN]}, "more than a factor"),
    ],
)
def test_what_cannot_be_compared_is_undecided_without_an_interval(
    values: Mapping[str, Sequence[float]], reason: str
) -> None:
    for primary in (["rate"], []):
        claim = only(judge(experiment(rate=values), Question(primary=primary)))
        assert (claim.verdict, claim.low, claim.high) == ("undecided", None, None)
        assert reason in (claim.reason or "")


def test_a_difference_has_its_own_margin_and_may_be_zero() -> None:
    rule = {"errors": MetricRule("less_is_better", "difference", margin=1.0)}
    values = {"off": [0.0, 1.0, 0.0, 1.0, 0.0], "on": [10.0, 12.0, 9.0, 13.0, 11.0]}
    claim = only(judge(experiment(errors=values), Question(primary=["errors"], rules=rule)))
    assert (claim.verdict, claim.scale) == ("worse", "difference")
    assert claim.estimate == pytest.approx(10.6)


def test_a_missing_cell_leaves_the_other_pairs() -> None:
    values = {"off": [100.0, 104.0, 98.0, 101.0], "on": [130.0, NAN, 129.0, 130.0], "max": [100.0, 103.9, 98.1, NAN]}
    claims = {claim.arm: claim for claim in judge(experiment(rate=values), Question(primary=["rate"]))}
    assert (claims["on"].verdict, claims["on"].pairs) == ("better", 3)
    assert (claims["max"].verdict, claims["max"].pairs) == ("equivalent", 3)


class TestFamily:
    """Two primary metrics and their order."""

    clear: Mapping[str, Sequence[float]] = {"off": [100.0, 101.0, 99.0, 100.5], "on": [120.0, 121.5, 118.0, 120.0]}
    weak: Mapping[str, Sequence[float]] = {"off": [100.0, 104.0, 97.0, 101.0], "on": [110.0, 109.0, 107.0, 109.0]}
    none: Mapping[str, Sequence[float]] = {"off": [100.0, 104.0, 97.0, 101.0], "on": [97.0, 106.0, 101.0, 95.0]}

    def verdicts(self, question: Question, **metrics: Mapping[str, Sequence[float]]) -> list[str]:
        return [claim.verdict for claim in judge(experiment(**metrics), question)]

    def errors(self, question: Question, **metrics: Mapping[str, Sequence[float]]) -> list[float]:
        return [claim.error for claim in judge(experiment(**metrics), question)]

    def test_a_decided_metric_passes_its_error_on(self) -> None:
        assert self.verdicts(Question(primary=["a", "b"]), a=self.clear, b=self.weak) == ["better", "better"]

    def test_an_undecided_metric_does_not(self) -> None:
        assert self.errors(Question(primary=["a", "b"]), a=self.none, b=self.none) == pytest.approx([0.04, 0.01])

    def test_a_later_metric_passes_its_error_back(self) -> None:
        assert self.errors(Question(primary=["a", "b"]), a=self.none, b=self.clear) == pytest.approx([0.05, 0.01])
        assert self.verdicts(Question(primary=["a", "b"]), a=self.none, b=self.clear) == ["undecided", "better"]

    def test_the_order_is_the_questions(self) -> None:
        assert self.errors(Question(primary=["b", "a"]), a=self.none, b=self.none) == pytest.approx([0.01, 0.04])

    def test_without_an_order_all_metrics_share_alike(self) -> None:
        claims = judge(experiment(a=self.none, b=self.none), Question())
        assert [(claim.family, claim.error) for claim in claims] == [("primary", 0.025)] * 2

    def test_an_interval_has_the_error_that_it_names(self) -> None:
        of_a, of_b = judge(experiment(a=self.none, b=self.none), Question(primary=["a", "b"]))
        for claim, error in ((of_a, 0.04), (of_b, 0.01)):
            d = np.log(np.array(self.none["on"]) / np.array(self.none["off"]))
            half = t.ppf(1 - error / 2, 3) * d.std(ddof=1) / 2
            assert claim.error == pytest.approx(error)
            assert claim.high == pytest.approx(math.exp(d.mean() + half))

    def test_an_unknown_metric_is_refused(self) -> None:
        with pytest.raises(ValueError, match="unknown metric 'c'"):
            judge(experiment(a=self.none), Question(primary=["c"]))


@pytest.mark.parametrize("arms", [3, 5, 12])
def test_claim_and_interval_agree(arms: int) -> None:
    """Whatever the data: a claim's interval excludes no change, and only a claim's or an equivalent's does."""
    random = np.random.default_rng(5)
    seen = set()
    for _ in range(150):
        effects = random.choice([0, 0, 0.06], (1, arms, 1))
        values = np.exp(random.normal(0, 0.03, (2, arms, 4)) + effects)
        names = [str(arm) for arm in range(arms)]
        for claim in judge(Experiment(names, ["a", "b"], values), Question(primary=["a", "b"], margin=0.001)):
            assert claim.low is not None
            assert claim.high is not None
            assert claim.estimate is not None
            assert claim.low < claim.estimate < claim.high
            excludes = claim.low > 1 or claim.high < 1
            assert excludes == (claim.verdict in {"better", "worse"})
            seen.add(claim.verdict)
    assert seen >= {"better", "undecided"}
