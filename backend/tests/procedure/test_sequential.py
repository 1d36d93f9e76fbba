"""Claims that may be read after every block. Limits allow 3.5 standard errors; `make simulate` has more of it."""

import math

import numpy as np
import pytest
from ngxlab_verdict import Experiment, Looks, MetricRule, Question, judge
from ngxlab_verdict.sequential import COUNTS, EARLY_ERROR, ERRORS, FACTORS, FIRST_LOOK

from scripts.simulations.interim import LookedAt, look
from scripts.simulations.interim_table import factors
from scripts.simulations.scenario import Scenario

COUNT = 300


def limit(share: float, *, above: bool) -> float:
    spread = 3.5 * math.sqrt(share * (1 - share) / COUNT)
    return share + spread if above else share - spread


def a_run(arms: int, noise: float, **more: object) -> Scenario:
    return Scenario(arms, 20, noise, metrics=2, primary=2, seed=41, **more)  # type: ignore[arg-type]


def test_at_most_one_run_in_twenty_makes_a_false_claim_at_any_of_its_looks() -> None:
    seen = look(LookedAt(a_run(2, 0.10), "precise"), COUNT)
    assert seen.false / COUNT <= limit(0.05, above=True)


def test_the_planned_end_of_a_run_that_was_looked_at_adds_little() -> None:
    seen = look(LookedAt(a_run(2, 0.10), "fixed"), COUNT)
    assert seen.false / COUNT <= limit(0.05 + EARLY_ERROR, above=True)


def test_looks_that_judge_as_if_each_were_the_only_one_would_fail_this() -> None:
    seen = look(LookedAt(a_run(2, 0.10), "careless"), COUNT)
    assert seen.false / COUNT > 2 * limit(0.05, above=True)


@pytest.mark.parametrize("start", [3, 5])
def test_intervals_of_runs_that_stop_when_precise_hold_the_truth(start: int) -> None:
    at = LookedAt(a_run(2, 0.02, effects={(1, 0): 1.05}), "precise", start, half_width=0.04)
    seen = look(at, COUNT)
    assert seen.covered / COUNT >= limit(0.94, above=False)
    assert FIRST_LOOK <= seen.blocks / COUNT < 12
    assert seen.found / seen.sought > 0.7


def test_the_table_is_what_its_simulation_prints() -> None:
    simulated = factors(experiments=100_000)
    for count, row in zip(COUNTS, FACTORS, strict=True):
        assert row[0] == pytest.approx(simulated[count][0], rel=0.06), count
        assert row[2] == pytest.approx(simulated[count][2], rel=0.15), count


@pytest.mark.parametrize("last", [5, 6, 10, 17, 20, 64, 100])
def test_the_error_of_each_look_lies_between_that_of_bonferroni_and_that_of_a_single_look(last: int) -> None:
    looks = Looks(last)
    count = last - FIRST_LOOK + 1
    errors = [0.05, 0.049, 0.01, *ERRORS, 1e-4, 1e-5, 1e-7]
    nominal = [looks.nominal(error) for error in sorted(errors)]
    assert nominal == sorted(nominal)
    for error, each in zip(sorted(errors), nominal, strict=True):
        assert error / count / 1.06 <= each <= error
    assert looks.nominal(0.05) >= Looks(last + 1).nominal(0.05)


def test_looks_with_a_small_error_are_strict() -> None:
    assert Looks(20, EARLY_ERROR).nominal(0.05) == pytest.approx(Looks(20).nominal(EARLY_ERROR))


def test_a_planned_end_has_what_looks_before_it_have_left() -> None:
    rates = Experiment(["on", "off"], ["rate"], np.array([[[100.0] * 6, [101.0, 103, 104, 102, 101, 104]]]))
    whole, rest, looked = (
        judge(rates, Question(primary=["rate"], **more))[0].level
        for more in ({}, {"spent": EARLY_ERROR}, {"looks": Looks(5, EARLY_ERROR)})
    )
    assert whole == 0.05
    assert rest == pytest.approx(0.045)
    assert looked + rest <= 0.05


class TestFewPairs:
    rates = np.array([[[100.0, 101, 99, 100, 102], [150.0, 152, 149, 150, 153]]])

    def words(self, pairs: int, looks: Looks | None) -> tuple[str, float | None, str | None]:
        question = Question(primary=["rate"], rules={"rate": MetricRule()}, looks=looks)
        (claim,) = judge(Experiment(["on", "off"], ["rate"], self.rates[:, :, :pairs]), question)
        return claim.verdict, claim.low, claim.reason

    def test_nothing_is_claimed_of_fewer_than_five(self) -> None:
        verdict, low, reason = self.words(4, Looks(20))
        assert (verdict, low) == ("undecided", None)
        assert reason is not None
        assert "at least 5 pairs" in reason
        assert self.words(4, None)[0] == "better"

    def test_a_great_effect_is_claimed_of_five_with_a_wider_interval(self) -> None:
        verdict, low, _ = self.words(5, Looks(20))
        _, plain, _ = self.words(5, None)
        assert verdict == "better"
        assert low is not None
        assert plain is not None
        assert 1 < low < plain
