"""Bounds by MLRsearch's rules, counted by hand."""

from ngxlab_worker.capacity.bounds import Tried, classify, relevant_bounds


def met(per_s: float, weight: float = 1) -> Tried:
    return Tried(per_s, weight, "met")


def missed(per_s: float, weight: float = 1) -> Tried:
    return Tried(per_s, weight, "missed")


def test_one_full_success_makes_a_lower_bound_and_two_misses_an_upper_one() -> None:
    assert relevant_bounds([met(100), missed(120)]) == (100, None)
    assert relevant_bounds([met(100), missed(120), missed(120)]) == (100, 120)
    assert relevant_bounds([]) == (None, None)


def test_a_short_success_makes_no_bound_and_outweighs_a_short_miss() -> None:
    assert relevant_bounds([met(100, 0.9)]) == (None, None)
    short = [missed(100, 0.7), missed(100, 0.7)]
    assert classify(100, short) == "upper"
    assert classify(100, [*short, met(100, 0.5)]) == "undecided"


def test_misses_count_for_higher_rates_and_successes_for_lower_ones() -> None:
    assert classify(150, [missed(120), missed(140)]) == "upper"
    assert classify(130, [missed(120), missed(140)]) == "undecided"
    assert classify(80, [met(100)]) == "lower"


def test_one_miss_among_successes_is_forgiven() -> None:
    assert relevant_bounds([met(100), missed(100), met(101), missed(130), missed(130)]) == (101, 130)


def test_of_inverted_results_the_lower_rate_counts() -> None:
    assert relevant_bounds([met(90), missed(100), missed(100), missed(100), met(110), missed(120), missed(120)]) == (
        90,
        100,
    )


def test_void_steps_say_nothing() -> None:
    assert relevant_bounds([Tried(100, 1, "void")] * 5) == (None, None)
