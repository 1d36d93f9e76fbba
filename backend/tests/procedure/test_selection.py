"""The best of many arms: what each heat leaves, and that a choice errs as often as it says."""

import numpy as np
import pytest
from ngxlab_verdict.design import Floats
from ngxlab_verdict.selection import Noise, best, error_of, kept_by_heat, noise_of, trials_of_heats

from scripts.simulations.selections import CASES, Case, shares
from scripts.simulations.tables import Cells

NAN = np.nan


@pytest.mark.parametrize(
    ("arms", "finalists", "kept"),
    [
        (16, 3, (7, 3)),
        (8, 3, (3,)),
        (8, 1, (4, 2, 1)),
        (4, 3, (3,)),
        (64, 3, (30, 14, 7, 3)),
        (64, 20, (20,)),
        (6, 1, (3, 1)),
    ],
)
def test_each_heat_leaves_about_half(arms: int, finalists: int, kept: tuple[int, ...]) -> None:
    assert kept_by_heat(arms, finalists) == kept


@pytest.mark.parametrize(("arms", "finalists"), [(3, 3), (2, 3), (5, 0)])
def test_there_must_be_somebody_to_drop(arms: int, finalists: int) -> None:
    with pytest.raises(ValueError, match="is no selection"):
        kept_by_heat(arms, finalists)


def test_each_heat_has_the_baseline_too() -> None:
    assert trials_of_heats(16, 3, 2) == 2 * (17 + 8)


def test_the_highest_stay_whatever_their_blocks_have_in_common() -> None:
    values = np.array([[1.0, 11.0], [3.0, 13.0], [2.0, 12.0], [0.0, 10.0]])
    assert best(values, 2) == [1, 2]


def test_of_equals_the_earlier_one_stays() -> None:
    assert best(np.zeros((4, 2)), 2) == [0, 1]


def test_an_arm_without_a_value_is_dropped_and_one_with_some_is_not() -> None:
    values = np.array([[NAN, NAN], [1.0, NAN], [0.0, 10.0], [0.5, 10.5]])
    assert best(values, 3) == [1, 3, 2]
    assert best(np.full((2, 2), NAN), 1) == []


def test_noise_is_what_arms_and_blocks_do_not_explain() -> None:
    random = np.random.default_rng(1)

    def heat(arms: int) -> Floats:
        levels, blocks = random.normal(0, 5, (arms, 1)), random.normal(0, 5, (1, 4))
        return np.asarray(levels + blocks + random.normal(0, 0.02, (arms, 4)), np.float64)

    found = noise_of([heat(200), heat(100)])
    assert found is not None
    assert found.degrees == 199 * 3 + 99 * 3
    assert found.deviation == pytest.approx(0.02, rel=0.08)


def test_a_single_block_and_missing_values_tell_no_noise() -> None:
    assert noise_of([np.ones((5, 1))]) is None
    assert noise_of([np.array([[1.0, NAN], [2.0, 3.0]])]) is None


def test_a_block_without_any_value_takes_no_arm_s_noise_away() -> None:
    values = np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 3.0]])
    assert noise_of([np.insert(values, 1, NAN, axis=1)]) == noise_of([values])


def test_without_noise_nobody_better_is_dropped() -> None:
    error = error_of(16, 3, 2, Noise(0.0, 15), 0.02)
    assert (error.dropped, error.sure_from) == (0.0, 0.0)


def test_more_blocks_and_less_noise_err_less() -> None:
    few, more, quiet = (error_of(16, 3, n, Noise(s, 40), 0.02) for n, s in ((2, 0.02), (8, 0.02), (2, 0.01)))
    assert more.dropped < few.dropped
    assert quiet.sure_from == pytest.approx(few.sure_from / 2)


def _shares(case: Case, count: int) -> Cells:
    return shares(case, count, np.random.default_rng(7))


def test_the_best_of_sixteen_is_found_in_less_than_half_the_trials() -> None:
    trials, right, other, false, *_ = _shares(CASES[0], 200)
    assert trials <= 0.5
    assert right >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / 200)
    assert other <= 0.02
    assert false <= 0.05 + 2 * np.sqrt(0.95 * 0.05 / 200)


def test_of_sixteen_twins_none_is_called_the_best() -> None:
    _, _, named, *_ = _shares(CASES[6], 200)
    assert named <= 0.05


def test_a_choice_errs_as_often_as_it_says() -> None:
    *_, dropped, stated, _, _ = _shares(CASES[3], 400)
    assert dropped == pytest.approx(stated, abs=0.06)
