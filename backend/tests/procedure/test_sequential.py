"""Claims that may be read after every block. Limits allow 3.5 standard errors; `make simulate` has more of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from ngxlab_verdict import Course, Experiment, Looks, MetricRule, Question, judge
from ngxlab_verdict.sequential import ADDED_ERROR, COUNTS, EARLY_ERROR, ERRORS, FACTORS, FIRST_LOOK, added_error

from scripts.simulations.ending import added, ended
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


def test_a_run_that_ends_when_decided_or_hopeless_saves_blocks_and_errs_no_more() -> None:
    great = ended(Scenario(2, 20, 0.02, metrics=1, primary=1, effects={(1, 0): 1.3}, seed=41), 40)
    small = ended(Scenario(2, 20, 0.02, metrics=1, primary=1, effects={(1, 0): 1.05}, seed=42), 60)
    none = ended(Scenario(2, 20, 0.05, metrics=1, primary=1, seed=43), COUNT)
    assert (great.blocks, great.decided) == (40 * FIRST_LOOK, 40)
    assert small.blocks / 60 < 9
    assert small.found / small.sought > 0.95
    assert none.hopeless / COUNT > 0.8
    assert none.blocks / COUNT < 12
    assert none.false / COUNT <= limit(0.05, above=True)


def test_all_verdicts_of_a_run_to_which_blocks_are_added_err_in_one_of_twenty() -> None:
    continued, blocks, false = added(Scenario(2, 5, 0.10, metrics=1, primary=1, seed=44), (1, 1), COUNT)
    assert continued / COUNT > 0.9
    assert blocks / COUNT > 14
    assert false / COUNT <= limit(0.05, above=True)


def test_what_was_decided_stands_and_passes_its_error_on() -> None:
    """After one more block the first metric alone would not be decided again: its error is an eighth."""
    course, scenario = Course(5, added=(6,)), Scenario(2, 6, 0.02, metrics=2, primary=2, effects={(1, 0): 1.05})
    *earlier, look = course.stages(6)
    planned, asked = (replace(scenario.question, spent=stage.spent) for stage in (*earlier, look))
    stood = 0
    for experiment in scenario.experiments(60):
        first = judge(Experiment(experiment.arms, experiment.metrics, experiment.values[:, :, :5]), planned)
        before = next(claim for claim in first if claim.metric == "m0")
        alone, other_alone = judge(experiment, asked)
        now, other = judge(experiment, replace(asked, earlier=earlier))
        if before.verdict == "better" and alone.verdict == "undecided":
            assert now.low is not None
            assert alone.low is not None
            assert now.verdict == "better"
            assert now.low > alone.low
            assert other.level > other_alone.level
            stood += 1
    assert stood > 5


def test_each_addition_has_less_of_the_error_and_no_more_than_is_left() -> None:
    assert added_error(1, 5, 10) == pytest.approx(0.75 * ADDED_ERROR * 2)
    assert added_error(2, 5, 10) == pytest.approx(added_error(1, 5, 10) / 4)
    assert added_error(1, 50, 51) == pytest.approx(0.75 * ADDED_ERROR * 4)
    course = Course(5, added=(10, 20, 40))
    assert [stage.blocks for stage in course.stages(40)] == [5, 10, 20, 40]
    assert course.error(40, 60) == pytest.approx(added_error(4, 40, 60))


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
