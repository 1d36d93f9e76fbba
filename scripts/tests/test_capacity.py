"""A small cell of the simulations of searches for a capacity, and what they simulate against simulations of its own."""

import numpy as np
import pytest

from scripts.simulations.capacity import SYSTEMS, Trial, searched, told_apart


@pytest.mark.parametrize("name", SYSTEMS)
def test_half_of_the_steps_at_the_capacity_meet_the_goal(name: str) -> None:
    """So that intervals which cover it are right; a cliff has no half."""
    system, random = SYSTEMS[name](), np.random.default_rng(1)
    shares = [
        np.mean([system.met(ratio * system.capacity_per_s, 7.5, random) for _ in range(60)])
        for ratio in (0.96, 0.9999, 1.04)
    ]
    assert shares[0] >= 0.9
    assert 0.3 <= shares[1] <= 1
    assert shares[2] <= 0.1


def test_intervals_cover_and_bad_steps_do_not_mislead() -> None:
    covered, _, _, off, _, bisection_off = searched("cliff", 0.05, 60, 3)
    assert covered >= 0.9
    assert off <= 0.05 < bisection_off


@pytest.mark.parametrize("bad", [0.0, 0.05])
def test_two_capacities_are_told_apart_and_twins_are_not(bad: float) -> None:
    (apart, *_), (twins, *_) = (told_apart("cliff", ratio, bad, 4, 5) for ratio in (1.1, 1.0))
    assert (apart, twins) == (1, 0)


def test_a_search_says_nothing_of_what_it_cannot_reach() -> None:
    beyond = Trial(SYSTEMS["cliff"](), 0, np.random.default_rng(2), 100, 500)
    assert np.isnan(beyond.found()).all()
